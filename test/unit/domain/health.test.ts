import { describe, expect, it } from "vitest";
import {
  expectedMs,
  isOpen,
  measuredFrom,
  openUntil,
  type Sample,
} from "../../../src/domain/health.ts";

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

  it("follows within minutes what became slow, however long it was fast", () => {
    const fast = Array.from({ length: 20 }, () => sample(500, 30 * minute));
    const slow = Array.from({ length: 5 }, () => sample(20_000, minute));
    expect(measuredFrom([...slow, ...fast], now)?.p50Ms).toBe(20_000);
  });

  it("weighs against the tier by how much was seen", () => {
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

describe("a circuit", () => {
  const after = (failures: number, retryAfterMs: number | null = null) => ({
    failures,
    failedAt: failures === 0 ? null : now,
    retryAfterMs,
  });

  it("stays closed for two faults, and opens with the third", () => {
    expect([0, 1, 2].map((count) => isOpen(after(count), now))).toEqual([false, false, false]);
    expect(isOpen(after(3), now)).toBe(true);
  });

  it("stays open twice as long each time, five minutes at most, then is tried again", () => {
    expect([3, 4, 5, 6, 7, 8, 60].map((count) => (openUntil(after(count)) ?? 0) - now)).toEqual([
      15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000,
    ]);
    expect(isOpen(after(3), now + 15_000)).toBe(false);
  });

  it("believes a provider that says when to come back, up to a bound", () => {
    expect(isOpen(after(1, 7_000), now + 6_999)).toBe(true);
    expect(isOpen(after(1, 7_000), now + 7_000)).toBe(false);
    expect((openUntil(after(1, 86_400_000)) ?? 0) - now).toBe(300_000);
  });
});
