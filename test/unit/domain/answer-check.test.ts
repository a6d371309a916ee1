/** What counts as the answer that was asked for. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAnswer, fenceNote, unfenced } from "../../../src/domain/sampling/answer-check.ts";
import type { ProviderAnswer } from "../../../src/domain/sampling/providers.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { parseEnvelope } from "../../../src/mcp/jsonrpc.ts";
import type { Block, SamplingCall } from "../../../src/domain/sampling/call.ts";
import { call } from "./models.fixture.ts";

const usage = { inputTokens: 21, outputTokens: 5, estimated: false };
const text = (said: string): Block => ({ type: "text", text: said });
const use = (name: string): Block => ({ type: "tool_use", id: "u1", name, input: {} });
const image: Block = { type: "image", data: "AAAA", mimeType: "image/png" };

const answered = (content: Block[], more: Partial<ProviderAnswer> = {}): ProviderAnswer => ({
  content,
  stopReason: content.some(({ type }) => type === "tool_use") ? "toolUse" : "endTurn",
  providerStopReason: null,
  usage,
  notes: [],
  ...more,
});
const json = (more: Partial<SamplingCall> = {}): SamplingCall => call({ format: "json", ...more });
const look = { name: "look", inputSchema: { type: "object" } };
const withTools = (toolChoice?: SamplingCall["toolChoice"]): SamplingCall =>
  call({ tools: [look], ...(toolChoice === undefined ? {} : { toolChoice }) });

const refused = (kind: string) => ({
  ok: false,
  error: {
    kind,
    status: 200,
    retryable: true,
    retryAfterMs: null,
    billed: "maybe",
    reach: "model",
    usage,
  },
});

describe("an answer's nesting", () => {
  const nested = (levels: number): Block => ({
    type: "tool_use",
    id: "u1",
    name: "look",
    input: JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as JsonObject,
  });

  it("is a fault of the provider's where the router would refuse the answer in the next request", () => {
    const inRequest = (block: Block): boolean => {
      const message = { role: "assistant", content: [block] };
      const params = { messages: [message] };
      const sent = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m", params });
      return parseEnvelope(new TextEncoder().encode(sent)).ok;
    };
    for (const levels of [1, 57, 58, 59, 60, 64, 200]) {
      const answer = answered([nested(levels)]);
      const expected = levels > 58 ? refused("malformed") : { ok: true, value: answer };
      expect(checkAnswer(answer, withTools()), String(levels)).toEqual(expected);
      expect(inRequest(nested(levels)), String(levels)).toBe(levels <= 58);
    }
  });

  it("is found without a deep stack", () => {
    expect(checkAnswer(answered([nested(1_000_000)]), withTools())).toEqual(refused("malformed"));
  });
});

describe("one code fence around JSON", () => {
  it.each([
    ["with its language", '```json\n{"a":1}\n```', '{"a":1}'],
    ["without a language", '```\n{"a":1}\n```', '{"a":1}'],
    ["of another language", '```javascript\n{"a":1}\n```', '{"a":1}'],
    ["with white space around it", ' \n```JSON \r\n{"a":1}\r\n```\n\n', '{"a":1}'],
    ["on one line", '```json {"a":1}```', '{"a":1}'],
    ["of four backticks", '````json\n{"a":1}\n````', '{"a":1}'],
    ["around a text that holds backticks", '```json\n{"a":"```"}\n```', '{"a":"```"}'],
    ["around a word", "```\ntrue\n```", "true"],
    ["around a word, on one line", "```true```", "true"],
    ["around lines", "```json\n[\n  1,\n  2\n]\n```", "[\n  1,\n  2\n]"],
  ])("is taken off, and a note says so: %s", (_, said, bare) => {
    expect(checkAnswer(answered([text(said)]), json())).toEqual({
      ok: true,
      value: { ...answered([text(bare)]), notes: [fenceNote] },
    });
  });

  it.each([
    ["prose before it", 'Here it is:\n```json\n{"a":1}\n```'],
    ["prose after it", '```json\n{"a":1}\n```\nAnything else?'],
    ["two fences", '```json\n{"a":1}\n```\n```json\n{"b":2}\n```'],
    ["a fence in a fence", '```\n```json\n{"a":1}\n```\n```'],
    ["no end", '```json\n{"a":1}'],
    ["no JSON inside", "```json\nnothing\n```"],
    ["nothing inside", "```json\n```"],
    ["backticks alone", "``````"],
    ["fewer than three backticks", '``{"a":1}``'],
  ])("is the only wrapping that is forgiven: %s", (_, said) => {
    expect(checkAnswer(answered([text(said)]), json())).toEqual(refused("not_json"));
  });

  it("is left where JSON was not asked for", () => {
    const fenced = answered([text('```json\n{"a":1}\n```')]);
    expect(checkAnswer(fenced, call())).toEqual({ ok: true, value: fenced });
  });

  it("is found around the text of several blocks, and what is no text stays", () => {
    const both = json({ outputModalities: ["text", "image"] });
    const parts = answered([text("```json\n"), image, text('{"a":1}\n```')]);
    expect(checkAnswer(parts, both)).toMatchObject({
      ok: true,
      value: { content: [text('{"a":1}'), image] },
    });
  });

  it("counts as no text of the caller's, so its tokens cut nothing of the JSON inside", () => {
    const counted = { inputTokens: 10, outputTokens: 14, estimated: false };
    const classes = { reasoningTokens: 0 };
    const fenced = answered([text('```json\n{"celsius":12}\n```')], {
      usage: { ...counted, classes },
    });
    expect(checkAnswer(fenced, json({ maxTokens: 10 }))).toMatchObject({
      ok: true,
      value: {
        content: [text('{"celsius":12}')],
        stopReason: "endTurn",
        usage: { ...counted, classes },
      },
    });
  });

  it("gives back every JSON value as it was written", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.constantFrom("", "json", "JSON"),
        fc.constantFrom("\n", " ", "\r\n"),
        (value, language, space) => {
          expect(unfenced(`\`\`\`${language}${space}${value}${space}\`\`\``)).toBe(value.trim());
          expect(checkAnswer(answered([text(value)]), json())).toMatchObject({
            ok: true,
            value: { content: [text(value)], notes: [] },
          });
        },
      ),
    );
  });

  it("never throws, and takes off nothing that is not JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("`", "{", "}", "1", "\n", " ") }), (said) => {
        const bare = unfenced(said);
        if (bare !== null) expect(() => JSON.parse(bare) as unknown).not.toThrow();
      }),
    );
  });
});

describe("JSON that was asked for", () => {
  it("is not asked of an image, and is asked of text beside an image", () => {
    const both = json({ outputModalities: ["text", "image"] });
    expect(checkAnswer(answered([image]), both).ok).toBe(true);
    expect(checkAnswer(answered([image]), json({ outputModalities: ["image"] })).ok).toBe(true);
    expect(checkAnswer(answered([text("A cat."), image]), both)).toEqual(refused("not_json"));
  });

  it("passes as far as the caller's own limit allows", () => {
    const cut = answered([text('{"a":')], { stopReason: "maxTokens" });
    expect(checkAnswer(cut, json())).toEqual({ ok: true, value: cut });
  });

  it("is not asked of an answer that wants a tool run first", () => {
    const first = answered([text("Let me look."), use("look")]);
    expect(checkAnswer(first, { ...withTools(), format: "json" }).ok).toBe(true);
  });
});

describe("toolChoice", () => {
  // cites: S-047, S-048, S-049
  it.each<[string, SamplingCall["toolChoice"], ProviderAnswer, boolean]>([
    ["required, a tool use", "required", answered([use("look")]), true],
    ["required, a text and a tool use", "required", answered([text("So"), use("look")]), true],
    ["required, a text", "required", answered([text("No.")]), false],
    ["required, a refusal", "required", answered([text("")], { stopReason: "refusal" }), false],
    ["required, cut", "required", answered([text("I wi")], { stopReason: "maxTokens" }), true],
    ["none, a text", "none", answered([text("Yes.")]), true],
    ["none, a tool use", "none", answered([use("look")]), false],
    ["none, a text and a tool use", "none", answered([text("So"), use("look")]), false],
    ["none, a cut tool use", "none", answered([use("look")], { stopReason: "maxTokens" }), false],
    ["auto, a text", "auto", answered([text("Yes.")]), true],
    ["auto, a tool use", "auto", answered([use("look")]), true],
    ["absent, a tool use", undefined, answered([use("look")]), true],
    ["auto, another tool", "auto", answered([use("rm")]), false],
    ["required, one tool and another", "required", answered([use("look"), use("rm")]), false],
  ])("is checked against the answer: %s", (_, toolChoice, answer, isAsAsked) => {
    const checked = checkAnswer(answer, withTools(toolChoice));
    expect(checked).toEqual(isAsAsked ? { ok: true, value: answer } : refused("wrong_tool_use"));
  });

  it("is checked before the answer is cut to what the caller may get", () => {
    const long = answered([text("I would rather tell you a story. ".repeat(20))]);
    const checked = checkAnswer(long, { ...withTools("required"), maxTokens: 3 });
    expect(checked).toEqual(refused("wrong_tool_use"));
  });

  it("is not checked without tools, since none was sent", () => {
    for (const toolChoice of ["auto", "required", "none"] as const)
      expect(checkAnswer(answered([text("Hi")]), call({ toolChoice })).ok).toBe(true);
  });

  it("makes every tool use wrong where no tools were offered", () => {
    expect(checkAnswer(answered([use("look")]), call())).toEqual(refused("wrong_tool_use"));
  });
});
