/** A request of Anthropic's Messages becomes a call, or is refused by the name of its member. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { decodeCount, decodeMessages } from "../../../../src/http/models/messages-request.ts";

const body = (more: JsonObject = {}): JsonObject => ({
  model: "claude-sonnet-5",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello." }],
  ...more,
});
const callOf = (sent: JsonObject) => {
  const decoded = decodeMessages(sent);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.error));
  return decoded.value.call;
};
const pathOf = (sent: JsonObject): unknown => {
  const decoded = decodeMessages(sent);
  return decoded.ok ? null : "path" in decoded.error ? decoded.error.path : decoded.error;
};

describe("a messages request", () => {
  it("has its system prompt from a text or from blocks", () => {
    expect(callOf(body({ system: "Be brief." })).systemPrompt).toBe("Be brief.");
    const blocks = [
      { type: "text", text: "One." },
      { type: "text", text: "Two.", cache_control: { type: "ephemeral" } },
    ];
    expect(callOf(body({ system: blocks })).systemPrompt).toBe("One.\nTwo.");
  });

  it("gives tool results a message of their own", () => {
    const { messages } = callOf(
      body({
        messages: [
          { role: "user", content: "Read." },
          {
            role: "assistant",
            content: [
              { type: "text", text: "I read." },
              { type: "tool_use", id: "a", name: "read", input: { day: 1 } },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: "1", is_error: true },
              { type: "text", text: "Go on." },
            ],
          },
        ],
      }),
    );
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["text", "tool_use"]],
      ["user", ["tool_result"]],
      ["user", ["text"]],
    ]);
    expect(messages[2]?.content[0]).toMatchObject({ isError: true, toolUseId: "a" });
  });

  it("carries images in base64, and no others", () => {
    const image = (source: JsonObject) =>
      body({ messages: [{ role: "user", content: [{ type: "image", source }] }] });
    const sent = { type: "base64", media_type: "image/png", data: "aWNvbg==" };
    expect(callOf(image(sent)).messages[0]?.content).toEqual([
      { type: "image", mimeType: "image/png", data: "aWNvbg==" },
    ]);
    expect(pathOf(image({ type: "url", url: "https://example.com/a.png" }))).toBe(
      "messages.0.content.0.source.type",
    );
  });

  it("has the choices of tools under the names of sampling", () => {
    const tools = [{ name: "read", input_schema: { type: "object" } }];
    expect(callOf(body({ tools, tool_choice: { type: "any" } })).toolChoice).toBe("required");
    const named = { tools, tool_choice: { type: "tool", name: "read" } };
    expect(callOf(body(named)).toolChoice).toBe("required");
    expect(pathOf(body({ tools, tool_choice: { type: "tool", name: "x" } }))).toBe(
      "tool_choice.name",
    );
  });

  it.each([
    ["mcp_servers", [{}]],
    ["container", "c"],
    ["context_management", {}],
    ["service_tier", "priority"],
    ["speed", "fast"],
  ])("is refused for %s: it can't be carried", (name, value) => {
    expect(pathOf(body({ [name]: value }))).toBe(name);
  });

  it("has leading system messages in its system prompt, and takes none later", () => {
    const [user] = body()["messages"] as JsonObject[];
    const system = { role: "system", content: "Two." };
    const led = callOf(body({ system: "One.", messages: [system, user ?? {}] }));
    expect([led.systemPrompt, led.messages.length]).toEqual(["One.\nTwo.", 1]);
    expect(pathOf(body({ messages: [user ?? {}, system] }))).toBe("messages.1.role");
  });

  it.each<[JsonObject, unknown]>([
    [{}, undefined],
    [{ thinking: { type: "disabled" } }, "least"],
    [{ thinking: { type: "adaptive" } }, "provider"],
    [{ thinking: { type: "enabled", budget_tokens: 1_024 } }, { effort: "low" }],
    [{ thinking: { type: "enabled", budget_tokens: 32_000 } }, { effort: "high" }],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "max" } }, { effort: "max" }],
  ])("with %j reasons as %j", (more, reasoning) =>
    expect(callOf(body(more)).reasoning).toEqual(reasoning),
  );

  it.each(["output_format", "output_config"])("carries a schema of the answer in %s", (member) => {
    const format = { type: "json_schema", schema: { type: "object" } };
    const sent = member === "output_format" ? format : { format };
    expect(callOf(body({ [member]: sent }))).toMatchObject({
      format: "json",
      schema: { schema: { type: "object" } },
    });
  });

  it("limits the answer to one tool call", () => {
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    const choice = { type: "any", disable_parallel_tool_use: true };
    expect(callOf(body({ tools, tool_choice: choice }))).toMatchObject({
      toolChoice: "required",
      singleToolUse: true,
    });
  });

  it("names dropped marks for a cache", () => {
    const system = [{ type: "text", text: "One.", cache_control: { type: "ephemeral" } }];
    const decoded = decodeMessages(body({ system, metadata: { user_id: "ada" } }));
    expect(decoded.ok && decoded.value.ignored).toEqual(["system.cache_control", "metadata"]);
  });

  it("needs its limit of tokens, but not to be counted", () => {
    const { max_tokens: _, ...rest } = body();
    expect(pathOf(rest)).toBe("max_tokens");
    expect(decodeCount(rest).ok).toBe(true);
  });

  it("takes no tool that the provider runs", () => {
    expect(pathOf(body({ tools: [{ type: "web_search_20260209", name: "web_search" }] }))).toBe(
      "tools.0.type",
    );
  });
});
