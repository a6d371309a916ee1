/** Alerts, written once per period with their event and webhook messages. */
import { and, desc, getTableColumns, gt, sql, type SQL } from "drizzle-orm";
import type { Alert, AlertPolicy, Attention } from "../../domain/alerts.ts";
import { noAttention, sealsStoppedMs, sinkBehindMs } from "../../domain/alerts.ts";
import { forgottenAfterMs, type CircuitFault } from "../../domain/choice/circuits.ts";
import type { AlertDelivery, AlertStore, Trouble } from "../../domain/ports/alerts.ts";
import { ok } from "../../domain/result.ts";
import { minIdAt } from "../../domain/tenancy/ids.ts";
import { alerts } from "../schema/alert-schema.ts";
import { crossedBudgets } from "../budgets/crossed-budgets.ts";
import { raw, type Database } from "../db.ts";
import { countRows } from "../execute.ts";
import { appendEventWhere } from "../events.ts";
import { circuits } from "../schema/health-schema.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";

const dayMs = 86_400_000;
export const keptAlertsMs = 90 * dayMs;
const troublesAtOnce = 200;
const circuitsAtOnce = 1_000;

const isMine = ({ tenantId, id }: Alert): SQL =>
  sql`exists (select 1 from alerts where tenant_id = ${tenantId} and id = ${id})`;

const untold = (trouble: { tenantId: string; kind: string; subject: string }, now: number): SQL =>
  sql`not exists (
    select 1 from alerts a where a.tenant_id = ${sql.raw(trouble.tenantId)}
      and a.kind = ${sql.raw(trouble.kind)} and a.subject = ${sql.raw(trouble.subject)}
      and a.period_until > ${now})`;

const rowOf = ({ name, threshold, ...alert }: Alert) => ({
  ...alert,
  name: name ?? "",
  threshold: threshold ?? 0,
});

const messageOf = (alert: Alert, { url, body }: { url: string; body: string }, at: number) =>
  raw(sql`
    insert into webhook_messages
      (tenant_id, id, url, body, state, attempts, created_at, next_at)
    select ${alert.tenantId}, ${`msg_${alert.id}_${alert.kind}_${at}`}, ${url}, ${body}, 'pending', 0,
      ${alert.at}, ${alert.at}
    where ${isMine(alert)} on conflict do nothing`);

/** Ids of messages begin with the alert's. */
const deliveries = sql<string>`(
  select json_group_array(json_object('id', id, 'url', url, 'state', state, 'status', status,
    'fault', fault, 'endedAt', ended_at))
  from webhook_messages m where m.tenant_id = alerts.tenant_id
    and m.id between 'msg_' || alerts.id || '_' and 'msg_' || alerts.id || '_~')`;

export const createAlertStore = (db: Database): AlertStore => ({
  crossed: (now, calendarOf) => crossedBudgets(db, { now, calendarOf }),

  troubles: (now) =>
    db.read((builder) =>
      builder.all<Trouble>(sql`
        select tenantId, kind, subject from (
          select tenant_id as tenantId, 'credential_failing' as kind, id as subject
            from credentials where status = 'failing'
          union all
          select tenant_id, 'server_failing', id from servers where status = 'failing'
          union all
          select tenant_id, 'sink_behind', tenant_id from audit_sinks
            where behind_since <= ${now - sinkBehindMs}
          union all
          select id, 'seals_stopped', id from tenants t
            where (select settled_at from sampling_requests r
              where r.tenant_id = t.id and r.seal_number is null and r.outcome <> 'admitted'
                and r.correction is null
              order by r.record_number limit 1) <= ${now - sealsStoppedMs}) f
        where ${untold({ tenantId: "f.tenantId", kind: "f.kind", subject: "f.subject" }, now)}
        limit ${troublesAtOnce}`),
    ),

  circuits: (now) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({
          tenantId: circuits.tenantId,
          scope: circuits.scope,
          faults: sql<
            string | null
          >`case when json_valid(${circuits.faults}) then ${circuits.faults} end`,
          probeUntil: circuits.probeUntil,
        })
        .from(circuits)
        .where(
          and(
            gt(circuits.updatedAt, now - forgottenAfterMs),
            untold(
              { tenantId: "circuits.tenant_id", kind: "'circuit_open'", subject: "circuits.scope" },
              now,
            ),
          ),
        )
        .limit(circuitsAtOnce);
      return rows.flatMap(({ faults, ...row }) =>
        faults === null ? [] : [{ ...row, faults: JSON.parse(faults) as CircuitFault[] }],
      );
    }),

  tenant: (tenantId) =>
    db.read(async (builder) => {
      const [row] = await builder.all<{ slug: string; name: string; alerts: string | null }>(sql`
        select slug, name, case when json_valid(policy) then policy -> '$.alerts' end as alerts
        from tenants where id = ${tenantId}`);
      return row === undefined
        ? null
        : { ...row, alerts: JSON.parse(row.alerts ?? "{}") as AlertPolicy };
    }),

  async raise(alert, event, messages) {
    const written = await db.write([
      db.builder.insert(alerts).values(rowOf(alert)).onConflictDoNothing(),
      ...messages.map((message, at) => messageOf(alert, message, at + 1)),
      appendEventWhere(
        event,
        sql`${isMine(alert)} and not exists (select 1 from admin_events where id = ${event.id})`,
      ),
      raw(sql`select ${isMine(alert)} as mine`),
    ]);
    return written.ok ? ok(written.value.at(-1)?.[0]?.["mine"] === 1) : written;
  },

  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({ ...getTableColumns(alerts), deliveries })
        .from(alerts)
        .where(isOnPage(alerts, tenantId, page))
        .orderBy(desc(alerts.id))
        .limit(rowsFor(page));
      return pageOf(
        rows.map((row) => ({
          ...row,
          name: row.name || null,
          threshold: row.threshold || null,
          deliveries: JSON.parse(row.deliveries) as AlertDelivery[],
        })),
        page,
      );
    }),

  attention: (tenantId, now) =>
    db.read(async (builder) => {
      const [counts] = await builder.all<Attention>(sql`
        select (select count(*) from credentials where tenant_id = ${tenantId} and status = 'failing')
            as failingCredentials,
          (select count(*) from servers where tenant_id = ${tenantId}
            and (status = 'failing'
              or case when json_valid(learned) then learned ->> '$.lastCheck.ok' end = 0)
            and case when json_valid(policy) then policy ->> '$.disabled' end is not 1)
            as failingServers,
          (select count(*) from alerts where tenant_id = ${tenantId}
            and id >= ${minIdAt("alert", now - dayMs)}
            and kind in ('circuit_open', 'seals_stopped', 'sink_behind')) as recentAlerts`);
      return counts ?? noAttention;
    }),

  prune: (now) =>
    countRows(db, [
      raw(sql`delete from alerts where period_until <= ${now - keptAlertsMs} returning id`),
    ]),
});
