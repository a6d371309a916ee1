/** Histograms whose buckets are 5 % wide. They can be merged, so percentiles of 90 days need no records. */
import { isObject } from "./json.ts";

/** `total`: arrival to settlement. `overhead`: total without the provider. */
export const measures = ["total", "provider", "overhead"] as const;
export type Measure = (typeof measures)[number];

type Counts = ReadonlyMap<number, number>;
export type Histogram = Readonly<Record<Measure, Counts>>;

export type Durations = Readonly<Record<Measure, number>>;

export interface Percentiles {
  p50: number;
  p90: number;
  p99: number;
}

export type Latency = Record<Measure, Percentiles> & { calls: number };

const width = 1.05;
const longestMs = 86_400_000;

const bucketOf = (ms: number): number =>
  !(ms >= 1) ? 0 : 1 + Math.floor(Math.log(Math.min(ms, longestMs)) / Math.log(width) + 1e-9);

/** The geometric middle, at most 2.5 % from any value of the bucket. */
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
