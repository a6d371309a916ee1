/** What a caller is told of a limit that has no room. */
import { nameOfLimit, type Hold, type LimitState } from "../domain/limits/holds.ts";
import { isMoney } from "../domain/limits/resources.ts";
import type { Refusal } from "../domain/refusals.ts";

export function limitRefusal(
  hold: Hold,
  { retryAfterMs, limits }: { retryAfterMs: number | null; limits: readonly LimitState[] },
): Refusal {
  const limit = nameOfLimit(hold);
  if (!isMoney(hold.resource)) return { reason: "rate_limited", limit, retryAfterMs };
  const used = limits.find(({ name }) => name === limit)?.used ?? hold.limit;
  return {
    reason: "budget_exceeded",
    limit,
    retryAfterMs,
    limitUsd: hold.limit / 1e6,
    usedUsd: used / 1e6,
    neededUsd: hold.amount / 1e6,
  };
}
