/** Finds budgets that crossed an alert threshold. A scheduled job reads the counters, so calls do no extra work. */
import { sql, type SQL } from "drizzle-orm";
import { defaultThresholds, type CrossedBudget } from "../../domain/alerts.ts";
import type { CalendarOf } from "../../domain/calendar.ts";
import { minIdAt } from "../../domain/tenancy/ids.ts";
import { nameOfLimit, type LimitCheck, type LimitScope } from "../../domain/limits/limit-checks.ts";
import { endOfTime, type Resource } from "../../domain/limits/resources.ts";
import { ok } from "../../domain/result.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { budgetWindows, utc, windowColumns } from "./budget-windows.ts";
import type { Database } from "../db.ts";
import { scopesInColumns } from "../rows/stored-limit-checks.ts";
import { createLimitStore } from "./limit-sums.ts";
import { readRefusedNodes, refusedNodeKey } from "./nodes-refused.ts";
import { afterPause } from "../rows/windows.ts";

/** How long a `budget_exceeded` refusal counts as proof that the budget is used up, in ms. */
const refusalLookBackMs = 10 * 60_000;
const maxRows = 200;
const microsPerUsd = 1_000_000;

interface Row {
  tenantId: string;
  subject: string;
  resource: Resource;
  bucket: number;
  until: number | null;
  scope: LimitScope;
  ceiling: number;
  limit: number;
  threshold: number;
  isRefused: number;
}

/** A row that another program wrote may contain invalid JSON. */
const validJson = (column: string): string => `case when json_valid(${column}) then ${column} end`;
const policyJson = validJson("t.policy");

/** The limits of the group or tag at the end of `subject`; by default, the policy's limits for `each`. */
const limitsByName = (member: string, scope: LimitScope): string => `coalesce(
    (select e.value from json_each(${policyJson}, '$.${member}.limits') e
      where e.key = substr(c.subject, ${scope.length + 2})),
    ${policyJson} -> '$.${member}.each')`;

const nodeScope = "substr(c.subject, 1, instr(c.subject, ':') - 1)";

const limitsOfNode = sql.raw(`case
    when c.subject = t.id then ${policyJson} -> '$.limits'
    when k.id is not null then ${validJson("k.limits")}
    when s.id is not null then ${validJson("s.policy")} -> '$.limits'
    when ${nodeScope} = 'user' then ${policyJson} -> '$.perUser'
    when ${nodeScope} = 'group' then ${limitsByName("groups", "group")}
    when ${nodeScope} = 'tag' then ${limitsByName("tags", "tag")}
    when ${nodeScope} = 'run' then ${policyJson} -> '$.runs' end`);

const sinceRunBegan = afterPause({
  tenant: sql.raw("c.tenant_id"),
  subject: sql.raw("c.subject"),
  resource: sql.raw("c.resource"),
  pause: sql.raw("w.pause"),
  bucket: sql.raw("c.bucket"),
});

const inRun = (figure: "min(m.bucket)" | "sum(m.amount)"): SQL => sql`(
    select ${sql.raw(figure)} from counters m
    where m.tenant_id = c.tenant_id and m.subject = c.subject and m.resource = c.resource
      and m.bucket between ${sinceRunBegan} and c.bucket)`;

const countersInWindows = (windows: string, now: number): SQL => sql`
  select c.tenant_id, c.subject, c.resource, w.member,
    case when w.pause is null then c.bucket else ${inRun("min(m.bucket)")} end as bucket,
    case when w.pause is null then w.until else c.bucket + w.pause end as until,
    case when w.pause is null then c.amount else ${inRun("sum(m.amount)")} end as amount,
    case when c.subject = t.id then 'tenant' when k.id is not null then 'key'
      when s.id is not null then 'server' else ${sql.raw(nodeScope)} end as scope,
    ${limitsOfNode} ->> ('$.' || w.member) as policy_limit,
    (select max(e.value ->> ('$.limits.' || w.member)) from json_each(${sql.raw(policyJson)}, '$.raises') e
      where e.value ->> '$.subject' = c.subject and e.value ->> '$.until' > ${now}) as raised_limit,
    case when c.subject = t.id
      then ${sql.raw(validJson("t.ceiling"))} ->> ('$.limits.' || w.member) end as ceiling_limit,
    coalesce(${sql.raw(policyJson)} -> '$.alerts.thresholds', ${JSON.stringify(defaultThresholds)}) as thresholds
  from (
    select ${sql.raw(windowColumns.map((name, at) => `value ->> ${at} as ${name}`).join(", "))}
    from json_each(${windows})) w
  cross join counters c on c.resource = w.resource and c.bucket between w.first and w.last
    and (w.pause is not null or c.amount > 0)
  cross join tenants t on t.id = c.tenant_id
    and (w.zone is null or w.zone = coalesce(${sql.raw(policyJson)} ->> '$.timeZone', ${utc}))
  left join api_keys k on k.id = c.subject and k.tenant_id = c.tenant_id
  left join servers s on s.id = c.subject and s.tenant_id = c.tenant_id
  where w.pause is null or not exists (
    select 1 from counters n
    where n.tenant_id = c.tenant_id and n.subject = c.subject and n.resource = c.resource
      and n.bucket > c.bucket and n.bucket <= w.last)`;

/**
 * A refusal proves that a budget is used up, unless a retry could succeed before the period ends: then only
 * running calls' reservations fill the budget.
 */
const wasRefused = (now: number): SQL => sql`exists (
  select 1 from sampling_requests r
  where r.tenant_id = l.tenant_id and r.id >= ${minIdAt("request", now - refusalLookBackMs)}
    and r.outcome = 'refused' and r.reason = 'budget_exceeded' and r.reason_detail = l.name
    and r.created_at >= l.bucket * 1000
    and (r.retry_after_ms is null or r.retry_after_ms >= l.until * 1000 - r.settled_at)
    and (l.scope not in ('key', 'server') or r.key_id = l.subject or r.server_id = l.subject))`;

/**
 * One row per budget and unreported alert threshold. `with_threshold` also keeps budgets that are half used: a refusal may
 * prove that they are used up.
 */
const crossingsQuery = (windows: string, now: number): SQL => sql`
  with in_window as materialized (${countersInWindows(windows, now)}),
    with_policy as (
      select *, max(policy_limit, coalesce(raised_limit, policy_limit)) as effective_limit
      from in_window),
    with_limit as materialized (
      select *, round(min(coalesce(effective_limit, ceiling_limit), coalesce(ceiling_limit, effective_limit))
          * ${microsPerUsd}) as "limit",
        coalesce(ceiling_limit < coalesce(effective_limit, ceiling_limit + 1), 0) as ceiling,
        case when coalesce(ceiling_limit < coalesce(effective_limit, ceiling_limit + 1), 0)
          then 'ceiling' else scope end || '.' || member as name
      from with_policy),
    with_threshold as (
      select l.*, threshold.value as threshold, l.amount * 100 >= l."limit" * threshold.value as crossed
      from with_limit l cross join json_each(l.thresholds) threshold
      where l."limit" > 0 and l.amount * 2 >= l."limit" * min(threshold.value / 50.0, 1)
        and not exists (
          select 1 from alerts a where a.tenant_id = l.tenant_id and a.kind = 'budget_crossed'
            and a.subject = l.subject and a.name = l.name and a.threshold = threshold.value
            and a.period_from = l.bucket * 1000))
  select tenant_id as tenantId, subject, resource, bucket, until, scope, ceiling, "limit", threshold,
    isRefused
  from (
    select l.*, case when l.threshold = 100 then ${wasRefused(now)} else 0 end as isRefused
    from with_threshold l)
  where crossed or isRefused
  order by tenant_id, subject, resource, bucket, threshold limit ${maxRows}`;

const limitCheckOf = (row: Row): LimitCheck => ({
  scope: row.scope,
  subject: row.subject,
  resource: row.resource,
  since: row.bucket,
  bucket: row.bucket,
  until: row.until ?? endOfTime,
  limit: row.limit,
  amount: 0,
  ...(row.ceiling === 1 && { ceiling: true }),
});

const nameOf = (row: Row): string => nameOfLimit(limitCheckOf(row));

const crossedBudgetOf = (row: Row, used: number): CrossedBudget => ({
  tenantId: row.tenantId,
  name: nameOf(row),
  subject: row.subject,
  limit: row.limit / microsPerUsd,
  used: used / microsPerUsd,
  periodFrom: row.bucket * 1_000,
  periodUntil: row.until === null ? null : row.until * 1_000,
  threshold: row.threshold,
});

const timeZonesQuery = sql`
  select distinct coalesce(${sql.raw(policyJson)} ->> '$.timeZone', ${utc}) || '' as zone from tenants t`;

async function readCrossings(
  db: Database,
  { now, calendarOf }: { now: number; calendarOf: CalendarOf },
): AsyncResult<Row[]> {
  const zones = await db.read((builder) => builder.all<{ zone: string }>(timeZonesQuery));
  if (!zones.ok) return zones;
  const names = zones.value.map(({ zone }) => zone);
  const windows = budgetWindows({ now, calendarOf, zones: names });
  return db.read((builder) => builder.all<Row>(crossingsQuery(windows, now)));
}

export async function crossedBudgets(
  db: Database,
  clock: { now: number; calendarOf: CalendarOf },
): AsyncResult<CrossedBudget[]> {
  const { now } = clock;
  const found = await readCrossings(db, clock);
  if (!found.ok) return found;
  const limits = createLimitStore(db);
  const crossed: CrossedBudget[] = [];
  for (const [tenantId, rows] of Map.groupBy(found.value, (row) => row.tenantId)) {
    const sums = await limits.sum(tenantId, rows.map(limitCheckOf), now);
    if (!sums.ok) return sums;
    const names = rows.filter(({ isRefused }) => isRefused === 1).map(nameOf);
    const refused = await readRefusedNodes(db, { tenantId, names, since: now - refusalLookBackMs });
    if (!refused.ok) return refused;
    for (const [at, row] of rows.entries()) {
      const { counted: amount = 0, reserved = 0 } = sums.value[at] ?? {};
      // Excludes reservations, which exceed the actual cost.
      const used = amount - Math.min(reserved, amount);
      const isRefused =
        row.isRefused === 1 &&
        (scopesInColumns.has(row.scope) ||
          refused.value.has(refusedNodeKey(nameOf(row), row.subject)));
      if (used * 100 >= row.limit * row.threshold || isRefused)
        crossed.push(crossedBudgetOf(row, used));
    }
  }
  return ok(crossed);
}
