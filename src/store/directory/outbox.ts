/** Usage is sent as sums of whole hours, so a repeated delivery is harmless. */
import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import { asReadable } from "../../domain/magnitudes.ts";
import type {
  DeliveredLatency,
  Delivery,
  HourlyUsage,
  OutboxStore,
  TenantHour,
} from "../../domain/ports/outbox.ts";
import { err, ok } from "../../domain/result.ts";
import { raw, type Database, type Row } from "../db.ts";
import { execute } from "../execute.ts";
import { auditKeys } from "../schema/seal-schema.ts";
import { figures, isSound } from "../usage/usage-figures.ts";

const maxEvents = 100;
const maxRows = 1_000;
const maxLatencies = 200;
/** ms after a request during which its hour may still change, except for open requests and events that say so. */
const changesForMs = 26 * 3_600_000;

/** Events of changes to usage of any age. */
const late = sql.raw(`('request.correct', 'request.settled_late')`);
const isNew = sql.raw("u.delivered <> 1");

const changed = (columns: SQL): SQL => sql`
  select ${columns} from tenants t cross join usage u on u.tenant_id = t.id
    and u.hour >= coalesce((select since from outbox where id = 1), 0) where ${isNew}
  union
  select ${columns} from (select distinct tenant_id
      from admin_events indexed by admin_events_outbox where delivered = 0 and action in ${late}) e
    cross join usage u on u.tenant_id = e.tenant_id where ${isNew}`;

const hoursOf = (rows: readonly Row[]): TenantHour[] => {
  const found = new Map<string, TenantHour>();
  for (const { tenant_id: tenantId, hour } of rows)
    found.set(`${String(tenantId)} ${String(hour)}`, {
      tenantId: String(tenantId),
      hour: Number(hour),
    });
  return [...found.values()];
};

const pairsOf = (hours: readonly TenantHour[]): string =>
  JSON.stringify(hours.map(({ tenantId, hour }) => [tenantId, hour]));

const figuresOf = (row: Row): number[] =>
  figures.map((name) => asReadable(Number(row[name] ?? 0)) ?? 0);

function usageOf(row: Row): HourlyUsage {
  const [succeeded, failed, refused, cancelled, unknown, inputTokens, outputTokens, costMicroUsd] =
    figuresOf(row) as [number, number, number, number, number, number, number, number];
  return {
    tenantId: String(row["tenant_id"]),
    hour: Number(row["hour"]),
    model: String(row["model"]),
    succeeded,
    failed,
    refused,
    cancelled,
    unknown,
    inputTokens,
    outputTokens,
    costMicroUsd,
  };
}

const eventOfRow = (row: Row): AdminEvent => {
  const { detail, ...event } = row as unknown as Omit<AdminEvent, "detail"> & { detail: string };
  return { ...event, detail: JSON.parse(detail) as AdminEvent["detail"] };
};

/** Undelivered latency counts. Must match the partial index literally for SQLite to use it. */
const uncounted = sql.raw(`select rowid from latencies where delivered <> 1 and "by" = 'model'`);

const latencyOfRow = (row: Row): DeliveredLatency => ({
  tenantId: String(row["tenant_id"]),
  width: Number(row["width"]),
  at: Number(row["at"]),
  model: String(row["grouped"]),
  histogram: String(row["histogram"]),
});

const isPending = sql`
  exists (select 1 from admin_events where delivered = 0)
    or exists (select 1 from audit_keys where delivered = 0)
    or exists (${uncounted})
    or exists (${changed(sql.raw("u.hour"))})`;

export function createOutboxStore(db: Database): OutboxStore {
  const stamp = () =>
    db.write([
      raw(sql`insert into outbox (id, version, since) values (1, 2, 0)
        on conflict (id) do update set version = outbox.version + 1 returning version`),
      raw(sql`update usage set delivered = (select version from outbox where id = 1)
        where rowid in (select id from (${changed(sql.raw("u.rowid as id"))}) limit ${maxRows})
        returning tenant_id, hour`),
      raw(sql`select id, at, actor, action, tenant_id as tenantId, target, detail from admin_events
        where delivered = 0 order by id limit ${maxEvents}`),
      raw(sql`select min(created_at) as oldest from sampling_requests where outcome = 'admitted'`),
      raw(sql`update latencies set delivered = (select version from outbox where id = 1)
        where rowid in (${uncounted} limit ${maxLatencies})
        returning tenant_id, width, at, grouped, histogram`),
    ]);

  const readRest = (hours: readonly TenantHour[], events: readonly AdminEvent[]) =>
    db.read(async (builder) => {
      const named = (...actions: string[]): string =>
        JSON.stringify(
          events.flatMap(({ action, tenantId }) => (actions.includes(action) ? tenantId : [])),
        );
      const sums = figures.map(
        (name) => sql`total(case when ${isSound} then u.${sql.raw(name)} end) as ${sql.raw(name)}`,
      );
      const usage = await builder.all<Row>(sql`
        select u.tenant_id, u.hour, u.model, ${sql.join(sums, sql`, `)}
        from json_each(${pairsOf(hours)}) j
          cross join usage u on u.tenant_id = j.value ->> 0 and u.hour = j.value ->> 1
        group by 1, 2, 3`);
      const tenants = await builder.all<Delivery["tenants"][number]>(sql`
        select id, name, created_at as createdAt from tenants
        where id in (select value from json_each(${named("tenant.create", "tenant.update")}))`);
      const deleted = await builder.all<{ id: string }>(sql`
        select value as id from json_each(${named("tenant.delete")})
        where value not in (select id from tenants)`);
      const keys = await builder
        .select({ id: auditKeys.id, publicKey: auditKeys.publicKey, code: auditKeys.code })
        .from(auditKeys)
        .where(eq(auditKeys.delivered, false))
        .orderBy(asc(auditKeys.id));
      return { usage: usage.map(usageOf), tenants, deleted: deleted.map(({ id }) => id), keys };
    });

  return {
    async begin(now) {
      const pending = await db.read((builder) =>
        builder.all<{ pending: number }>(sql`select ${isPending} as pending`),
      );
      if (!pending.ok) return pending;
      if (pending.value[0]?.pending !== 1) return ok(null);
      const stamped = await stamp();
      if (!stamped.ok) return stamped;
      const [outbox = [], rows = [], waiting = [], open = [], counted = []] = stamped.value;
      const version = outbox[0]?.["version"];
      if (version === undefined) return err({ reason: "unavailable", retryAfterMs: 1_000 });
      const isWhole = rows.length < maxRows;
      // An event of a late change waits until the changed hours are all on their way.
      const events = isWhole ? waiting.map(eventOfRow) : [];
      const hours = hoursOf(rows);
      const rest = await readRest(hours, events);
      if (!rest.ok) return rest;
      const { usage, tenants, deleted, keys } = rest.value;
      const oldest = Math.min(now, Number(open[0]?.["oldest"] ?? now));
      const since = isWhole ? Math.floor((oldest - changesForMs) / 3_600_000) * 3_600 : null;
      return ok({
        version: Number(version),
        events,
        tenants,
        deleted,
        hours,
        usage,
        latencies: counted.map(latencyOfRow),
        auditKeys: keys,
        since,
      });
    },

    end({ version, hours, events, auditKeys: keys, since }) {
      const ids = events.map(({ id }) => id);
      return execute(db, [
        raw(sql`update usage set delivered = 1 where delivered = ${version} and (tenant_id, hour) in
          (select value ->> 0, value ->> 1 from json_each(${pairsOf(hours)}))`),
        raw(sql`update latencies set delivered = 1
          where rowid in (${uncounted} and delivered = ${version})`),
        raw(sql`update admin_events set delivered = 1
          where id in (select value from json_each(${JSON.stringify(ids)}))`),
        ...keys.map(({ id, code }) =>
          db.builder
            .update(auditKeys)
            .set({ delivered: true })
            .where(and(eq(auditKeys.id, id), sql`${auditKeys.code} is ${code}`)),
        ),
        raw(sql`update outbox set since = coalesce(${since}, since)
          where id = 1 and version = ${version}`),
      ]);
    },

    raise: (version) =>
      execute(db, [raw(sql`update outbox set version = max(version, ${version}) where id = 1`)]),
  };
}
