/** What of a call had no effect, by name. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ignoredIn, shownNames } from "../../../src/domain/choice/ignored.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import type { Candidate, Decision } from "../../../src/domain/choice/decision.ts";
import type { NegotiationRecord } from "../../../src/domain/sampling/shaping.ts";
import { call } from "./models.fixture.ts";

const decisionOf = (
  candidates: Partial<Candidate>[],
  negotiation?: Partial<NegotiationRecord>,
): Decision => ({
  provider: "openai",
  model: "gpt-small",
  candidates: candidates.map((each) => ({ provider: "openai", model: "gpt-small", ...each })),
  excluded: {},
  requirements: {
    inputModalities: ["text"],
    outputModalities: ["text"],
    tools: false,
    inputTokens: 1,
    inputTokensByFamily: {},
    maxTokens: 1,
  },
  weights: { cost: 0, speed: 0, intelligence: 0 },
  estimate: { inputTokens: 1, outputTokens: 1, costUsd: null },
  catalogueVersion: "test",
  notes: [],
  ...(negotiation === undefined
    ? {}
    : {
        negotiation: {
          features: [],
          ignored: [],
          format: null,
          verbosity: null,
          rules: [],
          interactive: true,
          ...negotiation,
        },
      }),
});

const ignored = (asked: Partial<SamplingCall>, decision: Decision, notes: string[] = []) =>
  ignoredIn({
    call: call(asked),
    decision,
    answeredBy: { provider: "openai", id: "gpt-5" },
    notes,
  });

describe("ignored hints", () => {
  it.each<[string, string | undefined, string[]]>([
    ["none, where the first was followed", "a", []],
    ["those before the one that was followed", "c", ["a", "b"]],
    ["all, where none was followed", undefined, ["a", "b", "c"]],
  ])("are %s", (_, followed, expected) => {
    const candidate = followed === undefined ? {} : { matchedHint: followed };
    const decision = decisionOf([candidate, { matchedHint: "a" }]);
    expect(ignored({ hints: ["a", "b", "c"] }, decision).hints).toEqual(expected);
  });
});

describe("ignored tags", () => {
  it("are tags that could not be read, and tags that were overruled", () => {
    const negotiation: Partial<NegotiationRecord> = {
      features: ["agent", "format=json", "verbosity=compact", "x-format=json"],
      ignored: ["format=xml"],
      format: "json",
      verbosity: "verbose",
    };
    expect(ignored({}, decisionOf([], negotiation)).tags).toEqual([
      "format=xml",
      "verbosity=compact",
    ]);
  });
});

describe("ignored parameters", () => {
  it.each<[string, string[]]>([
    ["temperature left out: this model does not take it", ["temperature"]],
    ["stopSequences after the first 4 left out: this model takes no more", ["stopSequences"]],
    ["maxTokens left out: it counts text, and audio was asked for", ["maxTokens"]],
    ["toolChoice left out or changed: this model does not take it as asked", ["toolChoice"]],
    ["messages before the last left out: this model reads the last one", ["messages"]],
    ["metadata.my-server: 2 option(s) not passed on", ["metadata.my-server"]],
    // A changed parameter is not ignored, and a note about no parameter names none.
    ["maxTokens capped by policy", []],
    ["maxTokens counts text: room for an image was added", []],
    ["systemPrompt put into the prompt", []],
    ["responseFormat left out: this model does not take it with what was asked", []],
    ["format: a code fence around the JSON was taken off", []],
    ["the hint temperature left out: no", []],
  ])("are read from the note: %s", (note, names) => {
    expect(ignored({}, decisionOf([{}]), [note]).parameters).toEqual(names);
  });

  it("are metadata for others than the provider that answered", () => {
    const metadata: JsonObject = {
      openai: { user: "u" },
      anthropic: {},
      traceId: "t",
      google: null,
      "sampling-router/idempotencyKey": "k",
    };
    expect(ignored({ metadata }, decisionOf([{}])).parameters).toEqual([
      "metadata.anthropic",
      "metadata.traceId",
    ]);
  });

  it("are not metadata for a cloud's model under its maker's name", () => {
    const metadata: JsonObject = { azure: {}, openai: {}, vertex: {} };
    const answeredBy = { provider: "azure", id: "prod", like: "openai/gpt-5-mini" };
    const asked = { call: call({ metadata }), decision: decisionOf([{}]), notes: [] };
    expect(ignoredIn({ ...asked, answeredBy }).parameters).toEqual(["metadata.vertex"]);
  });

  it("include a context other than none, and a tool choice without tools", () => {
    const tools = [{ name: "look", inputSchema: {} }];
    const odd = { includeContext: "allServers", toolChoice: "auto" } as const;
    expect(ignored(odd, decisionOf([{}])).parameters).toEqual(["includeContext", "toolChoice"]);
    expect(ignored({ ...odd, tools }, decisionOf([{}])).parameters).toEqual(["includeContext"]);
  });

  it("are bounded in number and length, whatever a caller writes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 100 }), (names) => {
        const shown = shownNames(names);
        expect(shown.length).toBeLessThanOrEqual(32);
        expect(new Set(shown).size).toBe(shown.length);
        for (const name of shown) expect(name.length).toBeLessThanOrEqual(64);
      }),
    );
  });
});
