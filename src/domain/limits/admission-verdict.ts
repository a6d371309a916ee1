/** Equivalent to `store/ledger/admission/admission-verdict.ts`, over counters in memory. */
import { largestInteger } from "../magnitudes.ts";
import {
  concurrencyRetryMs,
  lastBucketOf,
  longestWaitSeconds,
  type LimitCheck,
  type LimitState,
  stateOf,
} from "./limit-checks.ts";
import { endOfTime, periodOf } from "./resources.ts";

export type Buckets = ReadonlyMap<number, number>;

export type Window = Pick<LimitCheck, "since" | "bucket" | "until" | "pause">;

export interface Used {
  used: number;
  oldest: number | null;
}

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

export interface Reserved {
  amount: number;
  until: number | null;
}

export interface ClaimChecks {
  limitChecks: readonly LimitCheck[];
  /** see `FallbackClaim` */
  shortens: boolean;
}

export type Verdict =
  | { state: "admitted"; rung: number }
  /** `position`: the exceeded limit of `rung`, the smallest claim */
  | {
      state: "refused";
      rung: number;
      position: number;
      /** ms since the epoch, when the first blocking lease ends; null: not only leases block */
      leaseUntil: number | null;
    };

/** Whether usage is only restored with the next calendar period or run, or never. */
export const isLasting = ({ resource }: Pick<LimitCheck, "resource">): boolean =>
  periodOf(resource) !== "minute" && periodOf(resource) !== "running";

/** ms; a lease may last many minutes, and its call ends long before. */
export const longestLeaseWaitMs = 120_000;

/** @param reservedOf by position; only called if a claim does not fit */
export function verdictOn(
  claims: readonly ClaimChecks[],
  { used, reservedOf }: { used: readonly Used[]; reservedOf: (position: number) => Reserved },
): Verdict {
  const over = ({ limitChecks }: ClaimChecks, position: number): number => {
    const check = limitChecks[position];
    // A run that continues is not counted, even if the limit was lowered since.
    if (check === undefined || (check.begins !== undefined && check.amount === 0)) return 0;
    return Math.max(0, (used[position]?.used ?? 0) + check.amount - check.limit);
  };
  const beyond = (claim: ClaimChecks): number[] =>
    [...claim.limitChecks.keys()].filter((position) => over(claim, position) > 0);
  let lowest = 0;
  for (const [rung, claim] of claims.entries()) {
    const before = claims[rung - 1];
    const isDue =
      !claim.shortens ||
      before === undefined ||
      before.limitChecks.some(
        (check, at) => isLasting(check) && over(before, at) > reservedOf(at).amount,
      );
    if (!isDue) continue;
    if (beyond(claim).length === 0) return { state: "admitted", rung };
    lowest = rung;
  }
  const claim = claims[lowest] as ClaimChecks;
  const full = beyond(claim);
  const usedUp = full.find((at) => over(claim, at) > reservedOf(at).amount);
  const leases = full.flatMap((at) => reservedOf(at).until ?? []);
  return {
    state: "refused",
    rung: lowest,
    position: usedUp ?? full[0] ?? 0,
    leaseUntil: usedUp === undefined ? Math.min(...leases) : null,
  };
}

function freeAt(check: LimitCheck, buckets: Buckets) {
  const last = lastBucketOf(check);
  const counted = [...buckets]
    .filter(([bucket]) => bucket >= check.since && bucket <= last)
    .toSorted(([a], [b]) => b - a);
  let free: number | null = null;
  let newer = 0;
  for (const [bucket, amount] of counted) {
    if (check.amount + newer <= check.limit) free = bucket + longestWaitSeconds;
    newer += amount;
  }
  return free;
}

export function latestWait(
  { resource, amount, limit, until }: LimitCheck,
  now: number,
): number | null {
  if (resource === "concurrent") return concurrencyRetryMs;
  if (amount > limit || until === endOfTime) return null;
  return until === null ? longestWaitSeconds * 1_000 : until * 1_000 - now;
}

function windowWait(check: LimitCheck, { buckets, now }: { buckets: Buckets; now: number }) {
  const latest = latestWait(check, now);
  if (latest === null || check.resource === "concurrent" || check.until !== null) return latest;
  const free = freeAt(check, buckets);
  return free === null ? null : Math.min(free * 1_000 - now, latest);
}

export function waitFor(
  check: LimitCheck,
  needed: { buckets: Buckets; now: number; leaseUntil: number | null },
): number | null {
  const { now, leaseUntil } = needed;
  const ofWindow = windowWait(check, needed);
  if (leaseUntil === null) return ofWindow;
  const ofLease = Math.max(1, Math.min(leaseUntil - now, longestLeaseWaitMs));
  return Math.min(ofLease, ofWindow ?? ofLease);
}

/** @param usage alternating usage and oldest bucket of each check */
export const statesFrom = (
  limitChecks: readonly LimitCheck[],
  { usage, now }: { usage: readonly (number | null)[]; now: number },
): LimitState[] =>
  limitChecks.map((check, at) =>
    stateOf(check, { used: usage[2 * at] ?? 0, oldest: usage[2 * at + 1] ?? null, now }),
  );
