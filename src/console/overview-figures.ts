/** Sums and forecasts of usage and limits. Pure, for tests. */
import type { Schemas } from "./api.ts";

export type UsageRow = Schemas["Usage"];
export type LimitState = Schemas["LimitState"];

export const ranges = {
  "24h": { title: "24 hours", ms: 86_400_000, bucket: "hour" },
  "7d": { title: "7 days", ms: 7 * 86_400_000, bucket: "hour" },
  "30d": { title: "30 days", ms: 30 * 86_400_000, bucket: "day" },
  "90d": { title: "90 days", ms: 90 * 86_400_000, bucket: "day" },
  month: { title: "This month", ms: null, bucket: "day" },
  "12m": { title: "12 months", ms: 365 * 86_400_000, bucket: "month" },
} as const;
export type RangeName = keyof typeof ranges;

/** ms since the epoch; months are in UTC. */
export function rangeAt(name: RangeName, now: number): { from: number; to: number } {
  const { ms } = ranges[name];
  const date = new Date(now);
  const from = ms === null ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) : now - ms;
  return { from, to: now + 1 };
}

export const metrics = {
  costUsd: { title: "Spend", of: (row: UsageRow) => row.costUsd },
  requests: { title: "Requests", of: (row: UsageRow) => row.requests },
  tokens: { title: "Tokens", of: (row: UsageRow) => row.inputTokens + row.outputTokens },
  errors: { title: "Errors", of: (row: UsageRow) => row.failed + row.refused + row.unknown },
  duration: { title: "Duration", of: (row: UsageRow) => row.latency?.total.p50 ?? 0 },
} as const;
export type MetricName = keyof typeof metrics;

export interface Totals {
  requests: number;
  succeeded: number;
  errors: number;
  tokens: number;
  costUsd: number;
}

export function totalsOf(rows: readonly UsageRow[]): Totals {
  const sum = (of: (row: UsageRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  return {
    requests: sum(metrics.requests.of),
    succeeded: sum(({ succeeded }) => succeeded),
    errors: sum(metrics.errors.of),
    tokens: sum(metrics.tokens.of),
    costUsd: sum(metrics.costUsd.of),
  };
}

/** Highest cost first. */
export const totalsByGroup = (rows: readonly UsageRow[]): Map<string, Totals> =>
  new Map(
    [...Map.groupBy(rows, ({ group }) => group)]
      .map(([group, its]) => [group, totalsOf(its)] as const)
      .toSorted(([, one], [, other]) => other.costUsd - one.costUsd),
  );

export type Bucket = "hour" | "day" | "month";

export interface Series {
  /** ms since the epoch, the start of each bucket, without gaps */
  at: number[];
  /** `null` without a measurement */
  lines: { name: string; values: (number | null)[] }[];
}

const bucketMs = { hour: 3_600_000, day: 86_400_000 };

function beginsOf({ bucket, from, until }: Omit<SeriesOptions, "metric">): number[] {
  if (bucket === "month") {
    const [first, last] = [new Date(from), new Date(until)];
    const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
    return Array.from({ length: monthOf(last) - monthOf(first) + 1 }, (_, at) =>
      Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + at, 1),
    );
  }
  const width = bucketMs[bucket];
  const first = Math.floor(from / width) * width;
  const buckets = Math.floor((until - first) / width) + 1;
  return Array.from({ length: buckets }, (_, at) => first + at * width);
}

/** Only from rows over all models: percentiles can't be added. */
export function durationsOf(
  rows: readonly UsageRow[],
  options: Omit<SeriesOptions, "metric">,
): Series {
  const begins = beginsOf(options);
  const found = new Map(rows.map(({ at, latency }) => [at, latency?.total]));
  const lines = (["p50", "p90", "p99"] as const).map((name) => ({
    name,
    values: begins.map((at) => found.get(at)?.[name] ?? null),
  }));
  return { at: begins, lines };
}

/** Isolated values, which a line doesn't show, are drawn as points. */
export const isolatedPoints = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
      ? [at]
      : [],
  );

const maxLines = 6;
export const others = "all others";

interface SeriesOptions {
  metric: MetricName;
  bucket: Bucket;
  /** ms since the epoch */
  from: number;
  until: number;
}

/** The largest groups, and the sum of all others. Missing buckets are 0. */
export function seriesOf(rows: readonly UsageRow[], { metric, ...options }: SeriesOptions): Series {
  const { of } = metrics[metric];
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.group, (sums.get(row.group) ?? 0) + of(row));
  const byPart = [...sums.entries()].toSorted(([, a], [, b]) => b - a).map(([group]) => group);
  const own = byPart.length > maxLines ? byPart.slice(0, maxLines - 1) : byPart;
  const begins = beginsOf(options);
  const places = new Map(begins.map((at, place) => [at, place]));
  const names = own.length < byPart.length ? [...own, others] : own;
  const lines = names.map((name) => ({ name, values: begins.map(() => 0) }));
  for (const row of rows) {
    const line = lines.find(({ name }) => name === row.group) ?? lines.at(-1);
    const at = places.get(row.at);
    if (line !== undefined && at !== undefined) line.values[at] = (line.values[at] ?? 0) + of(row);
  }
  return { at: begins, lines };
}

const dayMs = 86_400_000;

const monthAt = (now: number): { from: number; until: number } => {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) };
};

/** USD of this month, in UTC; `null` if the rows don't reach its first day. @param range of the rows */
export function monthForecast(
  rows: readonly UsageRow[],
  range: RangeName,
  now: number,
): number | null {
  const { from, until } = monthAt(now);
  const share = (now - from) / (until - from);
  if (rangeAt(range, now).from > from || share < minShare) return null;
  return totalsOf(rows.filter(({ at }) => at >= from)).costUsd / share;
}

/** Calendar window of a budget; `null` for other limits. */
export function windowOf({
  name,
  unit,
  resetsAt,
}: Pick<LimitState, "name" | "unit" | "resetsAt">): { from: number; until: number } | null {
  if (unit !== "usd" || resetsAt === null) return null;
  if (name.endsWith("PerDay")) return { from: resetsAt - dayMs, until: resetsAt };
  if (name.endsWith("PerWeek")) return { from: resetsAt - 7 * dayMs, until: resetsAt };
  if (!name.endsWith("PerMonth")) return null;
  // Then the month has started in UTC in every time zone.
  const date = new Date(resetsAt + 0.75 * dayMs);
  const lastMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1);
  const thisMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return { from: resetsAt - (thisMonth - lastMonth), until: resetsAt };
}

/** Forecasts at the start of a window are noise. */
const minShare = 0.02;

/** Linear extrapolation; `null` if too early. */
export function forecastOf(state: LimitState, now: number): number | null {
  const window = windowOf(state);
  if (window === null) return null;
  const share = (now - window.from) / (window.until - window.from);
  return share < minShare ? null : state.used / share;
}

/** Reserved amounts count, since they are no longer available. */
export const shareOf = ({ used, reserved, limit }: LimitState): number =>
  (used + reserved) / (limit || 1);

/** By forecast, so that a budget that will be exceeded is a warning. */
export function toneOf(state: LimitState, now: number): "good" | "warn" | "bad" {
  const { used, reserved, limit } = state;
  if (used + reserved >= limit) return "bad";
  const isOverrun = (forecastOf(state, now) ?? 0) > limit;
  return isOverrun || used + reserved >= 0.9 * limit ? "warn" : "good";
}
