/**
 * Slows down whoever guesses keys at the console's sign-in. It counts in one process alone: with n processes or
 * isolates, a guesser gets n times as many tries.
 */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import {
  isNotedFailure,
  networkOf,
  signInMemoryMs,
  waitAfter,
  type SignInLane,
} from "../../domain/limits/sign-in-waits.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** A try that was let through. It counts as failed until `succeeded` says otherwise, so that tries at once count too. */
export interface SignInTry {
  succeeded(): void;
  /**
   * Whether that outcome is a failure. A try that succeeded is taken back, and so is one at which nobody could look: an
   * outage of the database must keep nobody waiting, and is no failure to write down.
   */
  failedBy(outcome: Result<unknown, Refusal>): boolean;
  /** failures of the same address, this try included */
  failures: number;
  /** whether a failure of this try is to be written down */
  isNoted: boolean;
}

export interface SignInThrottle {
  /** `subject` null: a bearer token of a request, counted by address alone */
  begin(from: { address: string; subject: string | null }): Result<SignInTry, Refusal>;
}

interface Counted {
  failures: number;
  /** ms, of the clock for durations: when the next try may come */
  until: number;
  at: number;
}

export const signInLimit = "signIn.failures";

/** @param deps `capacity`: addresses and subjects that are remembered; those that failed longest ago are forgotten first */
export function createSignInThrottle(deps: {
  capacity: number;
  /** failures that are written down in a minute, whoever they are of */
  notesPerMinute: number;
  elapsed: () => number;
}): SignInThrottle {
  const { capacity, notesPerMinute, elapsed } = deps;
  const counted = createBoundedMap<string, Counted>(capacity);
  let notes = { minute: 0, count: 0 };
  const known = (key: string, now: number): Counted | undefined => {
    const found = counted.get(key);
    return found === undefined || now - found.at > signInMemoryMs ? undefined : found;
  };
  const count = (lane: SignInLane, key: string, now: number): number => {
    const failures = (known(key, now)?.failures ?? 0) + 1;
    counted.set(key, { failures, until: now + waitAfter(lane, failures), at: now });
    return failures;
  };
  const takeBack = (lane: SignInLane, key: string): void => {
    const found = counted.get(key);
    if (found === undefined) return;
    const failures = found.failures - 1;
    if (failures === 0) counted.delete(key);
    else counted.set(key, { ...found, failures, until: found.at + waitAfter(lane, failures) });
  };
  const takesNote = (now: number): boolean => {
    const minute = Math.floor(now / 60_000);
    if (notes.minute !== minute) notes = { minute, count: 0 };
    notes.count += 1;
    return notes.count <= notesPerMinute;
  };
  return {
    begin({ address, subject }) {
      const network = networkOf(address);
      const lanes: [SignInLane, string][] =
        subject === null
          ? [["bearer", `bearer ${network}`]]
          : [
              ["address", `address ${network}`],
              ["subject", `subject ${subject}`],
            ];
      const now = elapsed();
      const waits = lanes.map(([, key]) => (known(key, now)?.until ?? 0) - now);
      const retryAfterMs = Math.max(...waits);
      if (retryAfterMs > 0)
        return err({ reason: "rate_limited", limit: signInLimit, retryAfterMs });
      const [failures = 1] = lanes.map(([lane, key]) => count(lane, key, now));
      const succeeded = (): void => {
        for (const [lane, key] of lanes) takeBack(lane, key);
      };
      return ok({
        failures,
        get isNoted() {
          return isNotedFailure(failures) && takesNote(now);
        },
        succeeded,
        failedBy(outcome) {
          const isFailure = !outcome.ok && outcome.error.reason !== "unavailable";
          if (!isFailure) succeeded();
          return isFailure;
        },
      });
    },
  };
}
