import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import { shownServer, type SealedServer } from "../../domain/servers/server.ts";
import { raiseVersion, writeChange } from "../change.ts";
import type { Database } from "../db.ts";
import { execute, hasRows } from "../execute.ts";
import { appendEvent, appendEventWhere } from "../events.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";
import { countPastUsage } from "../budgets/spent.ts";
import { authorizations, servers, serverTokens, userTokens } from "../schema/server-schema.ts";

export const createServerStore = (db: Database): ServerStore => {
  const whereId = (tenantId: string, id: string) =>
    and(eq(servers.tenantId, tenantId), eq(servers.id, id));
  const findBy = (
    tenantId: string,
    column: typeof servers.id | typeof servers.slug,
    value: string,
  ) =>
    db.read(async (builder): Promise<SealedServer | null> => {
      const [row] = await builder
        .select()
        .from(servers)
        .where(and(eq(servers.tenantId, tenantId), eq(column, value)));
      return row ?? null;
    });
  const deleteTokens = (tenantId: string, id: string) =>
    [serverTokens, userTokens, authorizations].map((table) =>
      db.builder.delete(table).where(and(eq(table.tenantId, tenantId), eq(table.serverId, id))),
    );
  return {
    create: (server, event) =>
      writeChange(db, server.tenantId, db.builder.insert(servers).values(server), event),
    bySlug: (tenantId, slug) => findBy(tenantId, servers.slug, slug),
    byId: (tenantId, id) => findBy(tenantId, servers.id, id),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(servers)
          .where(isOnPage(servers, tenantId, page))
          .orderBy(desc(servers.id))
          .limit(rowsFor(page));
        return pageOf(rows.map(shownServer), page);
      }),
    update: (tenantId, id, { ...values }, { event, now, tokens, ifVersion, calendar }) =>
      execute(db, [
        raiseVersion(db.builder, tenantId, ifVersion),
        db.builder
          .update(servers)
          .set({ ...values, updatedAt: now })
          .where(whereId(tenantId, id)),
        countPastUsage(
          { scope: "server", tenantId, subject: id },
          { now, ...(calendar !== undefined && { calendar }) },
        ),
        ...(tokens === "forget" ? deleteTokens(tenantId, id) : []),
        appendEvent(db.builder, event),
      ]),
    remove: (tenantId, id, event) =>
      execute(db, [
        ...deleteTokens(tenantId, id),
        db.builder.delete(servers).where(whereId(tenantId, id)),
        raiseVersion(db.builder, tenantId),
        appendEvent(db.builder, event),
      ]),
    learn: (tenantId, id, learned) =>
      execute(db, [
        db.builder
          .update(servers)
          .set({ learned: sql`json_patch(${servers.learned}, ${JSON.stringify(learned)})` })
          .where(whereId(tenantId, id)),
      ]),
    replaceSealed: (tenantId, id, { from, to }) =>
      hasRows(db, [
        db.builder
          .update(servers)
          .set({ sealed: to })
          .where(and(whereId(tenantId, id), sql`${servers.sealed} is ${from}`))
          .returning({ id: servers.id }),
      ]),
    setStatus(tenantId, id, status, { event, now }) {
      const hasOtherStatus = and(whereId(tenantId, id), ne(servers.status, status));
      return execute(db, [
        // Must precede the update, after which the condition is false.
        appendEventWhere(
          event,
          sql`exists (select 1 from servers where tenant_id = ${tenantId} and id = ${id}
            and status <> ${status})`,
        ),
        db.builder.update(servers).set({ status, updatedAt: now }).where(hasOtherStatus),
      ]);
    },
  };
};
