/** How much of each limit is used. For people who look; admission counts for itself. */
import { longestWaitSeconds, nameOfLimit, type Hold } from "./holds.ts";
import { endOfTime, isMoney, isTokens } from "./resources.ts";

/** What the ledger sums for one limit, in the unit in which the limit is counted. */
export interface SummedLimit {
  /** what ended calls used, and what calls have reserved that run or wait for a person */
  counted: number;
  /** of `counted`, what these calls have reserved */
  reserved: number;
  /** the first bucket in use, in s since the epoch; null: none */
  oldest: number | null;
}

/** Money is in micro-USD. */
export interface Standing {
  /** such as `tenant.usdPerDay`, `ceiling.usdPerDay`, `key.requestsPerMinute` */
  name: string;
  /** the id of the tenant, the key or the server */
  subject: string;
  limit: number;
  used: number;
  reserved: number;
  left: number;
  /**
   * ms since the epoch, when the window ends or the oldest use is free again; null: nothing is used, or the use ends
   * with a call
   */
  freesAt: number | null;
}

/** Tokens and money are reserved at their most. A request counts at once, and a running call counts until its end. */
const isReserved = ({ resource }: Hold): boolean => isTokens(resource) || isMoney(resource);

function freesAt(hold: Hold, oldest: number | null): number | null {
  if (hold.until === endOfTime) return null;
  if (hold.until !== null) return hold.until * 1_000;
  if (hold.resource === "concurrent" || oldest === null) return null;
  return (oldest + longestWaitSeconds) * 1_000;
}

export function standingOf(hold: Hold, { counted, reserved, oldest }: SummedLimit): Standing {
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
