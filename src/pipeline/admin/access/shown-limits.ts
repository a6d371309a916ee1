import type { CurrentUsage } from "../../../domain/limits/current-usage.ts";
import type { LimitCheck } from "../../../domain/limits/limit-checks.ts";
import { isMoney, measureOf, type Measure } from "../../../domain/limits/resources.ts";

/** Money in USD. */
export interface ShownLimit extends CurrentUsage {
  unit: Measure | "bytes";
  raisedUntil?: number;
}

const microUsd = 1_000_000;

export function shownLimit({ resource }: LimitCheck, usage: CurrentUsage): ShownLimit {
  const { name, subject, limit, used, reserved, left, freesAt } = usage;
  const inUnit = (amount: number): number => (isMoney(resource) ? amount / microUsd : amount);
  return {
    name,
    subject,
    unit: measureOf(resource),
    limit: inUnit(limit),
    used: inUnit(used),
    reserved: inUnit(reserved),
    left: inUnit(left),
    freesAt,
  };
}
