import { and, desc, eq, lte, ne, sql } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Credential, CredentialStore, SealedCredential } from "../../domain/ports/stores.ts";
import { writeChange } from "../change.ts";
import type { Builder, Compiled, Database } from "../db.ts";
import { execute, hasRows, inLane } from "../execute.ts";
import { appendEventWhere } from "../events.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";
import { credentials, tenants } from "../schema.ts";
import { credentialTokens } from "../schema/server-schema.ts";

/**
 * No effect if the credential has changed since it was read.
 * @param change.readAt `updatedAt` as it was read
 */
export function statusStatements(
  builder: Builder,
  { tenantId, id }: { tenantId: string; id: string },
  { status, readAt, event }: { status: Credential["status"]; readAt: number; event: AdminEvent },
): Compiled[] {
  const where = and(
    eq(credentials.tenantId, tenantId),
    eq(credentials.id, id),
    ne(credentials.status, status),
    eq(credentials.updatedAt, readAt),
  );
  const isOther = sql`exists (select 1 from ${credentials} where ${where})`;
  return [
    appendEventWhere(event, isOther),
    builder
      .update(tenants)
      .set({ version: sql`${tenants.version} + 1` })
      .where(and(eq(tenants.id, tenantId), isOther)),
    builder.update(credentials).set({ status, updatedAt: event.at }).where(where),
  ];
}

export const createCredentialStore = (db: Database): CredentialStore => {
  const whereId = (tenantId: string, id: string) =>
    and(eq(credentials.tenantId, tenantId), eq(credentials.id, id));
  const whereRead = ({ tenantId, id, readAt }: { tenantId: string; id: string; readAt: number }) =>
    and(whereId(tenantId, id), eq(credentials.updatedAt, readAt));
  const deleteTokens = (tenantId: string, id: string) =>
    db.builder
      .delete(credentialTokens)
      .where(and(eq(credentialTokens.tenantId, tenantId), eq(credentialTokens.credentialId, id)));
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
          .where(isOnPage(credentials, tenantId, page))
          .orderBy(desc(credentials.id))
          .limit(rowsFor(page));
        return pageOf(
          rows.map(({ sealed: _, listingDueAt: __, ...credential }) => credential),
          page,
        );
      }),
    update: (tenantId, id, { ...values }, now, event, ifVersion) =>
      writeChange(
        db,
        tenantId,
        [
          db.builder
            .update(credentials)
            // Another key or address has another list and other tokens. Other models may have appeared in the list.
            .set({
              ...values,
              updatedAt: now,
              ...((values.sealed ?? values.models) !== undefined && {
                listing: null,
                listingDueAt: 0,
                lastCheck: null,
              }),
            })
            .where(whereId(tenantId, id)),
          ...(values.sealed === undefined ? [] : [deleteTokens(tenantId, id)]),
        ],
        event,
        ifVersion,
      ),
    keepCheck: (its, { lastCheck, status, event }) =>
      execute(inLane(db, its.tenantId), [
        db.builder.update(credentials).set({ lastCheck }).where(whereRead(its)),
        ...statusStatements(db.builder, its, { status, readAt: its.readAt, event }),
      ]),
    claimListing: (its, { now, until }) =>
      hasRows(inLane(db, its.tenantId), [
        db.builder
          .update(credentials)
          .set({ listingDueAt: until })
          .where(and(whereRead(its), lte(credentials.listingDueAt, now)))
          .returning({ id: credentials.id }),
      ]),
    keepListing(its, listing) {
      const isThere = sql`exists (select 1 from ${credentials} where ${whereRead(its)})`;
      return execute(inLane(db, its.tenantId), [
        db.builder
          .update(tenants)
          .set({ version: sql`${tenants.version} + 1` })
          .where(and(eq(tenants.id, its.tenantId), isThere)),
        db.builder.update(credentials).set({ listing }).where(whereRead(its)),
      ]);
    },
    remove: (tenantId, id, event) =>
      writeChange(
        db,
        tenantId,
        [deleteTokens(tenantId, id), db.builder.delete(credentials).where(whereId(tenantId, id))],
        event,
      ),
  };
};
