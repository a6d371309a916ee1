/** Which open calls take a place under a limit of concurrency. `store/rows/places.ts` says the same in SQL. */
import { latestLeaseEnd } from "../leases.ts";
import { collectedWithinMs } from "../sampling/approval.ts";

export interface Placed {
  /** ms since the epoch; null: the call waits for a person, or for its caller */
  leaseUntil: number | null;
  /** when a person approved the call; null: nobody has, or it was taken up */
  approvedAt: number | null;
}

/** An approved call has its place for as long as its caller may come for it, and no longer. */
export function hasPlace({ leaseUntil, approvedAt }: Placed, now: number): boolean {
  const latest = latestLeaseEnd(now);
  if (leaseUntil !== null) return leaseUntil > now && leaseUntil <= latest;
  return approvedAt !== null && approvedAt > now - collectedWithinMs && approvedAt <= latest;
}
