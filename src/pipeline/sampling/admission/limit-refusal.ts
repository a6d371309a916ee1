import { nameOfLimit, type LimitCheck } from "../../../domain/limits/limit-checks.ts";
import { endOfTime, isMoney } from "../../../domain/limits/resources.ts";
import type { Refusal } from "../../../domain/refusals.ts";

function nodeOf({ scope, subject }: LimitCheck): { node?: string } {
  if (scope === "tenant" || scope === "key" || scope === "server") return {};
  // A run's name follows its key. Group names may contain colons.
  const from = scope === "run" ? subject.lastIndexOf(":") : scope.length;
  return { node: subject.slice(from + 1) };
}

export function limitRefusal(
  check: LimitCheck,
  { retryAfterMs, used }: { retryAfterMs: number | null; used: number },
): Refusal {
  const full = {
    limit: nameOfLimit(check),
    ...nodeOf(check),
    retryAfterMs,
    ...(check.until === endOfTime && check.amount <= check.limit && { usedUp: true as const }),
  };
  if (!isMoney(check.resource)) return { reason: "rate_limited", ...full };
  return {
    reason: "budget_exceeded",
    ...full,
    limitUsd: check.limit / 1e6,
    usedUsd: used / 1e6,
    neededUsd: check.amount / 1e6,
  };
}
