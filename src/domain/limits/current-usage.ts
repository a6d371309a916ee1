/** Limit usage for display. Admission counts for itself. */
import { longestWaitSeconds, nameOfLimit, type LimitCheck } from "./limit-checks.ts";
import { endOfTime, isMoney, isTokens } from "./resources.ts";

export interface SummedLimit {
  /** used by ended calls, and reserved by running and waiting ones */
  counted: number;
  reserved: number;
  oldest: number | null;
}

export interface CurrentUsage {
  /** for example `tenant.usdPerDay` or `ceiling.usdPerDay` */
  name: string;
  subject: string;
  limit: number;
  used: number;
  reserved: number;
  left: number;
  /** ms since the epoch, when the window ends or the oldest usage expires; null: unused, or until a call ends */
  freesAt: number | null;
}

/** Requests and running calls count immediately and are not reserved. */
const isReserved = ({ resource }: LimitCheck): boolean => isTokens(resource) || isMoney(resource);

function freesAt(hold: LimitCheck, oldest: number | null): number | null {
  if (hold.until === endOfTime) return null;
  if (hold.until !== null) return hold.until * 1_000;
  if (hold.resource === "concurrent" || oldest === null) return null;
  return (oldest + longestWaitSeconds) * 1_000;
}

export function currentUsageOf(
  hold: LimitCheck,
  { counted, reserved, oldest }: SummedLimit,
): CurrentUsage {
  const open = isReserved(hold) ? Math.min(reserved, counted) : 0;
  return {
    name: nameOfLimit(hold),
    subject: hold.subject,
    limit: hold.limit,
    used: counted - open,
    reserved: open,
    left: Math.max(0, hold.limit - counted),
    freesAt: freesAt(hold, oldest),
  };
}
