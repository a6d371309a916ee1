import { and, eq, gt, lte } from "drizzle-orm";
import type { Authorization, AuthorizationStore } from "../domain/ports/server-stores.ts";
import { ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { appendEvent } from "./events.ts";
import { authorizations } from "./server-schema.ts";

export const createAuthorizationStore = (db: Database): AuthorizationStore => ({
  async create(authorization, event) {
    const written = await db.write([
      db.builder.insert(authorizations).values(authorization),
      appendEvent(db.builder, event),
    ]);
    return written.ok ? ok(null) : written;
  },
  take: (id, now) =>
    // One statement: of two that come with the same state, one gets it.
    db.read(async (builder): Promise<Authorization | null> => {
      const [row] = await builder
        .delete(authorizations)
        .where(and(eq(authorizations.id, id), gt(authorizations.expiresAt, now)))
        .returning();
      return row ?? null;
    }),
  async prune(now) {
    const written = await db.write([
      db.builder
        .delete(authorizations)
        .where(lte(authorizations.expiresAt, now))
        .returning({ id: authorizations.id }),
    ]);
    return written.ok ? ok(written.value[0]?.length ?? 0) : written;
  },
});
