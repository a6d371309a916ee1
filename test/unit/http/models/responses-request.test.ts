/** A request of OpenAI's Responses becomes a call, or is refused by the name of its member. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { decodeResponses } from "../../../../src/http/models/responses-request.ts";

const body = (more: JsonObject = {}): JsonObject => ({ model: "auto", input: "Hello.", ...more });
const callOf = (sent: JsonObject) => {
  const decoded = decodeResponses(sent);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.error));
  return decoded.value.call;
};
const pathOf = (sent: JsonObject): unknown => {
  const decoded = decodeResponses(sent);
  return decoded.ok ? null : "path" in decoded.error ? decoded.error.path : decoded.error;
};

describe("a request of Responses", () => {
  it("has one text, or items, and instructions before all", () => {
    const { messages, systemPrompt } = callOf(
      body({
        instructions: "One.",
        input: [
          { role: "developer", content: "Two." },
          { role: "user", content: [{ type: "input_text", text: "Hello." }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
        ],
      }),
    );
    expect(systemPrompt).toBe("One.\n\nTwo.");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(callOf(body()).messages[0]?.content).toEqual([{ type: "text", text: "Hello." }]);
  });

  it("has calls and their results together, apart from what the user says", () => {
    const call = (id: string) => ({
      type: "function_call",
      call_id: id,
      name: "read",
      arguments: "",
    });
    const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "1" });
    const { messages } = callOf(
      body({
        input: [
          { role: "user", content: "Read." },
          { role: "assistant", content: "I read." },
          call("a"),
          call("b"),
          output("a"),
          output("b"),
          { role: "user", content: "Go on." },
        ],
      }),
    );
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["text", "tool_use", "tool_use"]],
      ["user", ["tool_result", "tool_result"]],
      ["user", ["text"]],
    ]);
  });

  it("carries a schema of the answer, an effort, and a limit to one tool call", () => {
    const format = { type: "json_schema", name: "day", schema: { type: "object" }, strict: true };
    const decoded = decodeResponses(
      body({
        text: { format, verbosity: "low" },
        reasoning: { effort: "low", summary: "auto" },
        parallel_tool_calls: false,
      }),
    );
    expect(decoded).toMatchObject({
      value: {
        call: {
          format: "json",
          schema: { name: "day", schema: { type: "object" } },
          reasoning: { effort: "low" },
          singleToolUse: true,
        },
        ignored: ["text.verbosity", "reasoning.summary"],
      },
    });
  });

  it.each<[string, JsonObject]>([
    ["background", { background: true }],
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["store", { store: true }],
    ["input.0.type", { input: [{ type: "item_reference", id: "rs_1" }] }],
    ["input.0.type", { input: [{ type: "reasoning", summary: [] }] }],
    ["tools.0.type", { tools: [{ type: "web_search" }] }],
    ["text.format.schema", { text: { format: { type: "json_schema" } } }],
    ["tool_choice.name", { tools: [], tool_choice: { type: "function", name: "x" } }],
  ])("is refused at %s", (path, wrong) => expect(pathOf(body(wrong))).toBe(path));
});
