/** A request of OpenAI's Chat Completions becomes a call, or is refused by the name of its member. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { decodeChat } from "../../../../src/http/models/chat-request.ts";

const body = (more: JsonObject = {}): JsonObject => ({
  model: "openai/gpt-5.4-mini",
  messages: [{ role: "user", content: "Hello." }],
  ...more,
});
const callOf = (sent: JsonObject) => {
  const decoded = decodeChat(sent);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.error));
  return decoded.value.call;
};
const pathOf = (sent: JsonObject): unknown => {
  const decoded = decodeChat(sent);
  return decoded.ok ? null : "path" in decoded.error ? decoded.error.path : decoded.error;
};

describe("a chat request", () => {
  it("names its model, or leaves the choice to the router", () => {
    expect(callOf(body()).model).toBe("openai/gpt-5.4-mini");
    expect(callOf(body({ model: "auto" }))).not.toHaveProperty("model");
  });

  it("has the leading system messages as its system prompt, and takes none later", () => {
    const [user] = body()["messages"] as JsonObject[];
    const led = callOf(
      body({
        messages: [
          { role: "system", content: "One." },
          { role: "developer", content: [{ type: "text", text: "Two." }] },
          user ?? {},
        ],
      }),
    );
    expect([led.systemPrompt, led.messages.length]).toEqual(["One.\n\nTwo.", 1]);
    expect(pathOf(body({ messages: [user ?? {}, { role: "system", content: "Late." }] }))).toBe(
      "messages.1.role",
    );
  });

  it("carries text, images and audio", () => {
    const { messages } = callOf(
      body({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "Look." },
              { type: "image_url", image_url: { url: "data:image/png;base64,aWNvbg==" } },
              { type: "input_audio", input_audio: { data: "d2F2", format: "wav" } },
            ],
          },
        ],
      }),
    );
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "Look." },
      { type: "image", mimeType: "image/png", data: "aWNvbg==" },
      { type: "audio", mimeType: "audio/wav", data: "d2F2" },
    ]);
  });

  it("carries a round of tools, whose results stand together", () => {
    const use = (id: string) => ({
      id,
      type: "function",
      function: { name: "read", arguments: '{"day":1}' },
    });
    const { messages } = callOf(
      body({
        messages: [
          { role: "user", content: "Read." },
          { role: "assistant", content: null, tool_calls: [use("a"), use("b")] },
          { role: "tool", tool_call_id: "a", content: "1" },
          { role: "tool", tool_call_id: "b", content: "" },
          { role: "user", content: "Go on." },
        ],
      }),
    );
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["tool_use", "tool_use"]],
      ["user", ["tool_result", "tool_result"]],
      ["user", ["text"]],
    ]);
  });

  it("offers a named tool alone, and requires it", () => {
    const tool = (name: string) => ({ type: "function", function: { name } });
    const sent = { tools: [tool("one"), tool("two")] };
    const named = callOf(body({ ...sent, tool_choice: tool("two") }));
    expect([named.tools.map(({ name }) => name), named.toolChoice]).toEqual([["two"], "required"]);
    expect(pathOf(body({ ...sent, tool_choice: tool("three") }))).toBe("tool_choice.function.name");
  });

  it("takes either limit of tokens, the newer name first, and has one without", () => {
    expect(callOf(body({ max_tokens: 5 })).maxTokens).toBe(5);
    expect(callOf(body({ max_tokens: 5, max_completion_tokens: 7 })).maxTokens).toBe(7);
    expect(callOf(body()).maxTokens).toBe(16_384);
  });

  it.each([
    ["n", 2],
    ["logprobs", true],
    ["functions", []],
    ["web_search_options", {}],
    ["service_tier", "priority"],
    ["store", true],
  ])("is refused for %s: it can't be carried", (name, value) => {
    expect(pathOf(body({ [name]: value }))).toBe(name);
  });

  it.each([
    ["n", 1],
    ["store", false],
    ["stream", null],
    ["service_tier", "auto"],
  ])("is taken with a %s that asks for nothing", (name, value) => {
    expect(pathOf(body({ [name]: value }))).toBeNull();
  });

  it.each([
    ["messages", { messages: [] }],
    ["messages.0.content", { messages: [{ role: "user", content: 7 }] }],
    [
      "messages.0.content.0.image_url.url",
      {
        messages: [
          {
            role: "user",
            content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }],
          },
        ],
      },
    ],
    [
      "messages.0.tool_calls.0.function.arguments",
      {
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "[]" } }],
          },
        ],
      },
    ],
    ["response_format.json_schema", { response_format: { type: "json_schema" } }],
    ["reasoning_effort", { reasoning_effort: "enormous" }],
    ["max_tokens", { max_tokens: 0 }],
  ])("is refused at %s", (path, wrong) => {
    expect(pathOf(body(wrong as JsonObject))).toBe(path);
  });

  it("carries a schema of the answer, an effort, and a limit to one tool call", () => {
    const schema = { type: "object", properties: { day: { type: "integer" } } };
    const call = callOf(
      body({
        response_format: {
          type: "json_schema",
          json_schema: { name: "day", strict: true, schema },
        },
        reasoning_effort: "high",
        parallel_tool_calls: false,
      }),
    );
    expect(call).toMatchObject({
      format: "json",
      schema: { name: "day", schema },
      reasoning: { effort: "high" },
      singleToolUse: true,
    });
    expect(callOf(body())).not.toHaveProperty("reasoning");
  });

  it("names the members that have no effect, at any depth, and no text of the caller's", () => {
    const decoded = decodeChat(
      body({
        top_p: 0.5,
        user: "ada",
        seed: null,
        n: 1,
        "a\r\nheader": 1,
        tools: [{ type: "function", function: { name: "f", strict: true, parameters: { x: 1 } } }],
        messages: [
          {
            role: "user",
            name: "Ada",
            content: [{ type: "text", text: "Hi.", cache_control: { type: "ephemeral" } }],
          },
        ],
      }),
    );
    expect(decoded.ok && decoded.value.ignored.toSorted()).toEqual([
      "messages.content.cache_control",
      "messages.name",
      "tools.function.strict",
      "top_p",
      "user",
    ]);
  });
});
