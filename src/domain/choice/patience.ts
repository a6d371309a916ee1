/**
 * How long the first attempt of a call may take before another endpoint is asked. It is measured from answers of the same
 * model under the same credential to calls that asked for about as much text.
 */
import type { Health, Sample } from "./health.ts";
import type { Place } from "./failover.ts";

/** Fewer answers say nothing about the slowest of a hundred. */
const leastAnswers = 20;
/** The slowest usual answer may take this many times as long once more. */
const margin = 3;
/** ms */
const leastMs = 8_000;
/** ms. Older answers say little: a model that became slow is measured again after this time at the latest. */
const keptForMs = 3_600_000;

/** Output sizes are told apart by powers of four, from 256 tokens on. */
const smallestSize = 256;

/** The class of output size of a call that asks for so many tokens at most. */
export const sizeOf = (maxTokens: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(1, maxTokens) / smallestSize) / Math.log(4)));

/** ms, by the nearest rank. */
const p99Of = (samples: readonly Sample[]): number => {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0;
};

/** ms; null: too little was measured. */
export function patienceOf(
  health: readonly Health[],
  { model, credentialId }: Pick<Place, "model" | "credentialId">,
  { maxTokens, now }: { maxTokens: number; now: number },
): number | null {
  const measured = health.find(
    (each) => each.model === model && each.credentialId === credentialId,
  );
  const alike = (measured?.samples ?? []).filter(
    ({ size, at }) => size === sizeOf(maxTokens) && now - at < keptForMs,
  );
  return alike.length < leastAnswers ? null : Math.max(leastMs, margin * p99Of(alike));
}
