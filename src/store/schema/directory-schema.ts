/** What `home` knows of tenants in other databases, and its delivery. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlacementState } from "../../domain/ports/placements.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { usageFigures } from "./ledger-schema.ts";

/** In `home`: the database of each slug. Tenants of `home` itself have no row here. */
export const placements = sqliteTable(
  "placements",
  {
    slug: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    database: text().notNull(),
    /** empty until the tenant's database reports it */
    name: text().notNull().default(""),
    createdAt: integer("created_at").notNull().default(0),
    residency: text({ mode: "json" }).$type<Residency>(),
    state: text().$type<PlacementState>().notNull().default("active"),
    /** id of the master key that seals all of the tenant's own database */
    sealedBy: text("sealed_by"),
  },
  (table) => [
    index("placements_database").on(table.database),
    index("placements_tenant").on(table.tenantId),
  ],
);

/** A single row in each database but `home`: progress of deliveries. */
export const outbox = sqliteTable("outbox", {
  id: integer().primaryKey(),
  /** incremented per delivery */
  version: integer().notNull(),
  /** s since the epoch: earlier hours are delivered, except for late settlements and corrections */
  since: integer().notNull(),
});

/** In `home`: the last delivery of each database. */
export const deliveries = sqliteTable("deliveries", {
  database: text().primaryKey(),
  version: integer().notNull(),
});

/** In `home`: usage of tenants in other databases. `WITHOUT ROWID`, as only the migration says. */
export const deliveredUsage = sqliteTable(
  "delivered_usage",
  {
    hour: integer().notNull(),
    tenantId: text("tenant_id").notNull(),
    model: text().notNull(),
    ...usageFigures(),
  },
  (table) => [
    // Hour first, so that a range over all tenants is contiguous.
    primaryKey({ columns: [table.hour, table.tenantId, table.model] }),
    index("delivered_usage_tenant").on(table.tenantId),
  ],
);

/** In `home`: durations of calls of tenants in other databases. */
export const deliveredLatencies = sqliteTable(
  "delivered_latencies",
  {
    /** s: 3600 or 86400 */
    width: integer().notNull(),
    /** s since the epoch */
    at: integer().notNull(),
    tenantId: text("tenant_id").notNull(),
    model: text().notNull(),
    histogram: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.width, table.at, table.tenantId, table.model] }),
    index("delivered_latencies_tenant").on(table.tenantId),
  ],
);

/** Sums of `delivered_usage` over all tenants by hour and day. */
export const usageTotals = sqliteTable(
  "usage_totals",
  {
    width: integer().notNull(),
    at: integer().notNull(),
    model: text().notNull(),
    ...usageFigures(),
  },
  (table) => [primaryKey({ columns: [table.width, table.at, table.model] })],
);
