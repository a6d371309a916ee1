/**
 * How long calls took, as counts of buckets whose width is 5 % of their beginning. Counts of two spans of time add
 * up, so that percentiles of 90 days need no record.
 */
import { isObject } from "./json.ts";

/** `total`: from arrival to settlement. `overhead`: what of the total was not the provider's. */
export const measures = ["total", "provider", "overhead"] as const;
export type Measure = (typeof measures)[number];

/** Calls by their bucket's number. */
type Counts = ReadonlyMap<number, number>;
export type Histogram = Readonly<Record<Measure, Counts>>;

/** ms that one call took. */
export type Durations = Readonly<Record<Measure, number>>;

export interface Percentiles {
  p50: number;
  p90: number;
  p99: number;
}

/** How long the calls of one bucket of usage took; ms. */
export type Latency = Record<Measure, Percentiles> & { calls: number };

const width = 1.05;
/** Above a day nothing is told apart. */
const longestMs = 86_400_000;

/** 0: below one ms. */
const bucketOf = (ms: number): number =>
  !(ms >= 1) ? 0 : 1 + Math.floor(Math.log(Math.min(ms, longestMs)) / Math.log(width) + 1e-9);

/** The geometric middle, so that no value of the bucket is further away than 2.5 %. */
const middleOf = (bucket: number): number =>
  bucket === 0 ? 0 : Math.round(width ** (bucket - 0.5));

const sumOf = (counts: Counts, more: Counts): Counts => {
  const sum = new Map(counts);
  for (const [bucket, count] of more) sum.set(bucket, (sum.get(bucket) ?? 0) + count);
  return sum;
};

const histogramOf = (countsOf: (measure: Measure) => Counts): Histogram => ({
  total: countsOf("total"),
  provider: countsOf("provider"),
  overhead: countsOf("overhead"),
});

export const noCalls: Histogram = histogramOf(() => new Map());

export const histogramOfCalls = (calls: readonly Durations[]): Histogram =>
  histogramOf((measure) => {
    const counts = new Map<number, number>();
    for (const { [measure]: ms } of calls)
      counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
    return counts;
  });

export const merged = (one: Histogram, other: Histogram): Histogram =>
  histogramOf((measure) => sumOf(one[measure], other[measure]));

/** As a text of the database. */
export const histogramText = (histogram: Histogram): string =>
  JSON.stringify(measures.map((measure) => Object.fromEntries(histogram[measure])));

function countsIn(value: unknown): Counts | null {
  if (!isObject(value)) return null;
  const counts = new Map<number, number>();
  for (const [bucket, count] of Object.entries(value)) {
    if (!/^\d{1,3}$/.test(bucket) || !Number.isSafeInteger(count) || Number(count) < 0) return null;
    counts.set(Number(bucket), Number(count));
  }
  return counts;
}

/** null: the text is no histogram. */
export function readHistogram(text: string): Histogram | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(value)) return null;
  const [total, provider, overhead] = value.map(countsIn);
  return total && provider && overhead ? { total, provider, overhead } : null;
}

/** By the nearest rank: so many calls took no longer. */
function percentileOf(counts: Counts, share: number): number {
  const buckets = [...counts].toSorted(([a], [b]) => a - b);
  let left = Math.ceil(share * buckets.reduce((sum, [, count]) => sum + count, 0));
  for (const [bucket, count] of buckets) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return 0;
}

const percentilesOf = (counts: Counts): Percentiles => ({
  p50: percentileOf(counts, 0.5),
  p90: percentileOf(counts, 0.9),
  p99: percentileOf(counts, 0.99),
});

/** null: no call is counted. */
export function latencyOf(histogram: Histogram): Latency | null {
  const calls = [...histogram.total.values()].reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const { total, provider, overhead } = histogram;
  return {
    calls,
    total: percentilesOf(total),
    provider: percentilesOf(provider),
    overhead: percentilesOf(overhead),
  };
}
