/** Whether and when to try the next candidate. */
import type { ProviderFault } from "./attempts.ts";

/** More would be a storm: four providers that fail at once are an outage. */
export const maxAttempts = 4;

/** An attempt that starts later than this before the deadline could not answer anyway. */
const leastUsefulMs = 250;

export type Step = { next: "stop" } | { next: "try"; waitMs: number };

/**
 * After a fault: the next candidate at once, if there is one. The last candidate is tried once more
 * when its own Retry-After lies within the deadline.
 */
export function stepAfter(input: {
  fault: ProviderFault;
  attempts: number;
  candidatesLeft: number;
  remainingMs: number;
}): Step {
  const { fault, attempts, candidatesLeft, remainingMs } = input;
  if (!fault.retryable || attempts >= maxAttempts) return { next: "stop" };
  if (candidatesLeft > 0)
    return remainingMs > leastUsefulMs ? { next: "try", waitMs: 0 } : { next: "stop" };
  if (fault.retryAfterMs === null) return { next: "stop" };
  return fault.retryAfterMs + leastUsefulMs < remainingMs
    ? { next: "try", waitMs: fault.retryAfterMs }
    : { next: "stop" };
}
