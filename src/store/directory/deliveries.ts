/**
 * A delivery takes effect only if its version is newer than the last one, so duplicates and late ones change
 * nothing.
 */
import { sql, type SQL } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Delivery, DeliveryStore } from "../../domain/ports/outbox.ts";
import { ok } from "../../domain/result.ts";
import { databaseOf } from "../../domain/tenancy/database-names.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import { arraysOf } from "../rows/json-arrays.ts";
import { figures, raised } from "../usage/usage-figures.ts";

const columns = sql.raw(figures.join(", "));
const given = sql.raw(figures.map((name, at) => `j.value ->> ${at + 3} as ${name}`).join(", "));
const taken = sql.raw(figures.map((name) => `-${name} as ${name}`).join(", "));
const sums = sql.raw(figures.map((name) => `sum(${name})`).join(", "));

const isChange = sql.raw(figures.map((name) => `sum(${name}) <> 0`).join(" or "));
const replaced = sql.raw(figures.map((name) => `${name} = excluded.${name}`).join(", "));
const differs = sql.raw(
  figures.map((name) => `delivered_usage.${name} <> excluded.${name}`).join(" or "),
);

const changeTotals = (difference: SQL): Compiled =>
  raw(sql`
    insert into usage_totals (width, at, model, ${columns})
    select w.value, d.hour / w.value * w.value, d.model, ${sums}
    from (${difference}) d cross join json_each('[3600, 86400]') w
    where true group by 1, 2, 3 having ${isChange}
    on conflict (width, at, model) do update set ${raised}`);

/** Must run before the tenant's placement is deleted. */
export const withoutUsageOf = (tenant: SQL): Compiled[] => [
  changeTotals(
    sql`select hour, model, ${taken} from delivered_usage where tenant_id in (${tenant})`,
  ),
  raw(sql`delete from delivered_usage where tenant_id in (${tenant})`),
  raw(sql`delete from delivered_latencies where tenant_id in (${tenant})`),
];

const eventEntry = ({ id, at, actor, action, tenantId, target, detail }: AdminEvent) => [
  id,
  at,
  actor,
  action,
  tenantId,
  target,
  JSON.stringify(detail),
];

interface Arrived {
  database: string;
  delivery: Delivery;
}

/** The last statement of the batch ends this condition. */
const isNewer = ({ database, delivery: { version } }: Arrived): SQL => sql`not exists (
  select 1 from deliveries where database = ${database} and version >= ${version})`;

/** A database can only report its own tenants. */
const placed = (tenant: SQL, { database }: Arrived): SQL => sql`exists (
  select 1 from placements p where p.tenant_id = ${tenant} and p.database = ${database})`;

const enterEvents = (arrived: Arrived): Compiled[] =>
  arraysOf(
    arrived.delivery.events
      .filter(({ tenantId }) => tenantId === null || databaseOf(tenantId) === arrived.database)
      .map(eventEntry),
  ).map((entries) =>
    raw(sql`
      insert into admin_events (id, at, actor, action, tenant_id, target, detail, delivered)
      select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
        value ->> 6, 1
      from json_each(${entries}) where ${isNewer(arrived)} on conflict (id) do nothing`),
  );

const enterTenants = (arrived: Arrived): Compiled[] => {
  const { tenants, deleted } = arrived.delivery;
  const gone = sql`select p.tenant_id from placements p where p.database = ${arrived.database}
    and p.tenant_id in (select value from json_each(${JSON.stringify(deleted)}))
    and ${isNewer(arrived)}`;
  return [
    ...arraysOf(tenants.map(({ id, name, createdAt }) => [id, name, createdAt])).map((entries) =>
      raw(sql`
        update placements set name = j.value ->> 1, created_at = j.value ->> 2,
          state = case state when 'creating' then 'active' else state end
        from json_each(${entries}) j
        where placements.tenant_id = j.value ->> 0 and placements.database = ${arrived.database}
          and ${isNewer(arrived)}`),
    ),
    ...(deleted.length === 0
      ? []
      : [...withoutUsageOf(gone), raw(sql`delete from placements where tenant_id in (${gone})`)]),
  ];
};

const enterUsage = (arrived: Arrived): Compiled[] => {
  const { hours, usage } = arrived.delivery;
  if (hours.length === 0) return [];
  const pairs = JSON.stringify(hours.map(({ tenantId, hour }) => [hour, tenantId]));
  const before = sql`(hour, tenant_id) in (select value ->> 0, value ->> 1 from json_each(${pairs}))
    and ${isNewer(arrived)}`;
  const isPlaced = sql`${placed(sql`j.value ->> 1`, arrived)} and ${isNewer(arrived)}`;
  const arrays = arraysOf(
    usage.map(({ hour, tenantId, model, ...row }) => [
      hour,
      tenantId,
      model,
      row.succeeded,
      row.failed,
      row.refused,
      row.cancelled,
      row.unknown,
      row.inputTokens,
      row.outputTokens,
      row.costMicroUsd,
    ]),
  );
  const after = arrays.map(
    (array) => sql`select j.value ->> 0 as hour, j.value ->> 2 as model, ${given}
      from json_each(${array}) j where ${isPlaced}`,
  );
  const named = arrays.map(
    (array) => sql`and (hour, tenant_id, model) not in (
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${array}))`,
  );
  // Skips unchanged models: Cloudflare bills each written row.
  return [
    changeTotals(
      sql.join(
        [sql`select hour, model, ${taken} from delivered_usage where ${before}`, ...after],
        sql` union all `,
      ),
    ),
    raw(sql`delete from delivered_usage where ${before} ${sql.join(named, sql` `)}`),
    ...arrays.map((array) =>
      raw(sql`
        insert into delivered_usage (hour, tenant_id, model, ${columns})
        select j.value ->> 0, j.value ->> 1, j.value ->> 2, ${given}
        from json_each(${array}) j where ${isPlaced}
        on conflict (hour, tenant_id, model) do update set ${replaced} where ${differs}`),
    ),
  ];
};

const enterLatencies = (arrived: Arrived): Compiled[] =>
  arraysOf(
    arrived.delivery.latencies.map(({ tenantId, width, at, model, histogram }) => [
      width,
      at,
      tenantId,
      model,
      histogram,
    ]),
  ).map((entries) =>
    raw(sql`
      insert into delivered_latencies (width, at, tenant_id, model, histogram)
      select j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4
      from json_each(${entries}) j
      where ${placed(sql`j.value ->> 2`, arrived)} and ${isNewer(arrived)}
      on conflict (width, at, tenant_id, model) do update set histogram = excluded.histogram`),
  );

/** An existing key is kept unless it is not yet trusted. */
const enterKeys = (arrived: Arrived, now: number): Compiled[] =>
  arrived.delivery.auditKeys.map(({ id, publicKey, code }) =>
    raw(sql`
      insert into audit_keys (id, public_key, code, created_at, delivered)
      select ${id}, ${publicKey}, ${code}, ${now}, 1 where ${isNewer(arrived)}
      on conflict (id) do nothing`),
  );

export const createDeliveryStore = (db: Database): DeliveryStore => ({
  async enter({ database, now }, delivery) {
    const arrived = { database, delivery };
    const written = await db.write([
      ...enterEvents(arrived),
      ...enterTenants(arrived),
      ...enterUsage(arrived),
      ...enterLatencies(arrived),
      ...enterKeys(arrived, now),
      raw(sql`
        insert into deliveries (database, version) select ${database}, ${delivery.version}
        where ${isNewer(arrived)} on conflict (database) do update set version = excluded.version
        returning version`),
      raw(sql`select version from deliveries where database = ${database}`),
    ]);
    if (!written.ok) return written;
    const [entered = [], last = []] = written.value.slice(-2);
    return ok({
      entered: entered.length > 0,
      version: Number(last[0]?.["version"] ?? delivery.version),
    });
  },
});
