/** Measured latency adjusts a model's speed class gradually and by the median. */
import { describe, expect, it } from "vitest";
import { expectedMs, measuredFrom, type Sample } from "../../../src/domain/choice/health.ts";

const minute = 60_000;
const now = 1_000 * minute;
const sample = (ms: number, ago = 0, outputTokens = 100): Sample => ({
  at: now - ago,
  ms,
  outputTokens,
});

describe("what was measured", () => {
  it("says nothing of fewer than three answers", () => {
    expect(measuredFrom([sample(1_000), sample(1_000)], now)).toBeNull();
  });

  it("is the median, so that one slow answer changes nothing", () => {
    const samples = [sample(1_000), sample(1_000), sample(60_000)];
    expect(measuredFrom(samples, now)).toEqual({ p50Ms: 1_000, tokensPerSecond: 100, samples: 3 });
  });

  it("shows within minutes that a model became slow, however long it was fast", () => {
    const fast = Array.from({ length: 20 }, () => sample(500, 30 * minute));
    const slow = Array.from({ length: 5 }, () => sample(20_000, minute));
    expect(measuredFrom([...slow, ...fast], now)?.p50Ms).toBe(20_000);
  });

  it("weighs more against the tier the more answers were measured", () => {
    const prior = expectedMs(5, null);
    const few = expectedMs(5, { p50Ms: 30_000, tokensPerSecond: 5, samples: 3 });
    const many = expectedMs(5, { p50Ms: 30_000, tokensPerSecond: 5, samples: 32 });
    expect(prior).toBeLessThan(few);
    expect(few).toBeLessThan(many);
  });

  it("knows faster tiers as faster", () => {
    const times = ([1, 2, 3, 4, 5] as const).map((tier) => expectedMs(tier, null));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(expectedMs(null, null)).toBe(expectedMs(3, null));
  });
});
