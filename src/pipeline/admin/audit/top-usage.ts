import type { Policy } from "../../../domain/choice/policy.ts";
import { limitChecksOf, type LimitedScope } from "../../../domain/limits/limit-checks.ts";
import { raisedLimits } from "../../../domain/limits/raises.ts";
import { isMoney } from "../../../domain/limits/resources.ts";
import type { LimitStore } from "../../../domain/ports/ledger.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type {
  TopUsageQuery,
  TopUsageRow,
  TopUsageStore,
  UsageGrouping,
} from "../../../domain/ports/top-usage.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { currentUsageOf } from "../../../domain/limits/current-usage.ts";
import { limitsOfNode, subjectOfGroup, subjectOfTag, subjectOfUser } from "../../callers/scopes.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { shownLimit, type ShownLimit } from "../access/shown-limits.ts";

const microUsd = 1_000_000;
const defaultLimit = 10;

const spent = ({ requests, costMicroUsd }: TopUsageRow["before"]) => ({
  requests,
  costUsd: costMicroUsd / microUsd,
});

type Deps = AdminDeps & { topUsage: TopUsageStore; limits: LimitStore; names: NameStore };

const subjectOf = { user: subjectOfUser, group: subjectOfGroup, tag: subjectOfTag };

async function scopesOf(
  { topUsage }: Deps,
  { id, policy }: Tenant,
  { by, groups }: { by: UsageGrouping; groups: readonly string[] },
): AsyncResult<Map<string, LimitedScope>> {
  if (by === "model" || by === "endpoint") return ok(new Map());
  if (by === "key" || by === "server") {
    const found = await topUsage.limitsOf(id, groups);
    if (!found.ok) return found;
    const own = Object.entries(found.value);
    return ok(new Map(own.map(([subject, limits]) => [subject, { scope: by, subject, limits }])));
  }
  return ok(
    new Map(
      groups
        .filter((group) => group !== "")
        .map((group) => {
          const node = { scope: by, subject: subjectOf[by](group) };
          return [group, { ...node, limits: limitsOfNode(policy, node) }];
        }),
    ),
  );
}

const fullness = ({ used, reserved, limit }: ShownLimit): number =>
  limit === 0 ? 1 : (used + reserved) / limit;

async function budgetsOf(
  deps: Deps,
  tenant: Tenant,
  asked: { by: UsageGrouping; groups: readonly string[] },
): AsyncResult<Map<string, ShownLimit>> {
  const found = await scopesOf(deps, tenant, asked);
  if (!found.ok) return found;
  const now = deps.now();
  const { raises, timeZone }: Policy = tenant.policy;
  const calendar = calendarOf(timeZone, now);
  const groupBySubject = new Map([...found.value].map(([group, { subject }]) => [subject, group]));
  const scopes = Array.from(found.value.values(), (scope) => ({
    ...scope,
    limits: raisedLimits(scope.limits, { subject: scope.subject, raises, now }),
  }));
  const limitChecks = limitChecksOf({ now, scopes, tokens: 0, microUsd: 0, calendar }).filter(
    ({ resource }) => isMoney(resource),
  );
  const sums = await deps.limits.sum(tenant.id, limitChecks, now);
  if (!sums.ok) return sums;
  const budgets = new Map<string, ShownLimit>();
  limitChecks.forEach((check, at) => {
    const [summed, group] = [sums.value[at], groupBySubject.get(check.subject)];
    if (summed === undefined || group === undefined) return;
    const budget = shownLimit(check, currentUsageOf(check, summed));
    const other = budgets.get(group);
    if (other === undefined || fullness(budget) > fullness(other)) budgets.set(group, budget);
  });
  return ok(budgets);
}

/** Whole hours of the range, by default of the current month. */
function rangeOf({ policy }: Tenant, { from, to }: Partial<TopUsageQuery>, now: number) {
  const { month } = calendarOf(policy.timeZone, now);
  return { from: from ?? Math.min(month.from * 1_000, to ?? now), to: to ?? now + 1 };
}

export const createTopUsage =
  (deps: Deps) =>
  async (
    actor: Actor,
    slug: string,
    { by = "key", limit = defaultLimit, ...asked }: Partial<TopUsageQuery>,
  ) => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const now = deps.now();
    const { from, to } = rangeOf(tenant.value, asked, now);
    if (from >= to)
      return err({
        reason: "invalid_params",
        path: "to",
        detail: "Must be after `from`.",
      } as const);
    const found = await deps.topUsage.top(id, { by, from, to, limit });
    if (!found.ok) return found;
    const { rows, groups: count, total, uncountedSince } = found.value;
    const groups = rows.map(({ group }) => group);
    const budgets = await budgetsOf(deps, tenant.value, { by, groups });
    if (!budgets.ok) return budgets;
    const isId = by === "key" || by === "user" || by === "server";
    const names = await deps.names.of(id, isId ? groups : []);
    if (!names.ok) return names;
    return ok({
      from,
      to,
      completeUntil: Math.min(to, uncountedSince ?? now),
      groups: count,
      total: { ...spent(total), before: spent(total.before) },
      names: names.value,
      data: rows.map(({ before, costMicroUsd, ...row }) => {
        const budget = budgets.value.get(row.group);
        return {
          ...row,
          costUsd: costMicroUsd / microUsd,
          share: total.costMicroUsd === 0 ? 0 : costMicroUsd / total.costMicroUsd,
          before: spent(before),
          ...(budget !== undefined && { budget }),
        };
      }),
    });
  };
