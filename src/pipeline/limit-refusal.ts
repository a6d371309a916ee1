/** What a caller is told of a limit that has no room. */
import { nameOfLimit, type Hold, type LimitState } from "../domain/limits/holds.ts";
import { isMoney } from "../domain/limits/resources.ts";
import type { Refusal } from "../domain/refusals.ts";

/** Which tag, run, group or person: the caller named them. Its key and its server it knows. */
function nodeOf({ scope, subject }: Hold): { node?: string } {
  if (scope === "tenant" || scope === "key" || scope === "server") return {};
  // A run's name stands behind its key. A group's name may have colons.
  const from = scope === "run" ? subject.lastIndexOf(":") : scope.length;
  return { node: subject.slice(from + 1) };
}

export function limitRefusal(
  hold: Hold,
  { retryAfterMs, limits }: { retryAfterMs: number | null; limits: readonly LimitState[] },
): Refusal {
  const limit = nameOfLimit(hold);
  if (!isMoney(hold.resource))
    return { reason: "rate_limited", limit, ...nodeOf(hold), retryAfterMs };
  const used = limits.find(({ name }) => name === limit)?.used ?? hold.limit;
  return {
    reason: "budget_exceeded",
    limit,
    ...nodeOf(hold),
    retryAfterMs,
    limitUsd: hold.limit / 1e6,
    usedUsd: used / 1e6,
    neededUsd: hold.amount / 1e6,
  };
}
