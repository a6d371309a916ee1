/** What MCP allows, at providers that enforce their documented limits. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { demandsOf, misfitOf } from "../../../src/domain/wires/demands.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { strictWires, toolsIn } from "../../fakes/strict-wires.ts";
import type { Said } from "../../fakes/wire-answers.ts";
import { strictFetch } from "../../fakes/wire-server.ts";
import { calls, loop, text, tool, withTool } from "../../fixtures/wires/corpus.ts";
import { callOf, modelOf, requestOf } from "../../fixtures/providers/calls.ts";

type At = (typeof strictWires)[number];

/** The answer of a strict provider, with what it refused. */
async function ask(at: At, call: SamplingCall, said?: (body: JsonObject) => Said) {
  const strict = strictFetch(at.wire, said);
  const providers = createProviders({ fetch: strict.fetch, demo: false, now: () => 0 });
  const baseUrl = "http://127.0.0.1:1/v1";
  const result = await providers.complete(requestOf(at, { baseUrl, call }));
  return { result, refusals: strict.refusals, sent: strict.bodies[0] ?? {} };
}

describe.each(strictWires)("$wire", (at) => {
  it.each(Object.keys(calls))("takes %s, or is excluded before", async (kind) => {
    const call = calls[kind] ?? callOf();
    const demands = demandsOf(call) ?? {};
    const isExcluded = misfitOf(modelOf(at.provider, at.model), demands) !== null;
    const { result, refusals } = await ask(at, call);
    if (isExcluded) return;
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
        return { toolUse: { id: "call_1", name: sent?.name ?? "", input } };
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
    expect(changed.result.ok && changed.result.value.notes.join()).toContain("tools: renamed");
  });
});

describe("OpenAI's reasoning models under a deployment's name", () => {
  it.each([
    ["openai", "openai-chat"],
    ["azure", "compatible"],
  ] as const)("get the parameters that they take, at %s", async (provider, wire) => {
    const call = callOf({ temperature: 0.5, stopSequences: ["x"], maxTokens: 77 });
    const strict = strictFetch(wire);
    const providers = createProviders({ fetch: strict.fetch, demo: false, now: () => 0 });
    const model = { like: "openai/gpt-5-mini", reasoning: true, temperature: false };
    const at = { provider, model: "prod-small" };
    const request = requestOf(at, { baseUrl: "http://127.0.0.1:1/v1", call, model });
    const result = await providers.complete(request);
    expect(strict.bodies).toMatchObject([{ model: "prod-small", max_completion_tokens: 77 }]);
    for (const name of ["max_tokens", "temperature", "stop"])
      expect(strict.bodies[0]).not.toHaveProperty(name);
    expect(result.ok && result.value.notes.join()).toContain("temperature left out");
  });
});

/** What a model of each wire asks for in a loop: any of the tools, under the names that it was sent. */
const loopTools = ["a.b", "a/b", "3d", "x".repeat(80), "plain"];

it("goes through six rounds, each at another wire", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...strictWires), { minLength: 6, maxLength: 6 }),
      fc.array(fc.nat(loopTools.length - 1), { minLength: 6, maxLength: 6 }),
      fc.array(fc.string({ minLength: 1, maxLength: 60, unit: "binary" }), {
        minLength: 6,
        maxLength: 6,
      }),
      async (wires, places, ids) => {
        const tools = loopTools.map((name) => tool(name));
        const messages: SamplingCall["messages"] = [{ role: "user", content: [text("go")] }];
        for (const [round, at] of wires.entries()) {
          const place = places[round] ?? 0;
          const { result, refusals } = await ask(
            at,
            callOf({ messages: [...messages], tools }),
            (body) => ({
              toolUse: {
                id: ids[round] ?? "",
                name: toolsIn(body)[place]?.name ?? "",
                input: {},
              },
            }),
          );
          expect(refusals).toEqual([]);
          if (!result.ok) throw new Error(result.error.kind);
          const [use] = result.value.content;
          if (use?.type !== "tool_use") throw new Error("no tool use");
          expect(use.name).toBe(loopTools[place]);
          messages.push(
            { role: "assistant", content: [use] },
            {
              role: "user",
              content: [{ type: "tool_result", toolUseId: use.id, content: [text("1")] }],
            },
          );
        }
      },
    ),
    { numRuns: 12 },
  );
});

/** Schemas as people write them, and worse. */
const schemas = fc.letrec<{ schema: JsonObject; whole: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.record({ type: fc.constantFrom("string", "integer", "array", "object") }),
    tie("whole"),
  ),
  whole: fc.record(
    {
      type: fc.constantFrom("object", "array", "string", "integer", "any", ["string", "null"], 5),
      properties: fc.dictionary(
        fc.oneof(fc.constantFrom("a", "$top", "x[y]", "__proto__"), fc.string({ maxLength: 70 })),
        fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom<JsonObject>({}, { type: "string" }),
          tie("schema"),
        ),
        { maxKeys: 3 },
      ),
      items: fc.oneof({ maxDepth: 2 }, fc.constant<JsonObject>({}), tie("schema")),
      required: fc.constantFrom<JsonValue>(true, ["a"], ["a", "a"], []),
      format: fc.constantFrom("uri", "date-time", "int64"),
      anyOf: fc.array(fc.oneof({ maxDepth: 2 }, fc.constant<JsonObject>({}), tie("schema")), {
        maxLength: 2,
      }),
      exclusiveMinimum: fc.boolean(),
      minLength: fc.constantFrom<JsonValue>(1, "1", -1),
      $ref: fc.constantFrom("#", "#/$defs/a", "#/gone", "#/properties/a", "#/anyOf/0"),
      $id: fc.constantFrom("https://example.com/a", "#a b"),
    },
    { requiredKeys: [] },
  ),
})).whole;

it.each(strictWires)("brings whatever schema comes into a form that $wire takes", async (at) => {
  await fc.assert(
    fc.asyncProperty(schemas, async (schema) => {
      const { result, refusals } = await ask(at, callOf({ tools: [tool("lookup", schema)] }));
      expect(refusals).toEqual([]);
      expect(result.ok).toBe(true);
    }),
    { numRuns: 60 },
  );
});
