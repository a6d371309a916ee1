import { and, eq, gt, lte } from "drizzle-orm";
import type { Authorization, AuthorizationStore } from "../../domain/ports/server-stores.ts";
import { ok } from "../../domain/result.ts";
import type { Database, Row } from "../db.ts";
import { countRows, execute } from "../execute.ts";
import { appendEvent } from "../events.ts";
import { authorizations } from "../schema/server-schema.ts";

const authorizationOf = (row: Row): Authorization => ({
  id: String(row["id"]),
  tenantId: String(row["tenant_id"]),
  serverId: String(row["server_id"]),
  owner:
    row["user_id"] === null
      ? null
      : { userId: row["user_id"] as string, shown: row["shown"] as string },
  actor: String(row["actor"]),
  sealed: String(row["sealed"]),
  expiresAt: Number(row["expires_at"]),
});

export const createAuthorizationStore = (db: Database): AuthorizationStore => ({
  create: ({ owner, ...authorization }, event) =>
    execute(db, [
      db.builder.insert(authorizations).values({ ...authorization, ...owner }),
      appendEvent(db.builder, event),
    ]),
  async take(id, now) {
    // One statement, so that concurrent callers with the same state can't both get it.
    const written = await db.write([
      db.builder
        .delete(authorizations)
        .where(and(eq(authorizations.id, id), gt(authorizations.expiresAt, now)))
        .returning(),
    ]);
    if (!written.ok) return written;
    const row = written.value[0]?.[0];
    return ok(row === undefined ? null : authorizationOf(row));
  },
  prune: (now) =>
    countRows(db, [
      db.builder
        .delete(authorizations)
        .where(lte(authorizations.expiresAt, now))
        .returning({ id: authorizations.id }),
    ]),
});
