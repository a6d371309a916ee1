/** Which calls count toward `concurrent`. `store/rows/concurrency-slots.ts` has the same rule in SQL. */
import { latestLeaseEnd } from "../leases.ts";
import { approvedCallTtlMs } from "../sampling/approval.ts";

export interface SlotState {
  /** ms since the epoch; null: waits for an approver or its caller */
  leaseUntil: number | null;
  /** null: not approved, or already taken up */
  approvedAt: number | null;
}

/** An approved call counts as long as its caller may collect it. */
export function hasConcurrencySlot({ leaseUntil, approvedAt }: SlotState, now: number): boolean {
  const latest = latestLeaseEnd(now);
  if (leaseUntil !== null) return leaseUntil > now && leaseUntil <= latest;
  return approvedAt !== null && approvedAt > now - approvedCallTtlMs && approvedAt <= latest;
}
