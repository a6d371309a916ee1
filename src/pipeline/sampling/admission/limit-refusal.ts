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
  hold: LimitCheck,
  { retryAfterMs, used }: { retryAfterMs: number | null; used: number },
): Refusal {
  const full = {
    limit: nameOfLimit(hold),
    ...nodeOf(hold),
    retryAfterMs,
    ...(hold.until === endOfTime && hold.amount <= hold.limit && { usedUp: true as const }),
  };
  if (!isMoney(hold.resource)) return { reason: "rate_limited", ...full };
  return {
    reason: "budget_exceeded",
    ...full,
    limitUsd: hold.limit / 1e6,
    usedUsd: used / 1e6,
    neededUsd: hold.amount / 1e6,
  };
}
