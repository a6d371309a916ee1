/** Percentiles of merged histograms stay within their error bound. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  histogramOfCalls,
  histogramText,
  latencyOf,
  merged,
  noCalls,
  readHistogram,
} from "../../../src/domain/latencies.ts";

const callOf = (total: number, overhead = 0) => ({ total, provider: total - overhead, overhead });
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? 0;

describe("how long calls took", () => {
  it("is within 2.5 % of the exact percentile, and a rounding", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900_000), { minLength: 1, maxLength: 200 }), (times) => {
        const sorted = times.toSorted((a, b) => a - b);
        const latency = latencyOf(histogramOfCalls(times.map((ms) => callOf(ms))));
        expect(latency?.calls).toBe(times.length);
        for (const [name, share] of [
          ["p50", 0.5],
          ["p90", 0.9],
          ["p99", 0.99],
        ] as const) {
          const exact = percentile(sorted, share);
          const found = latency?.total[name] ?? -1;
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.025 + 0.5);
        }
      }),
    );
  });

  it("is the same whether spans of time are added up or counted at once", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60_000)), fc.array(fc.nat(60_000)), (one, other) => {
        const count = (times: number[]) => histogramOfCalls(times.map((ms) => callOf(ms)));
        const apart = merged(count(one), count(other));
        expect(latencyOf(apart)).toEqual(latencyOf(count([...one, ...other])));
        expect(readHistogram(histogramText(apart))).toEqual(apart);
      }),
    );
  });

  it("tells total, provider and overhead apart", () => {
    expect(latencyOf(histogramOfCalls([callOf(100, 20)]))).toMatchObject({
      total: { p50: 101 },
      provider: { p99: 79 },
      overhead: { p90: 20 },
    });
  });

  it("is nothing where no call is counted", () => {
    expect(latencyOf(noCalls)).toBeNull();
  });

  it("counts a duration that is no number as none", () => {
    expect(latencyOf(histogramOfCalls([callOf(Number.NaN)]))?.total.p50).toBe(0);
  });

  it.each(["", "{}", "[]", "[1,2,3]", '[{"1":-1},{},{}]', '[{"x":1},{},{}]', '[{"1":1.5},{},{}]'])(
    "reads no histogram from %j",
    (text) => {
      expect(readHistogram(text)).toBeNull();
    },
  );
});
