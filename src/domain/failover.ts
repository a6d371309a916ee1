/** Whether and when to try the next candidate. */
import type { ProviderFault } from "./attempts.ts";

/** More would be a storm: four providers that fail at once are an outage. */
export const maxAttempts = 4;

/** An attempt that starts later than this before the deadline could not answer anyway. */
const leastUsefulMs = 250;

/** Before another model of a credential that just failed; doubled each time, give or take half. */
const backoffMs = 100;

export type Step = { next: "stop" } | { next: "try"; waitMs: number };

/**
 * After a fault: the next candidate, if there is one. The last candidate is tried once more
 * when its own Retry-After lies within the deadline.
 */
export function stepAfter(input: {
  fault: ProviderFault;
  attempts: number;
  candidatesLeft: number;
  /** the next candidate is another model of the credential that just failed */
  sameCredentialNext: boolean;
  /** 0–1, for jitter */
  chance: number;
  remainingMs: number;
}): Step {
  const { fault, attempts, candidatesLeft, remainingMs } = input;
  if (!fault.retryable || attempts >= maxAttempts) return { next: "stop" };
  if (candidatesLeft > 0) {
    // Another provider is asked at once; the same one gets a moment, and callers don't come back as one.
    const waitMs = input.sameCredentialNext
      ? Math.round(backoffMs * 2 ** (attempts - 1) * (0.5 + input.chance))
      : 0;
    return remainingMs > leastUsefulMs + waitMs ? { next: "try", waitMs } : { next: "stop" };
  }
  if (fault.retryAfterMs === null) return { next: "stop" };
  return fault.retryAfterMs + leastUsefulMs < remainingMs
    ? { next: "try", waitMs: fault.retryAfterMs }
    : { next: "stop" };
}
