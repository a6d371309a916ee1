import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { UserStore } from "../../domain/ports/users.ts";
import { ok } from "../../domain/result.ts";
import type { StoredUser } from "../../domain/tenancy/user.ts";
import { raiseVersion, writeChange } from "../change.ts";
import { raw, type Database } from "../db.ts";
import { execute, inLane } from "../execute.ts";
import { appendEventWhere } from "../events.ts";
import { pageOf, rowsFor } from "../page.ts";
import { apiKeys, sessions } from "../schema.ts";
import { consoleSessions } from "../schema/console-schema.ts";
import { users } from "../schema/user-schema.ts";

type Row = typeof users.$inferSelect;
const userOf = ({ finder, keyId, ...row }: Row): StoredUser => ({
  ...row,
  finder: finder ?? "",
  keyId: keyId ?? "",
});

export const createUserStore = (db: Database): UserStore => {
  const isUser = (tenantId: string) => and(eq(users.tenantId, tenantId), isNotNull(users.finder));
  const one = (tenantId: string, column: typeof users.id | typeof users.finder, is: string) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select()
        .from(users)
        .where(and(isUser(tenantId), eq(column, is)));
      return row === undefined ? null : userOf(row);
    });
  const keysFor = (tenantId: string, id: string) =>
    and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.userId, id));
  return {
    get: (tenantId, id) => one(tenantId, users.id, id),
    byFinder: (tenantId, finder) => one(tenantId, users.finder, finder),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(users)
          .where(
            and(isUser(tenantId), page.cursor === null ? undefined : lt(users.id, page.cursor)),
          )
          .orderBy(desc(users.id))
          .limit(rowsFor(page));
        return pageOf(rows.map(userOf), page);
      }),
    finderKey: (tenantId) =>
      db.read(async (builder) => {
        const [row] = await builder
          .select({ sealed: users.sealed })
          .from(users)
          .where(and(eq(users.tenantId, tenantId), eq(users.id, tenantId)));
        return row?.sealed ?? null;
      }),
    keepFinderKey: ({ tenantId, sealed, createdAt }) =>
      execute(inLane(db, tenantId), [
        raw(sql`
            insert into users (id, tenant_id, sealed, created_at)
            values (${tenantId}, ${tenantId}, ${sealed}, ${createdAt}) on conflict do nothing`),
      ]),
    async create(user, key, event) {
      const { id, tenantId, finder, name, keyId, sealed, createdAt } = user;
      const isMade = sql`exists (select 1 from users
        where id = ${id} and tenant_id = ${tenantId} and key_id = ${keyId})`;
      const written = await db.write(
        [
          raw(sql`
            insert into users (id, tenant_id, finder, name, key_id, sealed, created_at)
            values (${id}, ${tenantId}, ${finder}, ${name}, ${keyId}, ${sealed}, ${createdAt})
            on conflict do nothing returning id`),
          raw(sql`
            insert into api_keys
              (id, tenant_id, name, secret_hash, code, scopes, limits, created_at, created_by,
               user_id)
            select ${key.id}, ${tenantId}, ${key.name}, ${key.secretHash}, ${key.code},
              ${JSON.stringify(key.scopes)}, ${JSON.stringify(key.limits)}, ${key.createdAt}, ${key.createdBy},
              ${id}
            where ${isMade}`),
          appendEventWhere(event, isMade),
          raiseVersion(db.builder, tenantId),
        ],
        { lane: tenantId },
      );
      return written.ok ? ok((written.value[0] ?? []).length > 0) : written;
    },
    change(tenantId, id, change) {
      const named = and(isUser(tenantId), eq(users.id, id));
      return execute(inLane(db, tenantId), [db.builder.update(users).set(change).where(named)]);
    },
    keysOf: (tenantId, id) =>
      db.read((builder) => builder.select().from(apiKeys).where(keysFor(tenantId, id))),
    forget: ({ tenantId, id, keys }, event) =>
      writeChange(
        db,
        tenantId,
        [
          db.builder.delete(users).where(and(isUser(tenantId), eq(users.id, id))),
          ...keys.map(({ id: keyId, name, code, revokedAt }) =>
            db.builder
              .update(apiKeys)
              .set({ name, code, revokedAt })
              .where(and(keysFor(tenantId, id), eq(apiKeys.id, keyId))),
          ),
          db.builder
            .delete(consoleSessions)
            .where(and(eq(consoleSessions.tenantId, tenantId), eq(consoleSessions.userId, id))),
          db.builder.delete(sessions).where(
            and(
              eq(sessions.tenantId, tenantId),
              sql`${sessions.keyId} in (select k.id from api_keys k
                where k.tenant_id = ${tenantId} and k.user_id = ${id})`,
            ),
          ),
        ],
        event,
      ),
  };
};
