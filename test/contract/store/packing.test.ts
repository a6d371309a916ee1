/** What a record's row keeps packed comes back as it was, to the byte that codes and seals cover. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultReaches } from "../../../src/domain/attempts.ts";
import type { Candidate, Decision } from "../../../src/domain/choice/decision.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { packDecision, unpackDecision } from "../../../src/store/rows/decisions.ts";
import { listedModels } from "../../../src/store/rows/listed-models.ts";
import { lengthen, shorten } from "../../../src/store/rows/phrases.ts";
import { compactDecision } from "../../../src/domain/choice/decision.ts";
import { decision } from "./fixtures.ts";
import { value } from "./open.ts";

const pool = poolFrom({
  models: seedCatalogue.models,
  credentials: ["openai", "anthropic", "google"].map((provider) => ({
    id: `cred_${provider}`,
    provider,
    status: "active" as const,
    models: null,
    baseUrl: null,
  })),
  catalogueVersion: seedCatalogue.version,
  policy: {},
});

const chosen = (text: string, maxTokens: number, priorities: object, hints: string[]) =>
  compactDecision(
    value(
      choose(
        {
          messages: [{ role: "user", content: [{ type: "text", text }] }],
          maxTokens,
          hints,
          priorities,
          includeContext: "none",
          stopSequences: [],
          tools: [],
          metadata: {},
          outputModalities: ["text"],
        },
        pool,
      ),
    ).decision,
  );

const priority = fc.double({ min: 0, max: 1, noNaN: true });
const count = fc.nat(200_000);
const axes = fc.record({ cost: priority, speed: priority, intelligence: priority });
function comesBack(made: Decision): void {
  expect(JSON.stringify(unpackDecision(packDecision(made)))).toBe(JSON.stringify(made));
}

describe("a decision", () => {
  it("comes back byte by byte, whatever was asked", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 3_000 }),
        fc.integer({ min: 1, max: 4_000 }),
        axes,
        fc.subarray(["claude", "gpt-5", "nobody knows \u0001 this"]),
        (text, maxTokens, priorities, hints) =>
          comesBack(chosen(text, maxTokens, priorities, hints)),
      ),
      { numRuns: 100 },
    );
  });

  it("comes back byte by byte where nothing in it is as a choice makes it", () => {
    const flag = fc.constant(true as const);
    const candidate = fc.record(
      {
        provider: fc.constantFrom("openai", "nobody", "a b"),
        model: fc.constantFrom("gpt-5", 'strange"\\\u0002'),
        score: fc.oneof(fc.constantFrom(0, 0.5, 1), priority),
        axes: fc.oneof(fc.constant({ cost: 0, speed: 1, intelligence: 1 }), axes),
        measured: fc.record({ p50Ms: count, tokensPerSecond: priority, samples: count }),
        isLate: flag,
        estimated: flag,
        isCopy: flag,
        matchedHint: fc.constantFrom("gpt", "claude"),
        viaEquivalence: flag,
        viaToolLoop: flag,
        isFallback: flag,
        isDefault: flag,
        viaFailover: flag,
      },
      { requiredKeys: ["provider", "model"] },
    );
    const after = fc.subarray([...faultReaches]);
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 60 }),
        fc.array(fc.record({ provider: fc.constant("openai"), model: fc.string(), after })),
        axes,
        (candidates, failover, weights) => comesBack(decision({ candidates, failover, weights })),
      ),
    );
  });

  it("names a model that the list lacks, and keeps what was measured", () => {
    const made = chosen("Say hello.", 500, { cost: 0.7 }, ["sonnet"]);
    const [first, second, ...rest] = made.candidates;
    const unknown = { ...second, model: "not-yet-listed" };
    const changed = {
      ...made,
      candidates: [
        { ...first, measured: { p50Ms: 1_234, tokensPerSecond: 87.5, samples: 32 } },
        unknown,
        ...rest,
      ] as Candidate[],
    };
    expect(packDecision(changed)).toContain("not-yet-listed");
    expect(unpackDecision(packDecision(changed))).toEqual(changed);
  });

  it("takes a tenth of its JSON", () => {
    const made = chosen("Say hello.", 500, { cost: 0.7 }, ["sonnet"]);
    expect(made.candidates.length).toBeGreaterThan(40);
    expect(packDecision(made).length).toBeLessThan(JSON.stringify(made).length / 10);
  });
});

describe("the lists that packed texts refer to", () => {
  it("have every model of the seed: append what is missing", () => {
    const listed = new Set(listedModels);
    expect(
      seedCatalogue.models
        .map(({ provider, id }) => `${provider} ${id}`)
        .filter((name) => !listed.has(name)),
    ).toEqual([]);
    expect(listed.size).toBe(listedModels.length);
  });

  it("keep their order: a text of this version always means the same", () => {
    const meant = decision({
      provider: "anthropic",
      model: "claude-opus-4-8",
      candidates: [
        {
          provider: "anthropic",
          model: "claude-opus-4-8",
          score: 1,
          axes: { cost: 1, speed: 1, intelligence: 0.5 },
          measured: { p50Ms: 1234, tokensPerSecond: 87.5, samples: 32 },
          matchedHint: "claude",
        },
        { provider: "xai", model: "grok-imagine-image-quality", viaFailover: true },
      ],
      excluded: { no_credential: 91 },
      failover: [
        { provider: "anthropic", model: "claude-opus-4-8", after: [] },
        { provider: "xai", model: "grok-imagine-image-quality", after: ["model", "request"] },
      ],
    });
    expect(packDecision(meant)).toMatchInlineSnapshot(`
      "20,80;#'(bq%##!v;P4A_%)",Y"9120680100	20
      800.001test
        !*"}"
    `);
    comesBack(meant);
  });
});

describe("JSON with phrases", () => {
  it("comes back, and is JSON no more where it has one", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = JSON.stringify(JSON.parse(json));
        expect(lengthen(shorten(text))).toBe(text);
      }),
    );
    expect(() => JSON.parse(shorten('{"messages":1,"characters":5}')) as unknown).toThrow(
      SyntaxError,
    );
  });

  it("is no record's where a phrase is not known, as a newer version may write it", () => {
    expect(() => lengthen("\u001f~")).toThrow(SyntaxError);
  });
});
