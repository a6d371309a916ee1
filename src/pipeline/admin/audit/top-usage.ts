import { limitChecksOf, type LimitedScope } from "../../../domain/limits/limit-checks.ts";
import { isMoney } from "../../../domain/limits/resources.ts";
import type { AlertStore } from "../../../domain/ports/alerts.ts";
import type { LimitStore } from "../../../domain/ports/ledger.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { TopUsageRow, TopUsageStore, UsageGrouping } from "../../../domain/ports/top-usage.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { currentUsageOf } from "../../../domain/limits/current-usage.ts";
import { limitsOfNode, subjectOfGroup, subjectOfTag, subjectOfUser } from "../../callers/scopes.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { raisedScope, shownLimit, tenantScopes, type ShownLimit } from "../access/shown-limits.ts";

const microUsd = 1_000_000;
const defaultLimit = 10;
const noTotal = {
  total: { requests: 0, costMicroUsd: 0, before: { requests: 0, costMicroUsd: 0 } },
};

const spent = ({ requests, costMicroUsd }: TopUsageRow["before"]) => ({
  requests,
  costUsd: costMicroUsd / microUsd,
});

type Deps = AdminDeps & {
  topUsage: TopUsageStore;
  limits: LimitStore;
  names: NameStore;
  alerts: Pick<AlertStore, "list">;
};

const subjectOf = { user: subjectOfUser, group: subjectOfGroup, tag: subjectOfTag };

function scopeOf(policy: Policy, scope: keyof typeof subjectOf, group: string): LimitedScope {
  const node = { scope, subject: subjectOf[scope](group) };
  return { ...node, limits: limitsOfNode(policy, node) };
}

/** Keys also have the limits of their person. */
async function scopesOf(
  { topUsage }: Deps,
  { id, policy }: Tenant,
  { by, groups }: { by: UsageGrouping; groups: readonly string[] },
): AsyncResult<Map<string, LimitedScope[]>> {
  if (by === "model" || by === "endpoint") return ok(new Map());
  if (by === "key" || by === "server") {
    const found = await topUsage.limitsOf(id, groups);
    if (!found.ok) return found;
    return ok(
      new Map(
        Object.entries(found.value).map(([subject, { limits, userId }]) => [
          subject,
          [
            { scope: by, subject, limits },
            ...(userId === null ? [] : [scopeOf(policy, "user", userId)]),
          ],
        ]),
      ),
    );
  }
  return ok(
    new Map(
      groups.filter((group) => group !== "").map((group) => [group, [scopeOf(policy, by, group)]]),
    ),
  );
}

const mostAlerts = 200;

/** Whose budgets crossed a threshold in a period that lasts, whether or not they had calls in the range. */
async function alertedScopes(
  { alerts, topUsage }: Deps,
  { id, policy }: Tenant,
  now: number,
): AsyncResult<LimitedScope[]> {
  const found = await alerts.list(id, { cursor: null, limit: mostAlerts });
  if (!found.ok) return found;
  const lasting = found.value.data.filter(({ periodUntil }) => (periodUntil ?? now + 1) > now);
  const scopes = new Map(lasting.map(({ subject, name }) => [subject, name?.split(".")[0]]));
  const own = await topUsage.limitsOf(id, [...scopes.keys()]);
  if (!own.ok) return own;
  return ok(
    [...scopes].flatMap(([subject, scope]): LimitedScope[] => {
      if (scope === "key" || scope === "server")
        return [{ scope, subject, limits: own.value[subject]?.limits ?? {} }];
      if (scope === "user" || scope === "group" || scope === "tag")
        return [{ scope, subject, limits: limitsOfNode(policy, { scope, subject }) }];
      return [];
    }),
  );
}

const fullness = ({ used, reserved, limit }: ShownLimit): number =>
  limit === 0 ? 1 : (used + reserved) / limit;

/** The fullest last. */
const byFullness = (one: ShownLimit, other: ShownLimit): number => fullness(one) - fullness(other);

/** In the order of `scopes`, raises applied. */
async function budgetsAmong(
  deps: Deps,
  { id, policy }: Tenant,
  scopes: readonly LimitedScope[],
): AsyncResult<ShownLimit[]> {
  const now = deps.now();
  const raised = scopes.map((scope) => raisedScope(scope, policy, now));
  const calendar = calendarOf(policy.timeZone, now);
  const checks = limitChecksOf({ now, scopes: raised, tokens: 0, microUsd: 0, calendar }).filter(
    ({ resource }) => isMoney(resource),
  );
  const sums = await deps.limits.sum(id, checks, now);
  if (!sums.ok) return sums;
  return ok(
    checks.flatMap((check, at) => {
      const summed = sums.value[at];
      return summed === undefined ? [] : [shownLimit(check, currentUsageOf(check, summed))];
    }),
  );
}

/** The fullest budget of each subject. */
const fullestOf = (budgets: readonly ShownLimit[]): Map<string, ShownLimit> =>
  new Map(budgets.toSorted(byFullness).map((budget) => [budget.subject, budget]));

/** ms since the epoch, in the tenant's time zone. */
function monthAt({ policy }: Tenant, now: number) {
  const { month } = calendarOf(policy.timeZone, now);
  return { from: month.from * 1_000, until: month.until * 1_000 };
}

async function spentInMonth({ topUsage }: Deps, tenant: Tenant, now: number) {
  const month = monthAt(tenant, now);
  const query = { from: month.from, to: now + 1, by: "model", limit: 1 } as const;
  const found = await topUsage.top(tenant.id, query);
  if (!found.ok) return found;
  return ok({ ...month, costUsd: spent(found.value.total).costUsd });
}

/** Whole hours of the range, by default of the current month. */
const rangeOf = (tenant: Tenant, { from, to }: Partial<TopUsageAsked>, now: number) => ({
  from: from ?? Math.min(monthAt(tenant, now).from, to ?? now),
  to: to ?? now + 1,
});

async function topBy(deps: Deps, tenant: Tenant, asked: Parameters<TopUsageStore["top"]>[1]) {
  const found = await deps.topUsage.top(tenant.id, asked);
  if (!found.ok) return found;
  const groups = found.value.rows.map(({ group }) => group);
  const scopes = await scopesOf(deps, tenant, { by: asked.by, groups });
  return scopes.ok ? ok({ ...found.value, by: asked.by, scopes: scopes.value }) : scopes;
}

interface TopUsageAsked extends Omit<Parameters<TopUsageStore["top"]>[1], "by"> {
  by: readonly UsageGrouping[];
}

const namedById: ReadonlySet<UsageGrouping> = new Set(["key", "user", "server"]);
/** Sums all calls immediately. */
const isWhole = (by: UsageGrouping): boolean => by !== "group" && by !== "tag" && by !== "endpoint";

type TopList = Extract<Awaited<ReturnType<typeof topBy>>, { ok: true }>["value"];

const rowsOf = (
  { by, rows, scopes }: TopList,
  fullest: ReadonlyMap<string, ShownLimit>,
  totalMicroUsd: number,
) =>
  rows.map(({ before, costMicroUsd, ...row }) => {
    const own = scopes.get(row.group)?.flatMap(({ subject }) => fullest.get(subject) ?? []);
    const budget = own?.toSorted(byFullness).at(-1);
    return {
      by,
      ...row,
      costUsd: costMicroUsd / microUsd,
      share: totalMicroUsd === 0 ? 0 : costMicroUsd / totalMicroUsd,
      before: spent(before),
      ...(budget !== undefined && { budget }),
    };
  });

export const createTopUsage =
  (deps: Deps) =>
  async (
    actor: Actor,
    slug: string,
    { by = ["key"], limit = defaultLimit, ...asked }: Partial<TopUsageAsked>,
  ) => {
    const found = await tenantFor(deps, actor, slug);
    if (!found.ok) return found;
    const tenant = found.value;
    const now = deps.now();
    const range = rangeOf(tenant, asked, now);
    if (range.from >= range.to)
      return err({
        reason: "invalid_params",
        path: "to",
        detail: "Must be after `from`.",
      } as const);
    const lists: TopList[] = [];
    for (const each of new Set(by.some(isWhole) ? by : ["model" as const, ...by])) {
      const list = await topBy(deps, tenant, { ...range, by: each, limit });
      if (!list.ok) return list;
      lists.push(list.value);
    }
    const month = await spentInMonth(deps, tenant, now);
    if (!month.ok) return month;
    const shown = lists.filter((list) => by.includes(list.by));
    const all = shown.flatMap(({ scopes }) => [...scopes.values()].flat());
    const listed = [...new Map(all.map((scope) => [scope.subject, scope])).values()];
    const alerted = await alertedScopes(deps, tenant, now);
    if (!alerted.ok) return alerted;
    const seen = new Set(listed.map(({ subject }) => subject));
    const further = alerted.value.filter(({ subject }) => !seen.has(subject));
    const scopes = [...tenantScopes(tenant), ...listed, ...further];
    const budgets = await budgetsAmong(deps, tenant, scopes);
    if (!budgets.ok) return budgets;
    const rows = shown.filter((list) => namedById.has(list.by)).flatMap((list) => list.rows);
    const names = await deps.names.of(tenant.id, [
      ...rows.map(({ group }) => group),
      ...further.map(({ subject }) => subject.replace(/^user:/, "")),
    ]);
    if (!names.ok) return names;
    const { total } = lists.find((list) => isWhole(list.by)) ?? noTotal;
    const fullest = fullestOf(budgets.value);
    const complete = shown.map(({ uncountedSince }) => uncountedSince ?? now);
    return ok({
      ...range,
      completeUntil: Math.min(range.to, ...complete),
      groups: Object.fromEntries(shown.map((list) => [list.by, list.groups])),
      total: { ...spent(total), before: spent(total.before) },
      budgets: budgets.value.filter(
        ({ subject, left }) => subject === tenant.id || (left <= 0 && !seen.has(subject)),
      ),
      month: month.value,
      names: names.value,
      data: shown.flatMap((list) => rowsOf(list, fullest, total.costMicroUsd)),
    });
  };
