import { and, desc, eq, lt } from "drizzle-orm";
import type { ServerStore } from "../domain/ports.ts";
import { writeChange } from "./change.ts";
import type { Database } from "./db.ts";
import { pageOf, rowsFor } from "./page.ts";
import { servers } from "./schema.ts";

export const createServerStore = (db: Database): ServerStore => ({
  create: (server, event) =>
    writeChange(db, server.tenantId, db.builder.insert(servers).values(server), event),
  bySlug: (tenantId, slug) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select()
        .from(servers)
        .where(and(eq(servers.tenantId, tenantId), eq(servers.slug, slug)))
        .limit(1);
      return row ?? null;
    }),
  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows = await builder
        .select()
        .from(servers)
        .where(
          and(
            eq(servers.tenantId, tenantId),
            page.cursor === null ? undefined : lt(servers.id, page.cursor),
          ),
        )
        .orderBy(desc(servers.id))
        .limit(rowsFor(page));
      return pageOf(rows, page);
    }),
  remove: (tenantId, id, event) =>
    writeChange(
      db,
      tenantId,
      db.builder.delete(servers).where(and(eq(servers.tenantId, tenantId), eq(servers.id, id))),
      event,
    ),
});
