/** Prompts are marked for caching where the provider's rules allow it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import {
  cacheRulesOf,
  marksFor,
  maxMarks,
  pieceCountForKey,
  type CacheSituation,
  type PromptPiece,
} from "../../../src/domain/sampling/prompt-caching.ts";

const piece = (of: PromptPiece["of"], tokens = 500, change: Partial<PromptPiece> = {}) => ({
  of,
  tokens,
  markable: true,
  endsMessage: true,
  ...change,
});
const opening = [piece("tools", 2_000), piece("system", 1_000)];
const first = [...opening, piece("user")];
/** Two rounds of tool uses after the first message, each of two uses. */
const round = [
  piece("assistant", 50, { endsMessage: false }),
  piece("assistant", 50),
  piece("user", 300, { endsMessage: false }),
  piece("user", 300),
];
const twoRounds = [...first, ...round, ...round];

const marks = (pieces: PromptPiece[], change: Partial<CacheSituation> = {}): number[] =>
  marksFor({ pieces, minTokens: 1_024, inToolLoop: false, cachedPieces: 0, ...change });

describe("the rules of a provider's cache", () => {
  it("knows the least length of each Claude, in each provider's spelling", () => {
    const least = (id: string, provider = "anthropic") => cacheRulesOf({ provider, id })?.minTokens;
    expect(
      Object.fromEntries(
        seedCatalogue.models
          .filter(({ provider }) => provider === "anthropic")
          .map(({ id }) => [id, least(id)]),
      ),
    ).toEqual({
      "claude-3-5-haiku-20241022": 2_048,
      "claude-3-5-sonnet-20240620": 1_024,
      "claude-3-5-sonnet-20241022": 1_024,
      "claude-3-7-sonnet-20250219": 1_024,
      "claude-3-haiku-20240307": 2_048,
      "claude-3-opus-20240229": 1_024,
      // The documentation no longer names a length for this model.
      "claude-3-sonnet-20240229": 4_096,
      "claude-fable-5": 512,
      "claude-fable-5-1": 512,
      "claude-fable-5-2": 512,
      "claude-haiku-4-5": 4_096,
      "claude-haiku-5-5": 2_048,
      "claude-opus-4-0": 1_024,
      "claude-opus-4-1": 1_024,
      "claude-opus-4-5": 4_096,
      "claude-opus-4-6": 4_096,
      "claude-opus-4-7": 2_048,
      "claude-opus-4-8": 1_024,
      "claude-opus-5": 512,
      "claude-opus-5-5": 512,
      "claude-sonnet-4-0": 1_024,
      "claude-sonnet-4-5": 1_024,
      "claude-sonnet-4-6": 1_024,
      "claude-sonnet-5": 1_024,
      "claude-sonnet-5-5": 1_024,
    });
    expect(least("claude-opus-4-5-20251101")).toBe(4_096);
    expect(least("claude-opus-4-20250514")).toBe(1_024);
    expect(least("claude-opus-4-1-20250805")).toBe(1_024);
    expect(least("claude-opus-5")).toBe(512);
    expect(least("anthropic/claude-haiku-4.5", "openrouter")).toBe(4_096);
    expect(least("anthropic/claude-sonnet-4.5", "openrouter")).toBe(1_024);
  });

  it("takes the largest length for a Claude that it does not know", () => {
    expect(cacheRulesOf({ provider: "anthropic", id: "claude-opus-4-9" })?.minTokens).toBe(4_096);
  });

  it("has no rules where the provider caches by itself, or where the model is no Claude", () => {
    for (const model of seedCatalogue.models)
      if (model.provider !== "anthropic" && model.provider !== "mistral")
        expect(cacheRulesOf(model), `${model.provider}/${model.id}`).toBeNull();
    expect(cacheRulesOf({ provider: "anthropic", id: "kimi-k2" })).toBeNull();
    expect(cacheRulesOf({ provider: "openrouter", id: "openai/gpt-5" })).toBeNull();
    expect(cacheRulesOf({ provider: "somebody", id: "claude-sonnet-4-5" })).toBeNull();
  });
});

describe("where a prompt is marked", () => {
  it("marks nothing of a first call, tools or not", () => {
    expect(marks(first)).toEqual([]);
    expect(marks([piece("user", 50_000)])).toEqual([]);
  });

  it("marks a tool loop after the opening, where the round before ended, and at its end", () => {
    expect(marks([...first, ...round], { inToolLoop: true })).toEqual([1, 2, 6]);
    expect(marks(twoRounds, { inToolLoop: true })).toEqual([1, 6, 10]);
  });

  it("marks again what was seen before, beside the loop's own places", () => {
    expect(marks(twoRounds, { inToolLoop: true, cachedPieces: 3 })).toEqual([1, 2, 6, 10]);
  });

  it("marks the opening alone when only the opening was seen", () => {
    expect(marks(first, { cachedPieces: 2 })).toEqual([1]);
  });

  it("marks the tools alone when the system prompt has changed", () => {
    expect(marks(first, { cachedPieces: 1 })).toEqual([0]);
  });

  it("marks the opening that several calls share, and not the part that differs", () => {
    const [shared, question] = [piece("user", 9_000, { endsMessage: false }), piece("user", 20)];
    expect(marks([...opening, shared, question], { cachedPieces: 3 })).toEqual([1, 2]);
  });

  it("marks the end too when an earlier prompt goes on after its answer", () => {
    const chat = [...first, piece("assistant"), piece("user")];
    expect(marks(chat, { cachedPieces: 3 })).toEqual([1, 2, 4]);
  });

  it("marks no prefix shorter than the model's least length", () => {
    const short = [piece("tools", 600), piece("system", 300), piece("user", 100), ...round];
    expect(marks(short, { inToolLoop: true })).toEqual([6]);
    expect(marks(short, { inToolLoop: true, minTokens: 4_096 })).toEqual([]);
  });

  it("counts a least length as long enough, and one token less as too short", () => {
    expect(marks([piece("system", 1_024), piece("user", 1)], { cachedPieces: 1 })).toEqual([0]);
    expect(marks([piece("system", 1_023), piece("user", 1)], { cachedPieces: 1 })).toEqual([]);
  });

  it("marks the piece before a piece that takes no mark", () => {
    const ends = [...twoRounds.slice(0, -1), piece("user", 300, { markable: false })];
    expect(marks(ends, { inToolLoop: true })).toEqual([1, 6, 9]);
    expect(marks([piece("user", 9_000, { markable: false })], { cachedPieces: 1 })).toEqual([]);
  });

  it("never marks more than four pieces, a piece twice, or a short or unmarkable prefix", () => {
    const anyPiece = fc.record({
      of: fc.constantFrom<PromptPiece["of"]>("user", "assistant"),
      tokens: fc.nat(3_000),
      markable: fc.boolean(),
      endsMessage: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyPiece, { maxLength: 40 }),
        fc.boolean(),
        fc.nat(45),
        (pieces, inToolLoop, count) => {
          const all = [...opening, ...pieces];
          const found = marks(all, { inToolLoop, cachedPieces: Math.min(count, all.length) });
          expect(found.length).toBeLessThanOrEqual(maxMarks);
          expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
          for (const at of found) {
            expect(all[at]?.markable).toBe(true);
            const tokens = all.slice(0, at + 1).reduce((sum, each) => sum + each.tokens, 0);
            expect(tokens).toBeGreaterThanOrEqual(1_024);
          }
        },
      ),
    );
  });
});

describe("what a cache key stands for", () => {
  it("is the opening where that is long, whatever the messages", () => {
    expect(pieceCountForKey(twoRounds, 64)).toBe(2);
  });

  it("is the opening and the first message where the opening is short", () => {
    const words = [piece("system", 20), piece("user", 9, { endsMessage: false }), piece("user", 9)];
    expect(pieceCountForKey([...words, ...round], 64)).toBe(3);
    expect(pieceCountForKey([piece("user"), ...round], 64)).toBe(1);
  });
});
