/**
 * More of the choice, a line each: what other routers get wrong, then prices, measurements, circuits
 * and media. `selection.test.ts` has the first forty and the properties.
 */
import { describe, expect, it } from "vitest";
import type { Circuit } from "../../../src/domain/choice/circuits.ts";
import type { PoolParts } from "../../../src/domain/choice/model-pool.ts";
import type { Health } from "../../../src/domain/choice/health.ts";
import type { Block, SamplingCall } from "../../../src/domain/sampling/call.ts";
import { type Candidate } from "../../../src/domain/choice/decision.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, model, models } from "./models.fixture.ts";

const { big, small, sonnet, haiku, flash, painter, speaker } = models;
const now = 10_000_000;
const image: Block = { type: "image", data: "aGk=", mimeType: "image/png" };
const said = (...content: Block[]) => ({ messages: [{ role: "user" as const, content }] });
const words = (count: number): Block => ({ type: "text", text: "word ".repeat(count) });
const cheap = { cost: 1, speed: 0, intelligence: 0 };
const fast = { cost: 0, speed: 1, intelligence: 0 };
const clever = { cost: 0, speed: 0, intelligence: 1 };

const health = (its: { provider: string; id: string }, fields: Partial<Health>): Health => ({
  credentialId: `cred_${its.provider}`,
  model: `${its.provider}/${its.id}`,
  samples: [],
  ...fields,
});
/** A circuit of a model with so many faults, the last one so many ms ago. */
const failed = (
  its: { provider: string; id: string },
  count: number,
  { ago = 1, retryAfterMs = null }: { ago?: number; retryAfterMs?: number | null } = {},
): Circuit => ({
  scope: `model cred_${its.provider} ${its.provider}/${its.id}`,
  faults: Array.from({ length: count }, () => ({ began: now - ago, at: now - ago, retryAfterMs })),
  probeUntil: null,
  updatedAt: now - ago,
});
const took = (ms: number, outputTokens = 100, count = 8) =>
  Array.from({ length: count }, () => ({ at: now, ms, outputTokens }));

const twin = (name: string, fields: Parameters<typeof model>[1]) => model(name, fields);
const unpriced = twin("openai/unpriced", { inputUsdPerMTok: null, outputUsdPerMTok: null });
const half = twin("openai/half-priced", { inputUsdPerMTok: 0.001, outputUsdPerMTok: null });
const tiered = twin("google/tiered", {
  inputUsdPerMTok: 0.5,
  outputUsdPerMTok: 1,
  priceTiers: [{ aboveInputTokens: 1_000, inputUsdPerMTok: 50, outputUsdPerMTok: 100 }],
});
const flat = twin("openai/flat", { inputUsdPerMTok: 1, outputUsdPerMTok: 2 });
const reader = twin("openai/reader", { inputUsdPerMTok: 0.1, outputUsdPerMTok: 50 });
const writer = twin("google/writer", { inputUsdPerMTok: 5, outputUsdPerMTok: 1 });
const long = twin("openai/long-output", { outputTokens: 100_000, intelligence: 1 });
const hosted = twin("google/claude-sonnet-9-hosted", { family: "claude-sonnet", intelligence: 4 });

interface Scenario {
  when: string;
  call?: Partial<SamplingCall>;
  field?: Partial<PoolParts>;
  chosen: { provider: string; id: string };
  /** of the chosen model */
  candidate?: Partial<Candidate>;
}

const scenarios: Scenario[] = [
  // Mistakes of LiteLLM's sampling handler.
  {
    when: "a hint names a model that can't see the image: it is no candidate, whatever the hint says",
    call: { ...said(image), hints: ["gpt-small"], priorities: cheap },
    chosen: flash,
  },
  {
    when: "a hint names a model whose window is too small for the messages",
    call: { ...said(words(220_000)), hints: ["haiku"], priorities: cheap },
    chosen: flash,
  },
  {
    when: "the first hint matches several: priorities still choose, here by cost",
    call: { hints: ["claude"], priorities: cheap },
    chosen: haiku,
    candidate: { matchedHint: "claude" },
  },
  {
    when: "the first hint matches several: priorities still choose, here by intelligence",
    call: { hints: ["claude"], priorities: clever },
    chosen: sonnet,
    candidate: { matchedHint: "claude" },
  },
  {
    when: "a model may write much: that makes it no cleverer",
    call: { priorities: clever },
    field: { models: [long, sonnet] },
    chosen: sonnet,
  },
  {
    when: "speed has data: the model that answered fast wins over the one that should",
    call: { priorities: fast },
    field: { now, health: [health(flash, { samples: took(40_000) })] },
    chosen: small,
  },
  {
    when: "a price is unknown: it is the dearest, not free",
    call: { priorities: cheap },
    field: { models: [unpriced, big] },
    chosen: big,
  },
  {
    when: "half of a price is unknown: so is the whole",
    call: { priorities: cheap },
    field: { models: [half, big] },
    chosen: big,
  },
  {
    when: "the prompt is long: the price of reading decides",
    call: { ...said(words(20_000)), maxTokens: 10, priorities: cheap },
    field: { models: [reader, writer] },
    chosen: reader,
  },
  {
    when: "the answer is long: the price of writing decides",
    call: { ...said(words(10)), maxTokens: 10_000, priorities: cheap },
    field: { models: [reader, writer] },
    chosen: writer,
  },
  // Prices with tiers.
  {
    when: "the input stays below a price tier",
    call: { ...said(words(100)), priorities: cheap },
    field: { models: [tiered, flat] },
    chosen: tiered,
  },
  {
    when: "the input passes a price tier: the whole request costs more",
    call: { ...said(words(2_000)), priorities: cheap },
    field: { models: [tiered, flat] },
    chosen: flat,
  },
  // Measurements.
  {
    when: "two answers were seen: too few, the tier still stands",
    call: { priorities: fast },
    field: { now, health: [health(flash, { samples: took(40_000, 100, 2) })] },
    chosen: flash,
  },
  {
    when: "answers were long, and quick for their length: tokens per second count too",
    call: { priorities: fast },
    field: {
      models: [haiku, small],
      now,
      health: [
        health(haiku, { samples: took(4_000, 2_000) }),
        health(small, { samples: took(3_500, 20) }),
      ],
    },
    chosen: haiku,
  },
  {
    when: "a model was slow an hour ago and is fast now",
    call: { priorities: fast },
    field: {
      now,
      health: [
        health(flash, {
          samples: [
            ...took(500, 100, 4),
            ...took(40_000).map((s) => ({ ...s, at: now - 3_600_000 })),
          ],
        }),
      ],
    },
    chosen: flash,
    candidate: { measured: { p50Ms: 500, tokensPerSecond: 200, samples: 12 } },
  },
  // Circuits.
  {
    when: "two faults in a row: the next best, until the circuit has been open for its time",
    call: { priorities: fast },
    field: { now, circuits: [failed(flash, 2)] },
    chosen: small,
  },
  {
    when: "two faults, but a while ago: it is tried again",
    call: { priorities: fast },
    field: { now, circuits: [failed(flash, 2, { ago: 15_000 })] },
    chosen: flash,
  },
  {
    when: "one fault is bad luck",
    call: { priorities: fast },
    field: { now, circuits: [failed(flash, 1)] },
    chosen: flash,
  },
  {
    when: "one fault with a Retry-After is believed",
    call: { priorities: fast },
    field: { now, circuits: [failed(flash, 1, { retryAfterMs: 5_000 })] },
    chosen: small,
  },
  {
    when: "the circuit of one credential is open and another serves the model",
    call: { priorities: fast },
    field: {
      credentials: [credential("google"), credential("google", { id: "second" })],
      now,
      circuits: [failed(flash, 9)],
    },
    chosen: flash,
  },
  {
    when: "another credential's fault is not this one's",
    call: { priorities: fast },
    field: {
      now,
      circuits: [failed({ provider: "openai", id: flash.id }, 9)],
    },
    chosen: flash,
  },
  // Equivalents.
  {
    when: "a hinted model has no credential and its line is served elsewhere: that is a match",
    call: { hints: ["anthropic/claude-sonnet-9"], priorities: cheap },
    field: {
      models: [sonnet, hosted, flash, small],
      credentials: [credential("google"), credential("openai")],
    },
    chosen: hosted,
    candidate: { matchedHint: "anthropic/claude-sonnet-9" },
  },
  {
    when: "a hint names a model that is gone: its successor comes before a later hint",
    call: { hints: ["gpt-old", "flash"], priorities: clever },
    chosen: big,
    candidate: { matchedHint: "gpt-old" },
  },
  {
    when: "a later hint matches a feasible model: equivalents of the first don't come in",
    call: { hints: ["claude-sonnet-9", "flash"], priorities: clever },
    field: { credentials: [credential("google"), credential("openai")] },
    chosen: flash,
    candidate: { matchedHint: "flash" },
  },
  // Media.
  {
    when: "an image is wanted and maxTokens is far beyond what an image model writes",
    call: { outputModalities: ["image"], maxTokens: 1_000_000 },
    field: { models: [{ ...painter, outputModalities: ["image"], outputTokens: 10 }] },
    chosen: painter,
  },
  {
    when: "speech is wanted from a model with a small window of its own",
    call: { outputModalities: ["audio"], maxTokens: 100_000 },
    field: { models: [{ ...speaker, contextTokens: 4_000, outputTokens: null }] },
    chosen: speaker,
  },
  {
    when: "an unknown window and an unknown output limit exclude nobody",
    call: { maxTokens: 500_000 },
    field: { models: [{ ...big, contextTokens: null, outputTokens: null }] },
    chosen: big,
  },
  {
    when: "a temperature is asked of a model that takes none: it is dropped later, and excludes nobody",
    call: { temperature: 0.2, stopSequences: ["\n"], priorities: clever },
    field: { models: [{ ...big, temperature: false, reasoning: true }, small] },
    chosen: big,
  },
];

describe("the choice, when", () => {
  it.each(scenarios)("$when", ({ call: fields, field: within, chosen, candidate }) => {
    const plan = choose(call(fields), field(within));
    if (!plan.ok) throw new Error(`refused: ${JSON.stringify(plan.error)}`);
    const { decision } = plan.value;
    expect(`${decision.provider}/${decision.model}`).toBe(`${chosen.provider}/${chosen.id}`);
    if (candidate !== undefined) expect(decision.candidates[0]).toMatchObject(candidate);
  });
});
