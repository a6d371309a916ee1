import { and, desc, eq, isNull, lt } from "drizzle-orm";
import type { ApiKey } from "../domain/access.ts";
import type { KeyStore } from "../domain/ports.ts";
import { writeChange } from "./change.ts";
import type { Database } from "./db.ts";
import { pageOf, rowsFor } from "./page.ts";
import { apiKeys } from "./schema.ts";

/** A key without the hash of its secret. */
export const toApiKey = ({ secretHash: _, ...key }: typeof apiKeys.$inferSelect): ApiKey => key;

export const createKeyStore = (db: Database): KeyStore => {
  const live = (tenantId: string, id: string) =>
    and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
  return {
    create: (key, secretHash, event) =>
      writeChange(
        db,
        key.tenantId,
        db.builder.insert(apiKeys).values({ ...key, secretHash }),
        event,
      ),
    get: (tenantId, id) =>
      db.read(async (builder) => {
        const [row] = await builder
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.id, id)))
          .limit(1);
        return row === undefined ? null : toApiKey(row);
      }),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(apiKeys)
          .where(
            and(
              eq(apiKeys.tenantId, tenantId),
              page.cursor === null ? undefined : lt(apiKeys.id, page.cursor),
            ),
          )
          .orderBy(desc(apiKeys.id))
          .limit(rowsFor(page));
        return pageOf(rows.map(toApiKey), page);
      }),
    replaceSecret: (tenantId, id, secretHash, event) =>
      writeChange(
        db,
        tenantId,
        db.builder.update(apiKeys).set({ secretHash }).where(live(tenantId, id)),
        event,
      ),
    revoke: (tenantId, id, now, event) =>
      writeChange(
        db,
        tenantId,
        db.builder.update(apiKeys).set({ revokedAt: now }).where(live(tenantId, id)),
        event,
      ),
  };
};
