/** Plots show gaps where nothing was measured and zeros where nothing came. */
import { describe, expect, it } from "vitest";
import {
  durationsOf,
  seriesOf,
  isolatedPoints,
  monthForecast,
  shareOf,
  type LimitState,
  type UsageRow,
} from "../../../src/console/overview-figures.ts";

const hour = 3_600_000;
const options = { bucket: "hour", from: hour, until: 3 * hour } as const;
const row = (at: number, changes: Partial<UsageRow>): UsageRow =>
  ({ at, group: "a", requests: 1, latency: null, ...changes }) as UsageRow;
const percentiles = { p50: 10, p90: 20, p99: 30 };

describe("plots of usage", () => {
  it("have a line for each percentile, with a gap where nothing was measured", () => {
    const latency = { calls: 2, total: percentiles, provider: percentiles, overhead: percentiles };
    const { at, lines } = durationsOf([row(2 * hour, { latency })], options);
    expect(at).toEqual([hour, 2 * hour, 3 * hour]);
    expect(lines).toEqual([
      { name: "p50", values: [null, 10, null] },
      { name: "p90", values: [null, 20, null] },
      { name: "p99", values: [null, 30, null] },
    ]);
  });

  it("have a point for each value that no line reaches", () => {
    expect(isolatedPoints([1, null, 2, 3, null, null, 4])).toEqual([0, 6]);
    expect(isolatedPoints([5])).toEqual([0]);
    expect(isolatedPoints([0, 1])).toEqual([]);
  });

  it("have a line for each group, with 0 where nothing came", () => {
    const rows = [row(hour, { requests: 3 }), row(3 * hour, { group: "b" })];
    expect(seriesOf(rows, { metric: "requests", ...options }).lines).toEqual([
      { name: "a", values: [3, 0, 0] },
      { name: "b", values: [0, 0, 1] },
    ]);
  });
});

describe("figures about money", () => {
  const tenth = Date.UTC(2026, 10, 11);
  const spent = [
    row(Date.UTC(2026, 9, 31), { costUsd: 50 }),
    row(Date.UTC(2026, 10, 1), { costUsd: 2 }),
    row(Date.UTC(2026, 10, 10), { costUsd: 3 }),
  ];
  const money = (changes: Partial<UsageRow>) =>
    ({ inputTokens: 0, outputTokens: 0, ...changes }) as UsageRow;

  it("forecast the month without any budget, if the range has its first day", () => {
    const rows = spent.map(money);
    expect(monthForecast(rows, "30d", tenth)).toBeCloseTo(15);
    expect(monthForecast(rows, "month", tenth)).toBeCloseTo(15);
    expect(monthForecast(rows, "7d", tenth)).toBeNull();
    expect(monthForecast(rows, "month", Date.UTC(2026, 10, 1, 6))).toBeNull();
  });

  it("count what is reserved in the share of a limit, on every page", () => {
    expect(shareOf({ used: 2.6, reserved: 6.4, limit: 100 } as LimitState)).toBeCloseTo(0.09);
    expect(shareOf({ used: 0, reserved: 0, limit: 0 } as LimitState)).toBe(0);
  });
});
