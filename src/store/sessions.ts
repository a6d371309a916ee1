import { and, desc, eq, lt } from "drizzle-orm";
import type { SessionStore } from "../domain/ports.ts";
import { ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { appendEvent } from "./events.ts";
import { pageOf, rowsFor } from "./page.ts";
import { sessions } from "./schema.ts";

export const createSessionStore = (db: Database): SessionStore => {
  const its = (tenantId: string, id: string) =>
    and(eq(sessions.tenantId, tenantId), eq(sessions.id, id));
  return {
    async create(session) {
      const written = await db.write([db.builder.insert(sessions).values(session)]);
      return written.ok ? ok(null) : written;
    },
    get: (tenantId, id) =>
      db.read(async (builder) => {
        const [row] = await builder.select().from(sessions).where(its(tenantId, id)).limit(1);
        return row ?? null;
      }),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(sessions)
          .where(
            and(
              eq(sessions.tenantId, tenantId),
              page.cursor === null ? undefined : lt(sessions.id, page.cursor),
            ),
          )
          .orderBy(desc(sessions.id))
          .limit(rowsFor(page));
        return pageOf(rows, page);
      }),
    async touch(tenantId, id, now, expiresAt) {
      const written = await db.write([
        db.builder.update(sessions).set({ lastUsedAt: now, expiresAt }).where(its(tenantId, id)),
      ]);
      return written.ok ? ok(null) : written;
    },
    async end(tenantId, id, event) {
      const written = await db.write([
        db.builder.delete(sessions).where(its(tenantId, id)).returning({ id: sessions.id }),
        ...(event === null ? [] : [appendEvent(db.builder, event)]),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length > 0) : written;
    },
    async prune(now) {
      const written = await db.write([
        db.builder
          .delete(sessions)
          .where(lt(sessions.expiresAt, now))
          .returning({ id: sessions.id }),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },
  };
};
