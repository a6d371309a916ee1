import { and, desc, eq, gte, isNull, lt } from "drizzle-orm";
import type { StoredKey } from "../../domain/tenancy/access.ts";
import type { KeyStore } from "../../domain/ports/stores.ts";
import { shownSecret } from "../../domain/tenancy/user.ts";
import { writeChange } from "../change.ts";
import type { Database } from "../db.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";
import { apiKeys } from "../schema.ts";
import { authorizations, userTokens } from "../schema/server-schema.ts";
import { countPastUsage } from "../budgets/spent.ts";

export const createKeyStore = (db: Database): KeyStore => {
  const live = (tenantId: string, id: string) =>
    and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
  /** Removes secrets of accounts connected through this key. */
  const forgetConnections = (tenantId: string, id: string) =>
    [userTokens, authorizations].map((table) =>
      db.builder
        .delete(table)
        .where(
          and(
            eq(table.tenantId, tenantId),
            gte(table.shown, shownSecret({ id, secretHash: "" })),
            lt(table.shown, `${shownSecret({ id, secretHash: "" })}\u{7f}`),
          ),
        ),
    );
  return {
    create: (key, event) =>
      writeChange(db, key.tenantId, db.builder.insert(apiKeys).values(key), event),
    get: (tenantId, id) =>
      db.read(async (builder): Promise<StoredKey | null> => {
        const [row] = await builder
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.id, id)));
        return row ?? null;
      }),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(apiKeys)
          .where(isOnPage(apiKeys, tenantId, page))
          .orderBy(desc(apiKeys.id))
          .limit(rowsFor(page));
        return pageOf<StoredKey>(rows, page);
      }),
    replaceSecret: ({ tenantId, id, secretHash, givenTo, code }, event, ifVersion) =>
      writeChange(
        db,
        tenantId,
        [
          db.builder.update(apiKeys).set({ secretHash, givenTo, code }).where(live(tenantId, id)),
          ...forgetConnections(tenantId, id),
        ],
        event,
        ifVersion,
      ),
    update: ({ tenantId, id, name, limits, expiresAt, code, calendar }, event, ifVersion) =>
      writeChange(
        db,
        tenantId,
        [
          db.builder
            .update(apiKeys)
            .set({ name, limits, expiresAt, code })
            .where(live(tenantId, id)),
          countPastUsage(
            { scope: "key", tenantId, subject: id },
            { now: event.at, ...(calendar !== undefined && { calendar }) },
          ),
        ],
        event,
        ifVersion,
      ),
    revoke: ({ tenantId, id, revokedAt, code }, event, ifVersion) =>
      writeChange(
        db,
        tenantId,
        [
          db.builder.update(apiKeys).set({ revokedAt, code }).where(live(tenantId, id)),
          ...forgetConnections(tenantId, id),
        ],
        event,
        ifVersion,
      ),
  };
};
