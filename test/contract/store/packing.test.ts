/** What a record's row keeps packed comes back as it was, to the byte that codes and seals cover. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import type { Candidate } from "../../../src/domain/choice/decision.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { decisionText, packDecision, unpackDecision } from "../../../src/store/decisions.ts";
import { listedModels } from "../../../src/store/listed-models.ts";
import { lengthen, shorten } from "../../../src/store/phrases.ts";
import { samplingRequests } from "../../../src/store/schema.ts";
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

describe("a decision", () => {
  it("comes back byte by byte, whatever was asked", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 3_000 }),
        fc.integer({ min: 1, max: 4_000 }),
        axes,
        fc.subarray(["claude", "gpt-5", "nobody knows \u0001 this"]),
        (text, maxTokens, priorities, hints) => {
          const made = chosen(text, maxTokens, priorities, hints);
          expect(JSON.stringify(unpackDecision(packDecision(made)))).toBe(JSON.stringify(made));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("comes back where nothing in it is as a choice makes it", () => {
    const candidate = fc.record(
      {
        provider: fc.constantFrom("openai", "nobody", "a b"),
        model: fc.constantFrom("gpt-5", 'strange"\\\u0002'),
        score: fc.option(priority, { nil: undefined }),
        axes,
        measured: fc.record({ p50Ms: priority, tokensPerSecond: priority, samples: count }),
        matchedHint: fc.string(),
        isLate: fc.constant(true as const),
        estimated: fc.constant(true as const),
        viaFailover: fc.constant(true as const),
      },
      { requiredKeys: ["provider", "model"] },
    );
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 60 }), axes, (candidates, weights) => {
        const made = decision({ candidates: candidates as Candidate[], weights });
        expect(decisionText(unpackDecision(packDecision(made)))).toBe(decisionText(made));
      }),
    );
  });

  it("names a model that the list has not, and keeps what was measured", () => {
    const made = chosen("Say hello.", 500, { cost: 0.7 }, ["sonnet"]);
    const [first, second, ...rest] = made.candidates;
    const changed = {
      ...made,
      candidates: [
        { ...first, measured: { p50Ms: 1_234, tokensPerSecond: 87.5, samples: 32 } },
        { ...second, model: "not-yet-listed" },
        ...rest,
      ] as Candidate[],
    };
    const packed = packDecision(changed);
    expect(packed).toContain("not-yet-listed");
    expect(decisionText(unpackDecision(packed))).toBe(decisionText(changed));
  });

  it("takes a tenth of the JSON that rows of earlier versions have, which is read as well", () => {
    const made = chosen("Say hello.", 500, { cost: 0.7 }, ["sonnet"]);
    const text = decisionText(made);
    expect(made.candidates.length).toBeGreaterThan(40);
    expect(packDecision(made).length).toBeLessThan(text.length / 8);
    expect(unpackDecision(text)).toEqual(made);
  });
});

describe("the lists that packed texts point into", () => {
  it("have every model of the seed: append what is missing", () => {
    const listed = new Set<string>(listedModels);
    expect(
      seedCatalogue.models
        .map(({ provider, id }) => `${provider} ${id}`)
        .filter((name) => !listed.has(name)),
    ).toEqual([]);
    expect(listed.size).toBe(listedModels.length);
  });

  it("keep their order: a text of this version means the same for ever", () => {
    const written =
      '73,100;\u0001#H####v;P4A$2   )",\u001c["\u000291\u000e14\u000373\u0004\u001c,72,\u001c+73\u0005100' +
      "\u00060\u00071\b0\t73\n100\u000b0.001\f2026-11-22\rH 2'\"}";
    const meant = {
      provider: "openai",
      model: "gpt-5",
      candidates: [
        {
          provider: "openai",
          model: "gpt-5",
          score: 1,
          axes: { cost: 1, speed: 1, intelligence: 1 },
          measured: { p50Ms: 1234, tokensPerSecond: 87.5, samples: 32 },
          matchedHint: "gpt",
        },
        {
          provider: "anthropic",
          model: "claude-sonnet-5",
          score: 0,
          axes: { cost: 0, speed: 0, intelligence: 0 },
          viaFailover: true,
        },
      ],
      excluded: { no_credential: 91, retired: 14 },
      requirements: {
        inputModalities: ["text"],
        outputModalities: ["text"],
        tools: false,
        inputTokens: 73,
        inputTokensByFamily: { openai: 72, google: 73 },
        maxTokens: 100,
      },
      weights: { cost: 0, speed: 1, intelligence: 0 },
      estimate: { inputTokens: 73, outputTokens: 100, costUsd: 0.001 },
      catalogueVersion: "2026-11-22",
      notes: [],
      failover: [
        { provider: "openai", model: "gpt-5", after: [] },
        { provider: "anthropic", model: "claude-sonnet-5", after: ["credential", "endpoint"] },
      ],
    };
    expect(JSON.stringify(unpackDecision(written))).toBe(JSON.stringify(meant));
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

describe("attempts", () => {
  const { attempts: column } = samplingRequests;
  const there = (attempts: Attempt[]) =>
    column.mapFromDriverValue(column.mapToDriverValue(attempts));
  const attempt: Attempt = {
    provider: "openai",
    model: "gpt-5",
    status: 200,
    retryable: false,
    credentialId: "cred_1",
    fault: null,
    billed: "yes",
    latencyMs: 900,
    retryAfterMs: null,
  };

  it("come back byte by byte, with models that the list has and has not", () => {
    const made = [attempt, { ...attempt, model: "not-yet-listed" }];
    expect(JSON.stringify(there(made))).toBe(JSON.stringify(made));
    expect(there([])).toEqual([]);
  });

  it("of rows from before are read", () => {
    expect(column.mapFromDriverValue(JSON.stringify([attempt]) as never)).toEqual([attempt]);
  });

  it("can't be read by a version that expects JSON, so it seals no such record", () => {
    for (const made of [[], [attempt]])
      expect(() => JSON.parse(String(column.mapToDriverValue(made))) as unknown).toThrow(
        SyntaxError,
      );
  });
});
