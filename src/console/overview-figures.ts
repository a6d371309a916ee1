/** Sums and forecasts of usage and limits. Pure, for tests. */
import type { Schemas } from "./api.ts";
import { compact, duration, oneDay, usd, usdInCents } from "./format.ts";

export type UsageRow = Schemas["Usage"];
export type LimitState = Schemas["LimitState"];

export const ranges = {
  "24h": { title: "24 hours", days: 1, bucket: "hour" },
  "7d": { title: "7 days", days: 7, bucket: "day" },
  "30d": { title: "30 days", days: 30, bucket: "day" },
  "90d": { title: "90 days", days: 90, bucket: "day" },
  month: { title: "This month", months: 1, bucket: "day" },
  "12m": { title: "12 months", months: 12, bucket: "month" },
} as const;
export type RangeName = keyof typeof ranges;
export const rangeIn = ({ range = "" }: Readonly<Record<string, string>>): RangeName =>
  range in ranges ? (range as RangeName) : "30d";

/** ms since the epoch; whole days and months in UTC, with the current one. */
export function rangeAt(name: RangeName, now: number): { from: number; to: number } {
  const range = ranges[name];
  const date = new Date(now);
  if ("months" in range) date.setUTCMonth(date.getUTCMonth() - range.months + 1, 1);
  else date.setUTCDate(date.getUTCDate() - range.days + 1);
  const from = range.bucket === "hour" ? now - oneDay : date.setUTCHours(0, 0, 0, 0);
  return { from, to: now + 1 };
}

const usdInPlot = (value: number): string => (value < 0.01 ? usd : usdInCents)(value);
export const percentiles = ["p50", "p90", "p99"] as const;
type Percentile = (typeof percentiles)[number];
type Of = (row: UsageRow) => number;
/** Outcomes that count as failed or refused, as a filter of requests. */
export const failedOrRefused = "failed,refused,unknown";
export const errorsOf = (row: Omit<UsageRow, "at">): number =>
  row.failed + row.refused + row.unknown;
const metric = (title: string, of: Of, format = compact) => ({ title, of, format });
export const metrics = {
  costUsd: metric("Spend", (row) => row.costUsd, usdInPlot),
  requests: metric("Requests", (row) => row.requests),
  tokens: metric("Tokens", (row) => row.inputTokens + row.outputTokens),
  errors: metric("Errors", errorsOf),
  duration: metric("Duration", (row) => row.latency?.total[row.group as Percentile] ?? 0, duration),
};
export type MetricName = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as MetricName[];

const summed = ["requests", "errors", "tokens", "costUsd"] as const;
export type Totals = Record<(typeof summed)[number], number>;

export const totalsOf = (rows: readonly UsageRow[]): Totals =>
  Object.fromEntries(
    summed.map((name) => [name, rows.reduce((sum, row) => sum + metrics[name].of(row), 0)]),
  ) as Totals;

export const totalsByGroup = (rows: readonly UsageRow[]): Map<string, Totals> =>
  new Map(
    [...Map.groupBy(rows, ({ group }) => group)]
      .map(([group, its]) => [group, totalsOf(its)] as const)
      .toSorted(([, one], [, other]) => other.costUsd - one.costUsd),
  );

/** A group for each percentile, of rows over all models: percentiles can't be added. */
export const byPercentile = (rows: readonly UsageRow[]): UsageRow[] =>
  percentiles.flatMap((group) =>
    rows.flatMap((row) => (row.latency === null ? [] : { ...row, group })),
  );

export type Bucket = "hour" | "day" | "month";

export interface Series {
  /** ms since the epoch, the start of each bucket, without gaps */
  at: number[];
  /** `null` without a measurement */
  lines: { name: string; color: number; values: (number | null)[] }[];
}

interface SeriesOptions {
  metric: MetricName;
  bucket: Bucket;
  /** ms since the epoch */
  from: number;
  to: number;
}

const bucketMs = { hour: 3_600_000, day: oneDay };

function beginsOf({ bucket, from, to }: SeriesOptions): number[] {
  const first = new Date(from);
  const beginAt = (step: number): number =>
    bucket === "month"
      ? Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + step, 1)
      : (Math.floor(from / bucketMs[bucket]) + step) * bucketMs[bucket];
  const begins: number[] = [];
  while (beginAt(begins.length) <= to) begins.push(beginAt(begins.length));
  return begins;
}

/** A round distance, of which at most five reach `max`. */
export function stepOf(max: number): number {
  const least = (max || 5) / 5;
  const scale = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((each) => each * scale >= least) ?? 10) * scale;
}

/** SVG paths for each line, a unit wide for each bucket and a unit high. Stacked: bars, otherwise lines with gaps. */
export function marksOf(
  { at, lines }: Series,
  { top, isStacked }: { top: number; isStacked: boolean },
): string[] {
  const below = at.map(() => 0);
  const heightOf = (value: number): number => 1 - value / top;
  return lines.map(({ values }) =>
    values
      .map((value, x) => {
        if (value === null) return "";
        // An isolated value is a point.
        if (!isStacked)
          return `${(values[x - 1] ?? null) === null ? "M" : "L"}${x + 0.5} ${heightOf(value)}h.05`;
        const base = below[x] ?? 0;
        below[x] = base + value;
        return value === 0 ? "" : `M${x + 0.1} ${heightOf(base)}h.8V${heightOf(base + value)}h-.8z`;
      })
      .join(""),
  );
}

const maxLines = 6;
export const others = "all others";
export const othersColor = maxLines - 1;

/** Kept, or else one that no name had, or else one that no other shown name has. */
function colorIn(colors: Map<string, number>, name: string, shown: readonly string[]): number {
  const taken = new Set(shown.map((each) => (each === name ? null : colors.get(each))));
  const free = [...Array(maxLines).keys()].filter((color) => !taken.has(color));
  const unused = free.find((color) => ![...colors.values()].includes(color));
  const color = free.find((each) => each === colors.get(name)) ?? unused ?? free[0] ?? 0;
  colors.set(name, color);
  return color;
}

/**
 * The largest groups, and the sum of all others. Missing buckets are 0, or without a measurement.
 * @param colors by name, of what was shown before
 */
export function seriesOf(
  rows: readonly UsageRow[],
  options: SeriesOptions,
  colors = new Map<string, number>(),
): Series {
  const { of } = metrics[options.metric];
  const sum = (its: readonly UsageRow[]): number => its.reduce((all, row) => all + of(row), 0);
  const byGroup = [...Map.groupBy(rows, ({ group }) => group)].toSorted(
    ([, one], [, other]) => sum(other) - sum(one),
  );
  const shown = byGroup.length > maxLines ? maxLines - 1 : maxLines;
  const rest = byGroup.slice(shown).flatMap(([, its]) => its);
  const all = [...byGroup.slice(0, shown), ...(rest.length > 0 ? [[others, rest] as const] : [])];
  const names = all.map(([name]) => name);
  const at = beginsOf(options);
  const lines = all.map(([name, its]) => {
    const byTime = Map.groupBy(its, (row) => row.at);
    const missing = options.metric === "duration" ? null : 0;
    const values = at.map((begin) => (byTime.has(begin) ? sum(byTime.get(begin) ?? []) : missing));
    return { name, color: colorIn(colors, name, names), values };
  });
  return { at, lines };
}

/** Forecasts at the start of a period are noise. */
const minShare = 0.02;

/** Linear extrapolation; `null` if too early. */
export function projected(
  used: number,
  { from, until }: { from: number; until: number },
  now: number,
): number | null {
  const share = (now - from) / (until - from);
  return share < minShare ? null : used / share;
}

/** At the end of the day, week or month; `null` for other limits. */
export function forecastOf({ name, used, resetsAt }: LimitState, now: number): number | null {
  if (resetsAt === null) return null;
  // Then the next month has started in UTC in every time zone.
  const next = new Date(resetsAt + 0.75 * oneDay);
  const ofMonth = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth(), 0)).getUTCDate();
  const lengths: Readonly<Record<string, number>> = { Day: 1, Week: 7, Month: ofMonth };
  const days = lengths[name.split("Per").at(-1) ?? ""];
  if (days === undefined) return null;
  return projected(used, { from: resetsAt - days * oneDay, until: resetsAt }, now);
}

/** Without reserved amounts, which are shown separately. */
export const shareOf = ({ used, limit }: LimitState): number => used / (limit || 1);

/** The tenant's, also of the operator. */
export const isOwn = ({ name }: LimitState): boolean => /^(?:tenant|ceiling)\./.test(name);

/** Exceeded ones first, then by share. */
export const byFullness = (one: LimitState, other: LimitState): number =>
  Number(other.left <= 0) - Number(one.left <= 0) || shareOf(other) - shareOf(one);

/** By forecast, so that a budget that will be exceeded is a warning. */
export function toneOf(state: LimitState, now: number): "good" | "warn" | "bad" {
  const { used, reserved, limit } = state;
  if (used + reserved >= limit) return "bad";
  if ((forecastOf(state, now) ?? 0) > limit) return "warn";
  return used + reserved >= 0.8 * limit ? "warn" : "good";
}
