/**
 * Decides an admission from what is counted, where a single writer has the counters in memory. The rules are
 * those that `store/admission.ts` says in SQL.
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
import { endOfTime } from "./resources.ts";

/** The amounts of a counter by their bucket (s since the epoch). */
export type Buckets = ReadonlyMap<number, number>;

type Window = Pick<Hold, "since" | "bucket" | "until" | "pause">;

/** What is used of a limit. */
export interface Used {
  used: number;
  /** the first bucket in use; null: none is, or the limit has no buckets */
  oldest: number | null;
}

/** The bucket at which a window begins that a pause begins anew. */
function afterPause(buckets: Buckets, { since, bucket: now, pause }: Window): number {
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
  const since = afterPause(buckets, window);
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

/** What the limits say of a claim. */
export interface Verdict {
  /** the first claim is more than one of the limits has left */
  isBeyond: boolean;
  /** position of the first limit without room for the smaller claim; null: the call is admitted */
  refusedBy: number | null;
}

/** @param least the amounts of the smaller claim by position; where there is none, those of the first */
export function verdictOn(
  holds: readonly Hold[],
  { least, used }: { least: readonly Hold[]; used: readonly Used[] },
): Verdict {
  let isBeyond = false;
  let refusedBy: number | null = null;
  for (const [at, hold] of holds.entries()) {
    // A run that goes on begins nothing, also where the limit was lowered since.
    if (hold.begins !== undefined && hold.amount === 0) continue;
    const taken = used[at]?.used ?? 0;
    if (taken + hold.amount > hold.limit) isBeyond = true;
    if (refusedBy === null && taken + (least[at] ?? hold).amount > hold.limit) refusedBy = at;
  }
  return { isBeyond, refusedBy };
}

/** The second at which enough of the window will have passed for the amount to fit; null: never. */
function freeAt(hold: Hold, { least, buckets }: { least: number; buckets: Buckets }) {
  const last = lastBucketOf(hold);
  const counted = [...buckets]
    .filter(([bucket]) => bucket >= hold.since && bucket <= last)
    .toSorted(([a], [b]) => b - a);
  let free: number | null = null;
  let newer = 0;
  for (const [bucket, amount] of counted) {
    if (least + newer <= hold.limit) free = bucket + longestWaitSeconds;
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

/** ms until the limit that refused has room; null: it never has, for such a call. */
export function waitFor(
  hold: Hold,
  needed: { least: number; buckets: Buckets; now: number },
): number | null {
  const latest = latestWait({ ...hold, amount: needed.least }, needed.now);
  if (latest === null || hold.resource === "concurrent" || hold.until !== null) return latest;
  const free = freeAt(hold, needed);
  return free === null ? null : Math.min(free * 1_000 - needed.now, latest);
}

/** How the limits stand. `standing`: used and oldest bucket of each hold, one after the other. */
export const statesFrom = (
  holds: readonly Hold[],
  { standing, now }: { standing: readonly (number | null)[]; now: number },
): LimitState[] =>
  holds.map((hold, at) =>
    stateOf(hold, { used: standing[2 * at] ?? 0, oldest: standing[2 * at + 1] ?? null, now }),
  );
