/** Plots show gaps where nothing was measured and zeros where nothing came. */
import { describe, expect, it } from "vitest";
import {
  byFullness,
  byPercentile,
  forecastOf,
  marksOf,
  others,
  othersColor,
  seriesOf,
  projected,
  rangeAt,
  shareOf,
  stepOf,
  type LimitState,
  type UsageRow,
} from "../../../src/console/overview-figures.ts";

const hour = 3_600_000;
const options = { bucket: "hour", from: hour, to: 3 * hour } as const;
const row = (at: number, changes: Partial<UsageRow>): UsageRow =>
  ({ at, group: "a", requests: 1, latency: null, ...changes }) as UsageRow;
const percentiles = { p50: 10, p90: 20, p99: 30 };

describe("plots of usage", () => {
  it("have a line for each percentile, with a gap where nothing was measured", () => {
    const latency = { calls: 2, total: percentiles, provider: percentiles, overhead: percentiles };
    const rows = byPercentile([row(hour, {}), row(2 * hour, { latency })]);
    const { at, lines } = seriesOf(rows, { metric: "duration", ...options });
    expect(at).toEqual([hour, 2 * hour, 3 * hour]);
    expect(lines).toEqual([
      { name: "p99", color: 0, values: [null, 30, null] },
      { name: "p90", color: 1, values: [null, 20, null] },
      { name: "p50", color: 2, values: [null, 10, null] },
    ]);
  });

  it("have a point for each value that no line reaches", () => {
    const series = { at: [0, 1, 2], lines: [{ name: "p50", color: 0, values: [1, null, 4] }] };
    expect(marksOf(series, { top: 4, isStacked: false })).toEqual(["M0.5 0.75h.05M2.5 0h.05"]);
  });

  it("have bars that stand on each other, and none for 0", () => {
    const lines = [
      { name: "a", color: 0, values: [1, 0] },
      { name: "b", color: 1, values: [1, 2] },
    ];
    expect(marksOf({ at: [0, 1], lines }, { top: 2, isStacked: true })).toEqual([
      "M0.1 1h.8V0.5h-.8z",
      "M0.1 0.5h.8V0h-.8zM1.1 1h.8V0h-.8z",
    ]);
  });

  it("have round distances on their axis, also without any value", () => {
    expect([0, 4, 5.1, 23, 0.03, 700].map(stepOf)).toEqual([1, 1, 2, 5, 0.01, 200]);
  });

  it("have a line for each group, with 0 where nothing came", () => {
    const rows = [row(hour, { requests: 3 }), row(3 * hour, { group: "b" })];
    expect(seriesOf(rows, { metric: "requests", ...options }).lines).toEqual([
      { name: "a", color: 0, values: [3, 0, 0] },
      { name: "b", color: 1, values: [0, 0, 1] },
    ]);
  });

  it("keep a group's color in each figure and period, and have six colors", () => {
    const rows = ["a", "b", "c", "d", "e", "f", "g", "h"].map((group, at) =>
      row(hour, { group, costUsd: 10 - at, requests: at + 1 }),
    );
    const colors = new Map([[others, othersColor]]);
    const colorsIn = (metric: "costUsd" | "requests", among = rows) =>
      seriesOf(among, { metric, ...options }, colors).lines.map(
        ({ name, color }) => `${name} ${color}`,
      );
    expect(colorsIn("costUsd", rows.slice(1, 4))).toEqual(["b 0", "c 1", "d 2"]);
    expect(colorsIn("costUsd")).toEqual(["a 3", "b 0", "c 1", "d 2", "e 4", "all others 5"]);
    expect(colorsIn("requests")).toEqual(["h 0", "g 1", "f 3", "e 4", "d 2", "all others 5"]);
    expect(colorsIn("costUsd", rows.slice(0, 2))).toEqual(["a 3", "b 0"]);
    // Two that had the same color are shown together.
    expect(colorsIn("costUsd", [...rows.slice(0, 2), ...rows.slice(7)])).toEqual([
      "a 3",
      "b 1",
      "h 0",
    ]);
  });

  it("cover whole days and months, with the current one", () => {
    const now = Date.UTC(2026, 2, 31, 15);
    const begins = (["24h", "7d", "month", "12m"] as const).map((name) =>
      new Date(rangeAt(name, now).from).toISOString().slice(0, 13),
    );
    expect(begins).toEqual(["2026-03-30T15", "2026-03-25T00", "2026-03-01T00", "2025-04-01T00"]);
  });

  it("put exceeded limits before those with a higher share", () => {
    const limits = [
      { used: 0, limit: 5, left: 5 },
      { used: 3, limit: 4, left: 1 },
      { used: 1, limit: 2, reserved: 1, left: 0 },
      { used: 6, limit: 5, left: 0 },
    ] as LimitState[];
    expect(limits.toSorted(byFullness).map(({ used }) => used)).toEqual([6, 1, 3, 0]);
  });
});

describe("figures about money", () => {
  const tenth = Date.UTC(2026, 10, 11);
  const day = 86_400_000;
  const limit = (changes: Partial<LimitState>) =>
    ({ used: 3, reserved: 0, limit: 9, resetsAt: tenth, ...changes }) as LimitState;

  it("forecast the month from what is spent in it, unless it has just begun", () => {
    const month = { from: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 11, 1) };
    expect(projected(5, month, tenth)).toBeCloseTo(15);
    expect(projected(5, month, Date.UTC(2026, 10, 1, 6))).toBeNull();
  });

  it("forecast a limit's period, in any time zone, and nothing else", () => {
    expect(forecastOf(limit({ name: "key.usdPerDay" }), tenth - day / 2)).toBeCloseTo(6);
    expect(forecastOf(limit({ name: "key.requestsPerWeek" }), tenth - 3.5 * day)).toBeCloseTo(6);
    for (const hours of [-12, 0, 14]) {
      const resetsAt = Date.UTC(2026, 11, 1, hours);
      const state = limit({ name: "tenant.usdPerMonth", resetsAt });
      expect(forecastOf(state, resetsAt - 15 * day)).toBeCloseTo(6);
    }
    expect(forecastOf(limit({ name: "key.usdPerMinute" }), tenth)).toBeNull();
    expect(forecastOf(limit({ name: "key.usdTotal", resetsAt: null }), tenth)).toBeNull();
  });

  it("leave what is reserved out of the share of a limit, on every page", () => {
    expect(shareOf(limit({ reserved: 6 }))).toBeCloseTo(1 / 3);
    expect(shareOf(limit({ used: 0, limit: 0 }))).toBe(0);
  });
});
