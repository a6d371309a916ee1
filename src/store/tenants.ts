import { desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Tenant, TenantStore } from "../domain/ports.ts";
import { ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { appendEvent } from "./events.ts";
import { pageOf, rowsFor } from "./page.ts";
import { intercepted } from "./intercepted-schema.ts";
import {
  answers,
  apiKeys,
  cancellations,
  health,
  captures,
  counters,
  credentials,
  modelOverrides,
  samplingRequests,
  sessions,
  tenants,
} from "./schema.ts";
import { authorizations, servers, serverTokens } from "./server-schema.ts";

export const createTenantStore = (db: Database): TenantStore => {
  const one = (column: typeof tenants.id | typeof tenants.slug, value: string) =>
    db.read(async (builder): Promise<Tenant | null> => {
      const [row] = await builder.select().from(tenants).where(eq(column, value)).limit(1);
      return row ?? null;
    });
  return {
    async create(tenant, event) {
      const written = await db.write([
        db.builder.insert(tenants).values(tenant),
        appendEvent(db.builder, event),
      ]);
      return written.ok ? ok(null) : written;
    },
    bySlug: (slug) => one(tenants.slug, slug),
    byId: (id) => one(tenants.id, id),
    list: (page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(tenants)
          .where(page.cursor === null ? undefined : lt(tenants.id, page.cursor))
          .orderBy(desc(tenants.id))
          .limit(rowsFor(page));
        return pageOf(rows, page);
      }),
    async update(id, change, event) {
      const written = await db.write([
        db.builder
          .update(tenants)
          .set({ ...change, version: sql`${tenants.version} + 1` })
          .where(eq(tenants.id, id)),
        appendEvent(db.builder, event),
      ]);
      return written.ok ? ok(null) : written;
    },
    async remove(id, event) {
      const owned = [
        counters,
        samplingRequests,
        answers,
        cancellations,
        intercepted,
        health,
        sessions,
        authorizations,
        serverTokens,
        servers,
        modelOverrides,
        credentials,
        apiKeys,
      ];
      const its = db.builder
        .select({ id: samplingRequests.id })
        .from(samplingRequests)
        .where(eq(samplingRequests.tenantId, id));
      const written = await db.write([
        // Found through their requests, which therefore go after them.
        db.builder.delete(captures).where(inArray(captures.requestId, its)),
        ...owned.map((table) => db.builder.delete(table).where(eq(table.tenantId, id))),
        db.builder.delete(tenants).where(eq(tenants.id, id)),
        appendEvent(db.builder, event),
      ]);
      return written.ok ? ok(null) : written;
    },
  };
};
