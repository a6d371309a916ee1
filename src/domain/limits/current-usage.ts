/** Limit usage for display. Admission counts for itself. */
import { longestWaitSeconds, nameOfLimit, type LimitCheck } from "./limit-checks.ts";
import { endOfTime, isMoney, isTokens } from "./resources.ts";

export interface SummedLimit {
  counted: number;
  reserved: number;
  oldest: number | null;
}

export interface CurrentUsage {
  name: string;
  subject: string;
  limit: number;
  used: number;
  reserved: number;
  left: number;
  /** ms since the epoch, when the window ends or the oldest usage expires; null: unused, or until a call ends */
  resetsAt: number | null;
}

/** Requests and running calls count immediately and are not reserved. */
const isReserved = ({ resource }: LimitCheck): boolean => isTokens(resource) || isMoney(resource);

function resetsAt(check: LimitCheck, oldest: number | null): number | null {
  if (check.until === endOfTime) return null;
  if (check.until !== null) return check.until * 1_000;
  if (check.resource === "concurrent" || oldest === null) return null;
  return (oldest + longestWaitSeconds) * 1_000;
}

export function currentUsageOf(
  check: LimitCheck,
  { counted, reserved, oldest }: SummedLimit,
): CurrentUsage {
  const open = isReserved(check) ? Math.min(reserved, counted) : 0;
  return {
    name: nameOfLimit(check),
    subject: check.subject,
    limit: check.limit,
    used: counted - open,
    reserved: open,
    left: Math.max(0, check.limit - counted),
    resetsAt: resetsAt(check, oldest),
  };
}
