import { desc, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import type { EventStore } from "../domain/ports/stores.ts";
import { ok } from "../domain/result.ts";
import { minIdAt } from "../domain/tenancy/ids.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { execute } from "./execute.ts";
import { isOnPage, pageOf, rowsFor } from "./page.ts";
import { adminEvents } from "./schema.ts";

const { delivered: _, ...eventColumns } = getTableColumns(adminEvents);

/** Must run in the transaction of the change it describes. */
export const appendEvent = (builder: Builder, event: AdminEvent): Compiled =>
  builder.insert(adminEvents).values(event);

export const appendEventWhere = (event: AdminEvent, condition: SQL): Compiled =>
  raw(sql`
    insert into admin_events (id, at, actor, action, tenant_id, target, detail)
    select ${event.id}, ${event.at}, ${event.actor}, ${event.action}, ${event.tenantId},
      ${event.target}, ${JSON.stringify(event.detail)}
    where ${condition}`);

export const createEventStore = (db: Database): EventStore => ({
  append: (event) => execute(db, [appendEvent(db.builder, event)]),
  async appendOnce(event, since) {
    const isKnown = sql`exists (select 1 from admin_events
      where tenant_id is ${event.tenantId} and id >= ${minIdAt("event", since)}
        and action = ${event.action} and target = ${event.target})`;
    const { id } = event;
    const written = await db.write([
      appendEventWhere(event, sql`not ${isKnown}`),
      raw(sql`select 1 from admin_events where id = ${id}`),
    ]);
    return written.ok ? ok((written.value[1] ?? []).length > 0) : written;
  },
  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows = await builder
        .select(eventColumns)
        .from(adminEvents)
        .where(isOnPage(adminEvents, tenantId, page))
        .orderBy(desc(adminEvents.id))
        .limit(rowsFor(page));
      return pageOf(rows, page);
    }),
});
