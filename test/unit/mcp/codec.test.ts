/** Calls and answers through each revision's codec: nothing that a revision can say gets lost. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { explain } from "../../../src/domain/refusal-messages.ts";
import type { Block, SamplingAnswer, SamplingCall } from "../../../src/domain/sampling/call.ts";
import type { Codec } from "../../../src/mcp/codec.ts";
import { codecFor, supportedRevisions } from "../../../src/mcp/era.ts";

const codecOf = (revision: string): Codec => {
  const codec = codecFor(revision);
  if (codec === null) throw new Error(`No codec of ${revision}.`);
  return codec;
};
const hasAudio = (revision: string): boolean => revision >= "2025-03-26";
const hasTools = (revision: string): boolean => revision >= "2025-11-25";

/** zod's copies treat this key in another way; `parseEnvelope` has its own test of it. */
const key = fc.string().filter((name) => name !== "__proto__");
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonObject[string]>;
const object: fc.Arbitrary<JsonObject> = fc.dictionary(key, json);
const name = fc.string({ minLength: 1, maxLength: 40 });
const base64 = fc.base64String({ minLength: 4, maxLength: 40 });
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });

const text = fc.record({ type: fc.constant("text" as const), text: fc.string() });
const image = fc.record({
  type: fc.constant("image" as const),
  data: base64,
  mimeType: fc.constantFrom("image/png", "image/svg+xml", "image/jpeg; q=1"),
});
const audio = fc.record({
  type: fc.constant("audio" as const),
  data: base64,
  mimeType: fc.constantFrom("audio/wav", "audio/mpeg"),
});
const toolUse = fc.record(
  { type: fc.constant("tool_use" as const), id: name, name, input: object, _meta: object },
  { requiredKeys: ["type", "id", "name", "input"] },
);
const resource = fc.record({
  type: fc.constant("resource" as const),
  resource: fc.record({ uri: fc.webUrl(), text: fc.string() }),
});
const link = fc.record({ type: fc.constant("resource_link" as const), uri: fc.webUrl(), name });
const toolResult = fc.record(
  {
    type: fc.constant("tool_result" as const),
    toolUseId: name,
    content: fc.array(fc.oneof(text, image, audio, resource, link), { maxLength: 3 }),
    structuredContent: object,
    isError: fc.boolean(),
    _meta: object,
  },
  { requiredKeys: ["type", "toolUseId", "content"] },
);

const blockOf = (revision: string) => {
  if (hasTools(revision)) return fc.oneof(text, image, audio, toolUse, toolResult);
  return hasAudio(revision) ? fc.oneof(text, image, audio) : fc.oneof(text, image);
};
const modalityOf = (revision: string) =>
  fc.constantFrom("text", "image", ...(hasAudio(revision) ? ["audio"] : []));
const tool = fc.record(
  { name, description: fc.string(), inputSchema: object },
  { requiredKeys: ["name", "inputSchema"] },
);
const priority = some(fc.double({ min: 0, max: 1, noNaN: true }));

/** A valid wire call of a revision; every part is there or not. */
const callOf = (revision: string) => {
  const block = blockOf(revision);
  const content = hasTools(revision) ? fc.oneof(block, fc.array(block, { maxLength: 4 })) : block;
  return fc.record(
    {
      messages: fc.array(
        fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content }),
        { minLength: 1, maxLength: 4 },
      ),
      maxTokens: fc.integer({ min: 1, max: 2_000_000 }),
      modelPreferences: fc.record(
        {
          hints: fc.array(fc.record({ name: some(name) }), { maxLength: 4 }),
          costPriority: priority,
          speedPriority: priority,
          intelligencePriority: priority,
        },
        { requiredKeys: [] },
      ),
      systemPrompt: fc.string(),
      includeContext: fc.constantFrom(
        "none" as const,
        "thisServer" as const,
        "allServers" as const,
      ),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      stopSequences: fc.array(fc.string(), { maxLength: 3 }),
      metadata: object,
      tools: fc.array(tool, { maxLength: 3 }),
      toolChoice: fc.record({ mode: some(fc.constantFrom("auto", "required", "none")) }),
      wanted: fc.uniqueArray(modalityOf(revision), { minLength: 1 }),
    },
    { requiredKeys: ["messages", "maxTokens"] },
  );
};

type Wire = ReturnType<typeof callOf> extends fc.Arbitrary<infer T> ? T : never;

const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The generated call in the domain's words, written from the specification and not from the code. */
function expectedOf(wire: Wire): SamplingCall {
  const { modelPreferences: preferences } = wire;
  const listed = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
  const priorities = {
    cost: preferences?.costPriority,
    speed: preferences?.speedPriority,
    intelligence: preferences?.intelligencePriority,
  };
  const inside = (part: { type: string }) =>
    part.type === "resource" || part.type === "resource_link"
      ? { type: part.type, raw: part }
      : part;
  return overTheWire({
    messages: wire.messages.map(({ role, content }) => ({
      role,
      content: listed<object>(content).map((block) =>
        "content" in block ? { ...block, content: (block.content as []).map(inside) } : block,
      ),
    })),
    maxTokens: wire.maxTokens,
    hints: (preferences?.hints ?? []).flatMap((hint) => hint.name ?? []),
    priorities,
    systemPrompt: wire.systemPrompt,
    includeContext: wire.includeContext ?? "none",
    temperature: wire.temperature,
    stopSequences: wire.stopSequences ?? [],
    metadata: wire.metadata ?? {},
    tools: wire.tools ?? [],
    toolChoice: wire.toolChoice === undefined ? undefined : (wire.toolChoice.mode ?? "auto"),
    outputModalities: wire.wanted ?? ["text"],
  }) as unknown as SamplingCall;
}

const outputKey = "sampling-router/outputModalities";
/** The same wish where each caller can say it: in `metadata`, or in `_meta`. */
const spellings = {
  metadata: ({ wanted, ...wire }: Wire) =>
    wanted === undefined ? wire : { ...wire, metadata: { ...wire.metadata, [outputKey]: wanted } },
  _meta: ({ wanted, ...wire }: Wire) =>
    wanted === undefined ? wire : { ...wire, _meta: { [outputKey]: wanted, progressToken: 1 } },
};

/** Dots part the keys; a number is a place in a list. */
const optionalPlaces = [
  "modelPreferences",
  "modelPreferences.hints",
  "modelPreferences.hints.0.name",
  "modelPreferences.costPriority",
  "modelPreferences.speedPriority",
  "modelPreferences.intelligencePriority",
  "systemPrompt",
  "includeContext",
  "temperature",
  "stopSequences",
  "metadata",
  "metadata.sampling-router/outputModalities",
  "tools",
  "tools.0.description",
  "toolChoice",
  "toolChoice.mode",
  "_meta",
  "messages.0._meta",
  "messages.0.content._meta",
  "messages.0.content.0._meta",
  "messages.0.content.isError",
  "messages.0.content.0.structuredContent",
] as const;

/** The value with another one at a place, if the path to the place exists; undefined takes the value out. */
function changed(value: JsonObject, place: string, to: null | undefined): JsonObject {
  const copy = structuredClone(value);
  const keys = place.split(".");
  const last = keys.pop() ?? "";
  let parent: unknown = copy;
  for (const key_ of keys) parent = (parent as Record<string, unknown> | undefined)?.[key_];
  if (typeof parent !== "object" || parent === null) return copy;
  if (Array.isArray(parent) && parent.length <= Number(last)) return copy;
  if (to === null) (parent as JsonObject)[last] = null;
  else delete (parent as JsonObject)[last];
  return copy;
}

describe.each(supportedRevisions)("%s", (revision) => {
  const codec = codecOf(revision);

  // cites: S-051
  it.each(["metadata", "_meta"] as const)("loses nothing of a call; modalities in %s", (place) => {
    fc.assert(
      fc.property(callOf(revision), (wire) => {
        const params = overTheWire(spellings[place](wire)) as unknown as JsonObject;
        expect(codec.decodeCall(params)).toEqual({ ok: true, value: expectedOf(wire) });
      }),
    );
  });

  it("changes nothing of what it was given", () => {
    fc.assert(
      fc.property(callOf(revision), (wire) => {
        const params = overTheWire(spellings.metadata(wire)) as unknown as JsonObject;
        const before = structuredClone(params);
        codec.decodeCall(params);
        expect(params).toEqual(before);
      }),
    );
  });

  it("reads a call the same whatever unknown keys stand beside", () => {
    const known =
      /^(_meta|messages|maxTokens|modelPreferences|systemPrompt|includeContext|temperature|stopSequences|metadata|tools|toolChoice)$/;
    fc.assert(
      fc.property(callOf(revision), fc.dictionary(key, json), (wire, more) => {
        const unknown = Object.entries(more).filter(([at]) => !known.test(at));
        const params = overTheWire(spellings.metadata(wire));
        const with_ = { ...Object.fromEntries(unknown), ...params } as unknown as JsonObject;
        expect(codec.decodeCall(with_)).toEqual({ ok: true, value: expectedOf(wire) });
      }),
    );
  });

  it("reads null as absent in every optional place, and changes nothing of it", () => {
    fc.assert(
      fc.property(
        callOf(revision),
        fc.subarray([...optionalPlaces], { minLength: 1 }),
        (wire, places) => {
          const params = overTheWire(spellings.metadata(wire)) as unknown as JsonObject;
          const without = places.reduce((bare, place) => changed(bare, place, undefined), params);
          const nulled = places.reduce((bare, place) => changed(bare, place, null), params);
          expect(codec.decodeCall(nulled)).toEqual(codec.decodeCall(without));
          expect(codec.decodeCall(nulled).ok).toBe(true);
        },
      ),
    );
  });

  it.each([
    ["messages"],
    ["maxTokens"],
    ["messages.0"],
    ["messages.0.role"],
    ["messages.0.content"],
    ["messages.0.content.type"],
    ["messages.0.content.text"],
    ["modelPreferences.hints.0"],
    ["stopSequences.0"],
    ["tools.0"],
    ["tools.0.name"],
    ["tools.0.inputSchema"],
    [`metadata.${outputKey}.0`],
  ])("refuses null where something is required: %s", (place) => {
    const params: JsonObject = {
      messages: [{ role: "user", content: { type: "text", text: "hi" } }],
      maxTokens: 1,
      modelPreferences: { hints: [{ name: "a" }] },
      stopSequences: ["a"],
      tools: [{ name: "look", inputSchema: { type: "object" } }],
      metadata: { [outputKey]: ["text"] },
    };
    expect(codec.decodeCall(params).ok).toBe(true);
    const refused = codec.decodeCall(changed(params, place, null));
    expect(refused).toMatchObject({ ok: false, error: { reason: "invalid_params" } });
    expect(refused.ok || JSON.stringify(refused.error)).toContain(place.split(".")[0]);
  });

  it("refuses or reads anything, and never throws", () => {
    fc.assert(
      fc.property(object, (params) => {
        const { messages: _, ...rest } = params;
        expect(codec.decodeCall(rest).ok).toBe(false);
        expect(() => codec.decodeCall(params)).not.toThrow();
      }),
    );
  });

  it("refuses an image of no bytes with its place", () => {
    const content = { type: "image", data: "", mimeType: "image/png" };
    const params = { messages: [{ role: "user", content }], maxTokens: 10 };
    expect(codec.decodeCall(params)).toMatchObject({
      ok: false,
      error: { path: expect.stringMatching(/^messages\.0\.content\.(0\.)?data$/) },
    });
  });

  it.runIf(hasTools(revision))("reads a tool's name of any length", () => {
    const offered = [{ name: "n".repeat(300), inputSchema: {} }];
    const messages = [{ role: "user", content: { type: "text", text: "hello" } }];
    const decoded = codec.decodeCall({ messages, maxTokens: 10, tools: offered });
    expect(decoded.ok && decoded.value.tools).toEqual(offered);
  });

  it("refuses with the place, and never with what stood there", () => {
    const canary = "xyzzy-canary";
    const spoil = fc.constantFrom<[string, unknown]>(
      ["messages", canary],
      ["messages", [canary]],
      ["messages", [{ role: canary, content: { type: "text", text: canary } }]],
      ["messages", [{ role: "user", content: { type: canary } }]],
      ["messages", [{ role: "user", content: { type: "image", data: canary, mimeType: canary } }]],
      ["maxTokens", canary],
      ["modelPreferences", canary],
      ["modelPreferences", { costPriority: canary }],
      ["systemPrompt", { [canary]: canary }],
      ["includeContext", canary],
      ["temperature", canary],
      ["stopSequences", canary],
      ["metadata", { [outputKey]: [canary] }],
      ["tools", [{ name: "look", inputSchema: canary }]],
      ["toolChoice", { mode: canary }],
    );
    fc.assert(
      fc.property(callOf(revision), spoil, (wire, [place, value]) => {
        const params = { ...overTheWire(spellings.metadata(wire)), [place]: value };
        const decoded = codec.decodeCall(params as unknown as JsonObject);
        if (decoded.ok) throw new Error(`Accepted ${place}.`);
        expect(decoded.error.reason).toBe("invalid_params");
        expect("path" in decoded.error && decoded.error.path.startsWith(place)).toBe(true);
        expect(explain(decoded.error)).not.toContain(canary);
      }),
    );
  });
});

const domainText = text as fc.Arbitrary<Block>;
const answerOf = (block: fc.Arbitrary<Block>): fc.Arbitrary<SamplingAnswer> =>
  fc.record(
    {
      content: fc.array(block, { minLength: 1, maxLength: 4 }),
      model: fc.constant("openai/gpt-5"),
      stopReason: fc.constantFrom("endTurn", "toolUse", "maxTokens"),
      providerStopReason: fc.string(),
    },
    { requiredKeys: ["content", "model", "stopReason"] },
  );
const asked = (change: Partial<SamplingCall> = {}): SamplingCall => ({
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  maxTokens: 10,
  hints: [],
  priorities: {},
  includeContext: "none",
  stopSequences: [],
  tools: [],
  metadata: {},
  outputModalities: ["text"],
  ...change,
});
const tools = [{ name: "look", inputSchema: {} }];
const contentOf = (encoded: JsonObject) => encoded["content"] as unknown as Block | Block[];

describe("2024-11-05", () => {
  it("has no audio to answer with, so it can't be wanted", () => {
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "sing" } }],
      maxTokens: 10,
      metadata: { [outputKey]: ["audio"] },
    };
    expect(codecOf("2024-11-05").decodeCall(params)).toMatchObject({
      ok: false,
      error: { reason: "invalid_params", path: `metadata.${outputKey}.0` },
    });
    expect(codecOf("2025-03-26").decodeCall(params).ok).toBe(true);
  });
});

describe("an answer", () => {
  it.each(supportedRevisions.filter(hasTools))(
    "of %s comes back as history unchanged",
    (revision) => {
      const block = fc.oneof(text, image, audio, toolUse) as fc.Arbitrary<Block>;
      fc.assert(
        fc.property(answerOf(block), (answer) => {
          const encoded = overTheWire(codecOf(revision).encodeAnswer(answer, asked({ tools }), {}));
          const { role, content = null } = encoded;
          const next = { messages: [{ role: role ?? null, content }], maxTokens: 10 };
          const decoded = codecOf(revision).decodeCall(next);
          expect(decoded.ok && decoded.value.messages[0]).toEqual({
            role: "assistant",
            content: overTheWire(answer.content),
          });
        }),
      );
    },
  );

  it.each(supportedRevisions)("of %s is one block where there were no tools", (revision) => {
    fc.assert(
      fc.property(answerOf(domainText), (answer) => {
        const encoded = codecOf(revision).encodeAnswer(answer, asked(), { kept: true });
        const joined = answer.content.map((block) => ("text" in block ? block.text : "")).join("");
        expect(contentOf(encoded)).toEqual({ type: "text", text: joined });
        expect(encoded).toMatchObject({
          role: "assistant",
          model: answer.model,
          stopReason: answer.stopReason,
          _meta: { kept: true },
        });
        expect(encoded["resultType"]).toBe(revision === "2026-07-28" ? "complete" : undefined);
      }),
    );
  });

  it.each(supportedRevisions)("of %s keeps what was wanted, and notes the rest", (revision) => {
    const answer: SamplingAnswer = {
      content: [
        { type: "text", text: "Here: " },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "text", text: "done." },
      ],
      model: "google/x",
      stopReason: "endTurn",
    };
    const encode = (call: SamplingCall) => codecOf(revision).encodeAnswer(answer, call, {});
    expect(encode(asked({ outputModalities: ["image"] }))).toMatchObject({
      content: { type: "image", data: "AAAA", mimeType: "image/png" },
      _meta: { "sampling-router/omitted": ["text", "text"] },
    });
    expect(encode(asked())).toMatchObject({
      content: { type: "text", text: "Here: done." },
      _meta: { "sampling-router/omitted": ["image"] },
    });
  });
});
