import type { CurrentUsage } from "../../../domain/limits/current-usage.ts";
import type { Limits, Policy } from "../../../domain/choice/policy.ts";
import type { LimitCheck, LimitedScope } from "../../../domain/limits/limit-checks.ts";
import { raisedLimits } from "../../../domain/limits/raises.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import { isMoney, measureOf, type Measure } from "../../../domain/limits/resources.ts";

/** Money in USD. */
export interface ShownLimit extends CurrentUsage {
  unit: Measure | "bytes";
  raisedUntil?: number;
}

const microUsd = 1_000_000;

export function shownLimit({ resource }: LimitCheck, usage: CurrentUsage): ShownLimit {
  const { name, subject, limit, used, reserved, left, resetsAt } = usage;
  const inUnit = (amount: number): number => (isMoney(resource) ? amount / microUsd : amount);
  return {
    name,
    subject,
    unit: measureOf(resource),
    limit: inUnit(limit),
    used: inUnit(used),
    reserved: inUnit(reserved),
    left: inUnit(left),
    resetsAt,
  };
}

/** The operator's limits are counted and shown like the tenant's own. */
export const tenantScopes = ({ id, policy, ceiling }: Tenant): LimitedScope[] => [
  { scope: "tenant", subject: id, limits: policy.limits ?? {} },
  {
    scope: "tenant",
    subject: id,
    limits: ceiling.limits,
    fromCeiling: new Set(Object.keys(ceiling.limits) as (keyof Limits)[]),
  },
];

/** Only the operator raises the operator's ceiling. */
export const raisedScope = (node: LimitedScope, { raises }: Policy, now: number): LimitedScope =>
  node.fromCeiling === undefined
    ? { ...node, limits: raisedLimits(node.limits, { subject: node.subject, raises, now }) }
    : node;
