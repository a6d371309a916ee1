import { and, desc, eq, lt } from "drizzle-orm";
import type { CredentialStore, SealedCredential } from "../domain/ports/stores.ts";
import { writeChange } from "./change.ts";
import type { Database } from "./db.ts";
import { pageOf, rowsFor } from "./page.ts";
import { credentials } from "./schema.ts";

export const createCredentialStore = (db: Database): CredentialStore => {
  const whereId = (tenantId: string, id: string) =>
    and(eq(credentials.tenantId, tenantId), eq(credentials.id, id));
  return {
    create: (credential, event) =>
      writeChange(
        db,
        credential.tenantId,
        db.builder.insert(credentials).values(credential),
        event,
      ),
    get: (tenantId, id) =>
      db.read(async (builder): Promise<SealedCredential | null> => {
        const [row] = await builder.select().from(credentials).where(whereId(tenantId, id));
        return row ?? null;
      }),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(credentials)
          .where(
            and(
              eq(credentials.tenantId, tenantId),
              page.cursor === null ? undefined : lt(credentials.id, page.cursor),
            ),
          )
          .orderBy(desc(credentials.id))
          .limit(rowsFor(page));
        return pageOf(
          rows.map(({ sealed: _, ...credential }) => credential),
          page,
        );
      }),
    update: (tenantId, id, { ...values }, now, event, ifVersion) =>
      writeChange(
        db,
        tenantId,
        db.builder
          .update(credentials)
          .set({ ...values, updatedAt: now })
          .where(whereId(tenantId, id)),
        event,
        ifVersion,
      ),
    remove: (tenantId, id, event) =>
      writeChange(db, tenantId, db.builder.delete(credentials).where(whereId(tenantId, id)), event),
  };
};
