import type { Tier } from "../models/model.ts";

export interface Sample {
  at: number;
  ms: number;
  outputTokens: number;
  /** class of the requested output size */
  size?: number;
}

export interface Health {
  credentialId: string;
  model: string;
  samples: Sample[];
}

export interface HealthChange {
  credentialId: string;
  model: string;
  sample: Sample;
}

export const keptSamples = 32;
/** Half-life of a sample's weight in ms: a slow model loses rank within minutes. */
const halfLifeMs = 10 * 60_000;
/** Answers vary in length, so fewer samples are not significant. */
const minSamples = 3;

export interface Measured {
  p50Ms: number;
  tokensPerSecond: number;
  samples: number;
}

function weightedMedian(values: readonly { value: number; weight: number }[]): number {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    if (sum >= half) return value;
  }
  return sorted.at(-1)?.value ?? 0;
}

export function measuredFrom(samples: readonly Sample[], now: number): Measured | null {
  if (samples.length < minSamples) return null;
  const weighed = (value: (sample: Sample) => number) =>
    weightedMedian(
      samples.map((sample) => ({
        value: value(sample),
        weight: 2 ** (-Math.max(0, now - sample.at) / halfLifeMs),
      })),
    );
  return {
    p50Ms: Math.round(weighed(({ ms }) => ms)),
    tokensPerSecond:
      Math.round(10 * weighed(({ ms, outputTokens }) => (outputTokens * 1_000) / Math.max(1, ms))) /
      10,
    samples: samples.length,
  };
}

/** Assumed speed of a tier before measurements. */
const priors: Record<NonNullable<Tier>, Omit<Measured, "samples">> = {
  1: { p50Ms: 12_000, tokensPerSecond: 20 },
  2: { p50Ms: 8_000, tokensPerSecond: 40 },
  3: { p50Ms: 5_000, tokensPerSecond: 70 },
  4: { p50Ms: 3_000, tokensPerSecond: 120 },
  5: { p50Ms: 1_500, tokensPerSecond: 250 },
};
const unknownTier = 3;
const priorSamples = 2;
const ordinaryTokens = 300;

/** Expected ms of an ordinary answer: the mean of measured latency and throughput estimate. */
export function expectedMs(tier: Tier, measured: Measured | null): number {
  const prior = priors[tier ?? unknownTier];
  const timeOf = ({ p50Ms, tokensPerSecond }: Omit<Measured, "samples">): number =>
    (p50Ms + (ordinaryTokens * 1_000) / Math.max(0.1, tokensPerSecond)) / 2;
  if (measured === null) return timeOf(prior);
  const trust = measured.samples / (measured.samples + priorSamples);
  return trust * timeOf(measured) + (1 - trust) * timeOf(prior);
}
