/** Time limit of the first attempt, from comparable answers of the same model and credential. */
import type { Health, Sample } from "./health.ts";
import type { FailoverTarget } from "./failover.ts";

/** Fewer samples are not enough for a p99. */
const minAnswers = 20;
const margin = 3;
const minMs = 8_000;
/** ms. Limits how long a model that became slow is judged by its past. */
const keptForMs = 3_600_000;

/** Output sizes are classed by powers of four, from 256 tokens. */
const smallestSize = 256;

export const sizeOf = (maxTokens: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(1, maxTokens) / smallestSize) / Math.log(4)));

const p99Of = (samples: readonly Sample[]): number => {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0;
};

/** ms; null: too few samples. */
export function attemptTimeoutOf(
  health: readonly Health[],
  { model, credentialId }: Pick<FailoverTarget, "model" | "credentialId">,
  { maxTokens, now }: { maxTokens: number; now: number },
): number | null {
  const measured = health.find(
    (each) => each.model === model && each.credentialId === credentialId,
  );
  const alike = (measured?.samples ?? []).filter(
    ({ size, at }) => size === sizeOf(maxTokens) && now - at < keptForMs,
  );
  return alike.length < minAnswers ? null : Math.max(minMs, margin * p99Of(alike));
}
