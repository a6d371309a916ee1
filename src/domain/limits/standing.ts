/**
 * Decides an admission from what is counted, where a single writer has the counters in memory. The rules are
 * those that `store/ledger/admission/admission-verdict.ts` says in SQL.
 */
import { largestInteger } from "../magnitudes.ts";
import {
  concurrencyRetryMs,
  lastBucketOf,
  longestWaitSeconds,
  type Hold,
  type LimitState,
  stateOf,
} from "./holds.ts";
import { endOfTime, periodOf } from "./resources.ts";

/** The amounts of a counter by their bucket (s since the epoch). */
export type Buckets = ReadonlyMap<number, number>;

type Window = Pick<Hold, "since" | "bucket" | "until" | "pause">;

/** What is used of a limit. */
export interface Used {
  used: number;
  /** the first bucket in use; null: none is, or the limit has no buckets */
  oldest: number | null;
}

/** The bucket at which a window begins, which may be one that a pause begins anew. */
export function beginningOf(buckets: Buckets, { since, bucket: now, pause }: Window): number {
  if (pause === undefined) return since;
  let begins = since;
  let before = since;
  for (const bucket of [...buckets.keys(), now].toSorted((a, b) => a - b)) {
    if (bucket > now) break;
    if (bucket - before > pause) begins = bucket;
    before = bucket;
  }
  return begins;
}

export function usedIn(buckets: Buckets, window: Window): Used {
  const since = beginningOf(buckets, window);
  const last = lastBucketOf(window);
  let used = 0;
  let oldest: number | null = null;
  for (const [bucket, amount] of buckets) {
    if (bucket < since || bucket > last) continue;
    used += amount;
    if (oldest === null || bucket < oldest) oldest = bucket;
  }
  return { used: Math.min(used, largestInteger), oldest };
}

/** What running calls have reserved of a limit. */
export interface Reserved {
  amount: number;
  /** ms since the epoch, when the first of their leases ends; null: none has reserved anything */
  until: number | null;
}

/** The holds of one claim. */
export interface Asked {
  holds: readonly Hold[];
  /** see `LesserClaim` */
  shortens: boolean;
}

/** What the limits say of a call's claims. */
export type Verdict =
  | { state: "admitted"; rung: number }
  /** `position`: of the limit without room for the claim `rung`, the least that the call could have had */
  | {
      state: "refused";
      rung: number;
      position: number;
      /** ms since the epoch, when the first lease in the way ends; null: more than leases is in the way */
      leaseUntil: number | null;
    };

/** Whether what was used of a limit comes back only with the next day, week, month or run, or never. */
export const isLasting = ({ resource }: Pick<Hold, "resource">): boolean =>
  periodOf(resource) !== "minute" && periodOf(resource) !== "running";

/** ms: a lease in the way may be one of a deadline of many minutes, and its call ends long before that. */
export const longestLeaseWaitMs = 120_000;

/** @param reservedOf by position; read only where a claim does not fit */
export function verdictOn(
  claims: readonly Asked[],
  { used, reservedOf }: { used: readonly Used[]; reservedOf: (position: number) => Reserved },
): Verdict {
  const over = ({ holds }: Asked, position: number): number => {
    const hold = holds[position];
    // A run that goes on begins nothing, also where the limit was lowered since.
    if (hold === undefined || (hold.begins !== undefined && hold.amount === 0)) return 0;
    return Math.max(0, (used[position]?.used ?? 0) + hold.amount - hold.limit);
  };
  const beyond = (claim: Asked): number[] =>
    [...claim.holds.keys()].filter((position) => over(claim, position) > 0);
  let least = 0;
  for (const [rung, claim] of claims.entries()) {
    const before = claims[rung - 1];
    const isDue =
      !claim.shortens ||
      before === undefined ||
      before.holds.some((hold, at) => isLasting(hold) && over(before, at) > reservedOf(at).amount);
    if (!isDue) continue;
    if (beyond(claim).length === 0) return { state: "admitted", rung };
    least = rung;
  }
  const claim = claims[least] as Asked;
  const full = beyond(claim);
  const usedUp = full.find((at) => over(claim, at) > reservedOf(at).amount);
  const leases = full.flatMap((at) => reservedOf(at).until ?? []);
  return {
    state: "refused",
    rung: least,
    position: usedUp ?? full[0] ?? 0,
    leaseUntil: usedUp === undefined ? Math.min(...leases) : null,
  };
}

/** The second at which enough of the window will have passed for the amount to fit; null: never. */
function freeAt(hold: Hold, buckets: Buckets) {
  const last = lastBucketOf(hold);
  const counted = [...buckets]
    .filter(([bucket]) => bucket >= hold.since && bucket <= last)
    .toSorted(([a], [b]) => b - a);
  let free: number | null = null;
  let newer = 0;
  for (const [bucket, amount] of counted) {
    if (hold.amount + newer <= hold.limit) free = bucket + longestWaitSeconds;
    newer += amount;
  }
  return free;
}

/** ms after which a limit without room has room at the latest; null: it never has, for such a call. */
export function latestWait({ resource, amount, limit, until }: Hold, now: number): number | null {
  if (resource === "concurrent") return concurrencyRetryMs;
  if (amount > limit || until === endOfTime) return null;
  return until === null ? longestWaitSeconds * 1_000 : until * 1_000 - now;
}

/** ms until the window of the limit has room by itself; null: it never has, for such a call. */
function windowWait(hold: Hold, { buckets, now }: { buckets: Buckets; now: number }) {
  const latest = latestWait(hold, now);
  if (latest === null || hold.resource === "concurrent" || hold.until !== null) return latest;
  const free = freeAt(hold, buckets);
  return free === null ? null : Math.min(free * 1_000 - now, latest);
}

/** ms until the limit that refused has room; null: it never has, for such a call. */
export function waitFor(
  hold: Hold,
  needed: { buckets: Buckets; now: number; leaseUntil: number | null },
): number | null {
  const { now, leaseUntil } = needed;
  const ofWindow = windowWait(hold, needed);
  if (leaseUntil === null) return ofWindow;
  const ofLease = Math.max(1, Math.min(leaseUntil - now, longestLeaseWaitMs));
  return Math.min(ofLease, ofWindow ?? ofLease);
}

/** How the limits stand. `standing`: used and oldest bucket of each hold, one after the other. */
export const statesFrom = (
  holds: readonly Hold[],
  { standing, now }: { standing: readonly (number | null)[]; now: number },
): LimitState[] =>
  holds.map((hold, at) =>
    stateOf(hold, { used: standing[2 * at] ?? 0, oldest: standing[2 * at + 1] ?? null, now }),
  );
