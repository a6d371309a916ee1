/**
 * Budgets that people have to be told of. The counters of budgets say what calls used and reserved, so a scheduled
 * job finds what was crossed, and no call pays for that.
 */
import { sql, type SQL } from "drizzle-orm";
import { defaultShares, type BudgetLine } from "../domain/alerts.ts";
import { calendarMonthOf, dayOf } from "../domain/calendar.ts";
import { leastIdAt } from "../domain/tenancy/ids.ts";
import { nameOfLimit, type Hold, type LimitScope } from "../domain/limits/holds.ts";
import type { Resource } from "../domain/limits/resources.ts";
import { ok } from "../domain/result.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import type { Database } from "./db.ts";
import { createLimitStore } from "./limit-sums.ts";

/** s for which a period that is over is still looked at: a budget may be crossed in its last minute. */
const lookBackSeconds = 3_600;
/** ms for which a refusal shows that a budget is empty though calls have not used all of it. */
const refusedWithinMs = 10 * 60_000;
const linesAtOnce = 200;
const microUsd = 1_000_000;

/** The resources that are budgets: their windows, and the member of `Limits` that bounds each. */
const budgets = [
  { resource: "usd_day", of: dayOf, member: "usdPerDay" },
  { resource: "usd_month", of: calendarMonthOf, member: "usdPerMonth" },
] as const satisfies { resource: Resource; of: unknown; member: string }[];

/** Windows that are open, or were within the last hour, as rows of a query. */
function windowsAt(now: number): string {
  const second = Math.floor(now / 1_000);
  const windows = budgets.flatMap(({ resource, of, member }) =>
    [of(second), of(second - lookBackSeconds)].map(({ from, until }) =>
      JSON.stringify([resource, from, until, member]),
    ),
  );
  return `[${[...new Set(windows)].join(",")}]`;
}

interface Row {
  tenantId: string;
  subject: string;
  resource: Resource;
  bucket: number;
  until: number;
  scope: LimitScope;
  ceiling: number;
  limit: number;
  share: number;
  isRefused: number;
}

/** The text may be none, if somebody wrote into the database. */
const jsonOf = (column: string): SQL =>
  sql.raw(`case when json_valid(${column}) then ${column} end`);

const limitOf = (column: string): SQL =>
  sql`(${jsonOf(column)} ->> ('$.' || ${sql.raw(column === "k.limits" ? "''" : "'limits.'")} || w.member))`;

/** Each budget with what is counted of it in its window. */
const counted = (windows: string): SQL => sql`
  select c.tenant_id, c.subject, c.resource, c.bucket, w.until, c.amount, w.member,
    case when c.subject = t.id then 'tenant' when k.id is not null then 'key' else 'server' end
      as scope,
    case when c.subject = t.id then ${limitOf("t.policy")}
      when k.id is not null then ${limitOf("k.limits")} else ${limitOf("s.policy")} end as own,
    case when c.subject = t.id then ${limitOf("t.ceiling")} end as most,
    coalesce(${jsonOf("t.policy")} -> '$.alerts.shares', ${JSON.stringify(defaultShares)}) as shares
  from (
    select value ->> 0 as resource, value ->> 1 as bucket, value ->> 2 as until,
      value ->> 3 as member from json_each(${windows})) w
  cross join counters c on c.resource = w.resource and c.bucket = w.bucket and c.amount > 0
  cross join tenants t on t.id = c.tenant_id
  left join api_keys k on k.id = c.subject and k.tenant_id = c.tenant_id
  left join servers s on s.id = c.subject and s.tenant_id = c.tenant_id`;

/** The last call that did not fit any more says that a budget is empty. */
const refusedOf = (now: number): SQL => sql`exists (
  select 1 from sampling_requests r
  where r.tenant_id = l.tenant_id and r.id >= ${leastIdAt("request", now - refusedWithinMs)}
    and r.outcome = 'refused' and r.reason = 'budget_exceeded' and r.reason_detail = l.name
    and r.created_at >= l.bucket * 1000
    and (l.scope = 'tenant' or r.key_id = l.subject or r.server_id = l.subject))`;

const candidates = (now: number): SQL => sql`
  with counted as (${counted(windowsAt(now))}),
    lines as materialized (
      select *, round(min(coalesce(own, most), coalesce(most, own)) * ${microUsd}) as "limit",
        coalesce(most < coalesce(own, most + 1), 0) as ceiling,
        case when coalesce(most < coalesce(own, most + 1), 0) then 'ceiling' else scope end
          || '.' || member as name
      from counted),
    shared as (
      select l.*, told.value as share, l.amount * 100 >= l."limit" * told.value as crossed
      from lines l cross join json_each(l.shares) told
      where l."limit" > 0 and l.amount * 2 >= l."limit" * min(told.value / 50.0, 1)
        and not exists (
          select 1 from alerts a where a.tenant_id = l.tenant_id and a.kind = 'budget_crossed'
            and a.subject = l.subject and a.name = l.name and a.share = told.value
            and a.period_from = l.bucket * 1000))
  select tenant_id as tenantId, subject, resource, bucket, until, scope, ceiling, "limit", share,
    isRefused
  from (
    select l.*, case when l.share = 100 then ${refusedOf(now)} else 0 end as isRefused
    from shared l)
  where crossed or isRefused
  order by tenant_id, subject, resource, bucket, share limit ${linesAtOnce}`;

const holdOf = (row: Row): Hold => ({
  scope: row.scope,
  subject: row.subject,
  resource: row.resource,
  since: row.bucket,
  bucket: row.bucket,
  until: row.until,
  limit: row.limit,
  amount: 0,
  ...(row.ceiling === 1 && { ceiling: true }),
});

const lineOf = (row: Row, used: number): BudgetLine => ({
  tenantId: row.tenantId,
  name: nameOfLimit(holdOf(row)),
  subject: row.subject,
  limit: row.limit / microUsd,
  used: used / microUsd,
  periodFrom: row.bucket * 1_000,
  periodUntil: row.until * 1_000,
  share: row.share,
});

export async function crossedBudgets(db: Database, now: number): AsyncResult<BudgetLine[]> {
  const found = await db.read((builder) => builder.all<Row>(candidates(now)));
  if (!found.ok) return found;
  const limits = createLimitStore(db);
  const lines: BudgetLine[] = [];
  for (const [tenantId, rows] of Map.groupBy(found.value, (row) => row.tenantId)) {
    const sums = await limits.sum(tenantId, rows.map(holdOf), now);
    if (!sums.ok) return sums;
    for (const [at, row] of rows.entries()) {
      const { counted: amount = 0, reserved = 0 } = sums.value[at] ?? {};
      // What a call reserves is more than what the call comes to, so that alone crosses nothing.
      const used = amount - Math.min(reserved, amount);
      if (used * 100 >= row.limit * row.share || row.isRefused === 1) lines.push(lineOf(row, used));
    }
  }
  return ok(lines);
}
