/** What MCP allows, at providers that enforce their documented limits. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { strictFetch, strictWires, toolsIn, type Use } from "../../fakes/strict-wires.ts";
import { callOf, png, requestOf, saying } from "../../fixtures/providers/calls.ts";

type At = (typeof strictWires)[number];

/** The answer of a strict provider, with what it refused. */
async function ask(at: At, call: SamplingCall, said?: (body: JsonObject) => string | Use) {
  const strict = strictFetch(at.wire, said);
  const providers = createProviders({ fetch: strict.fetch, demo: false, now: () => 0 });
  const baseUrl = "http://127.0.0.1:1/v1";
  const result = await providers.complete(requestOf(at, { baseUrl, call }));
  return { result, refusals: strict.refusals, sent: strict.bodies[0] ?? {} };
}

const tool = (name: string, inputSchema: JsonObject = { type: "object", properties: {} }) => ({
  name,
  description: "d",
  inputSchema,
});
const used = (id: string, name = "lookup", input: JsonObject = {}) =>
  ({ type: "tool_use", id, name, input }) as const;
const text = (value: string) => ({ type: "text", text: value }) as const;
const user = (value: string) => ({ role: "user" as const, content: [text(value)] });
const assistant = (value: string) => ({ role: "assistant" as const, content: [text(value)] });
const loop = (id: string, name = "lookup"): SamplingCall["messages"] => [
  user("go"),
  { role: "assistant", content: [used(id, name)] },
  { role: "user", content: [{ type: "tool_result", toolUseId: id, content: [text("1")] }] },
];
const withSchema = (schema: JsonObject) => callOf({ tools: [tool("lookup", schema)] });
const image = { type: "image", data: png, mimeType: "image/png" } as const;
const withTool = { tools: [tool("lookup")] };

const calls: Record<string, SamplingCall> = {
  "a name with dots": callOf({ tools: [tool("files.v2.read")] }),
  "a name with a slash": callOf({ tools: [tool("account/settings")] }),
  "a name with blanks and accents": callOf({ tools: [tool("Lire un café")] }),
  "a name of 200 characters": callOf({ tools: [tool("n".repeat(200))] }),
  "a name that begins with a digit": callOf({ tools: [tool("3d_print")] }),
  "an empty name": callOf({ tools: [tool("")] }),
  "names with one cleaned form": callOf({
    tools: ["x.y", "x/y", "x y", "x_y"].map((n) => tool(n)),
  }),
  "two tools of one name": callOf({ tools: [tool("lookup"), tool("lookup")] }),
  "a name in the history alone": callOf({ messages: loop("t1", "gone.tool"), ...withTool }),
  "Kimi's id": callOf({ messages: loop("functions.lookup:7"), ...withTool }),
  "an id of 100 characters": callOf({ messages: loop("y".repeat(100)), ...withTool }),
  "an id with a line end": callOf({ messages: loop("a\nb"), ...withTool }),
  "an id twice": callOf({ messages: [...loop("same"), ...loop("same").slice(1)], ...withTool }),
  "no properties": withSchema({ type: "object" }),
  "no type": withSchema({ properties: { a: { type: "string" } } }),
  "an array without items, deep": withSchema({
    type: "object",
    properties: { a: { type: "object", properties: { b: { type: "array" } } } },
  }),
  "oneOf at the root": withSchema({
    oneOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object" }],
  }),
  "allOf of references at the root": withSchema({
    type: "object",
    allOf: [{ $ref: "#/$defs/paged" }],
    $defs: { paged: { type: "object", properties: { page: { type: "integer" } } } },
  }),
  "a reference at the root": withSchema({
    $ref: "#/definitions/q",
    definitions: { q: { type: "object", properties: { q: { type: "string" } } } },
  }),
  "OData's names": withSchema({
    type: "object",
    properties: { $filter: { type: "string" }, "@odata.type": {}, "a[b]": {} },
    required: ["$filter"],
  }),
  "a name of a property beyond 64 characters": withSchema({
    type: "object",
    properties: { ["p".repeat(90)]: { type: "string" } },
  }),
  "draft-04 booleans": withSchema({
    $schema: "http://json-schema.org/draft-04/schema#",
    type: "object",
    properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true } },
  }),
  "a tuple of draft-04": withSchema({
    type: "object",
    properties: { at: { type: "array", items: [{ type: "number" }, { type: "number" }] } },
  }),
  "a format": withSchema({ type: "object", properties: { u: { type: "string", format: "uri" } } }),
  "blank text beside text": callOf(saying(text("\n "), text("hello"))),
  "nothing but blank text": callOf(saying(text("  "))),
  "an empty turn between": callOf({ messages: [user("a"), assistant(""), user("b")] }),
  "an empty turn at the end": callOf({ messages: [user("a"), assistant(" ")] }),
  "a blank turn of the user at the end": callOf({
    messages: [user("a"), assistant("b"), user(" ")],
  }),
  "a failed tool without content": callOf({
    messages: [
      ...loop("t1").slice(0, 2),
      {
        role: "user",
        content: [{ type: "tool_result", toolUseId: "t1", content: [], isError: true }],
      },
    ],
    ...withTool,
  }),
  "blank stop sequences": callOf({ stopSequences: ["\n\n", "", "END"] }),
  "a blank system prompt": callOf({ systemPrompt: " \n" }),
  "half a character": callOf({
    systemPrompt: "s \udc00",
    messages: [user("cut \ud83d")],
    tools: [{ name: "lookup", description: "d \ud83d", inputSchema: { type: "object" } }],
  }),
  "the assistant first": callOf({ messages: [assistant("Welcome."), user("Hi")] }),
  "a tool use first": callOf({ messages: loop("t1").slice(1), ...withTool }),
  "one role three times": callOf({
    messages: [user("a"), user("b"), user("c"), assistant("d"), assistant("e"), user("f")],
  }),
  "a screenshot in a tool result": callOf({
    messages: [
      ...loop("t1").slice(0, 2),
      { role: "user", content: [{ type: "tool_result", toolUseId: "t1", content: [image] }] },
      assistant("I see."),
      user("And?"),
    ],
    ...withTool,
  }),
  "a temperature of 9": callOf({ temperature: 9 }),
};

describe.each(strictWires)("$wire", (at) => {
  it.each(Object.keys(calls))("takes %s", async (kind) => {
    const { result, refusals } = await ask(at, calls[kind] ?? callOf());
    expect(refusals).toEqual([]);
    expect(result.ok).toBe(true);
  });

  it("gives tool uses the caller's names and arguments", async () => {
    const schema = { type: "object", properties: { $top: { type: "integer" } } };
    const call = callOf({ tools: [tool("a.b", schema), tool("a/b"), tool("1é", schema)] });
    for (const [place, asked] of call.tools.entries()) {
      const { result } = await ask(at, call, (body) => {
        const sent = toolsIn(body)[place];
        const [member] = Object.keys(sent?.schema["properties"] ?? {});
        const input: JsonObject = member === undefined ? {} : { [member]: 5 };
        return { id: "call_1", name: sent?.name ?? "", arguments: input };
      });
      expect(result.ok && result.value.content).toMatchObject([
        { type: "tool_use", name: asked.name, input: asked.name === "a/b" ? {} : { $top: 5 } },
      ]);
    }
  });

  it("is sent the same beginning when the history goes on", async () => {
    const first = [...loop("functions.a:0", "a.b"), ...loop("functions.a:1", "a.b").slice(1)];
    const whole = [...first, ...loop("functions.a:0", "a.b").slice(1)];
    const tools = [tool("a.b")];
    const one = await ask(at, callOf({ messages: first, tools }));
    const other = await ask(at, callOf({ messages: whole, tools }));
    const messages = ({ sent }: typeof one) =>
      (sent["messages"] ?? sent["input"] ?? sent["contents"]) as JsonObject[];
    const before = messages(one);
    expect(messages(other).slice(0, before.length)).toEqual(before);
    expect(other.sent["tools"]).toEqual(one.sent["tools"]);
  });

  it("says what was changed, and changes nothing that is fine", async () => {
    const plain = callOf({ messages: loop("call12345"), ...withTool, systemPrompt: "Be kind." });
    const { result } = await ask(at, plain);
    expect(result.ok && result.value.notes).toEqual([]);
    const changed = await ask(at, callOf({ tools: [tool("Ü")] }));
    expect(changed.result.ok && changed.result.value.notes.join()).toContain("tools: names");
  });
});
