/** Throttles sign-in attempts. Per process: with n processes, a guesser has n times as many attempts. */
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

/** Counts as failed until `succeeded`, so that concurrent attempts count. */
export interface SignInTry {
  succeeded(): void;
  /** Takes successful attempts back, and those that an outage left undecided. */
  failedBy(outcome: Result<unknown, Refusal>): boolean;
  failures: number;
  isNoted: boolean;
}

export interface SignInThrottle {
  /** `subject` `null` for a bearer token, counted by address only */
  begin(from: { address: string; subject: string | null }): Result<SignInTry, Refusal>;
}

interface Counted {
  failures: number;
  /** ms, monotonic, of the next allowed attempt */
  until: number;
  at: number;
}

export const signInLimit = "signIn.failures";

export function createSignInThrottle(deps: {
  capacity: number;
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
