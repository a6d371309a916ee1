import { and, desc, eq, getTableColumns, gte, lt, sql, type SQL } from "drizzle-orm";
import type { AdminEvent, EventFilter } from "../domain/admin-event.ts";
import type { EventStore } from "../domain/ports/stores.ts";
import { ok } from "../domain/result.ts";
import { minIdAt } from "../domain/tenancy/ids.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { execute } from "./execute.ts";
import { isOnPage, pageOf, rowsFor } from "./page.ts";
import { idSlackMs } from "./records/retention.ts";
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

const spanOf = ({ tenant, from, to }: EventFilter) => [
  tenant === undefined ? undefined : eq(adminEvents.tenantId, tenant),
  // Ids bound the scan of the index.
  ...(from === undefined
    ? []
    : [gte(adminEvents.at, from), gte(adminEvents.id, minIdAt("event", from - idSlackMs))]),
  ...(to === undefined
    ? []
    : [lt(adminEvents.at, to), lt(adminEvents.id, minIdAt("event", to + idSlackMs))]),
];

/** The start of actions, or after an exclamation mark, of none. */
function actionIs(text: string): SQL {
  const start = text.replace(/^!/, "");
  const starts = sql`substr(${adminEvents.action}, 1, ${start.length}) = ${start}`;
  return start === text ? starts : sql`not ${starts}`;
}

const membersOf = ({ actor, action, target, text }: EventFilter) => [
  actor === undefined ? undefined : eq(adminEvents.actor, actor),
  action === undefined ? undefined : actionIs(action),
  target === undefined ? undefined : eq(adminEvents.target, target),
  text === undefined
    ? undefined
    : sql`instr(lower(${adminEvents.actor} || ' ' || ${adminEvents.action} || ' ' ||
        ${adminEvents.target} || ' ' || ${adminEvents.detail}), lower(${text})) > 0`,
];

/** Events that one filtered page may scan. */
const maxSearchedByDefault = 100_000;

export const createEventStore = (db: Database, maxSearched = maxSearchedByDefault): EventStore => ({
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
  list: (tenantId, { filter = {}, ...page }) =>
    db.read(async (builder) => {
      const inSpan = and(isOnPage(adminEvents, tenantId, page), ...spanOf(filter));
      const members = membersOf(filter);
      const searched = members.every((member) => member === undefined)
        ? []
        : await builder
            .select({ id: adminEvents.id })
            .from(adminEvents)
            .where(inSpan)
            .orderBy(desc(adminEvents.id))
            .limit(1)
            .offset(maxSearched - 1);
      const oldest = searched[0]?.id;
      const rows = await builder
        .select(eventColumns)
        .from(adminEvents)
        .where(
          and(inSpan, oldest === undefined ? undefined : gte(adminEvents.id, oldest), ...members),
        )
        .orderBy(desc(adminEvents.id))
        .limit(rowsFor(page));
      const { data, nextCursor } = pageOf(rows, page);
      return { data, nextCursor: nextCursor ?? oldest ?? null };
    }),
});
