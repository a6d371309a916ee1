/** Tables of what `home` knows of tenants in other databases, and of how it gets there. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlacementState } from "../../domain/ports/placements.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { usageFigures } from "./ledger-schema.ts";

/**
 * The directory, in `home`: which database has the tenant of a slug. Tenants of `home` itself have no row
 * here: they are in its own table.
 */
export const placements = sqliteTable(
  "placements",
  {
    slug: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    database: text().notNull(),
    /** empty: the tenant's database has not said yet */
    name: text().notNull().default(""),
    createdAt: integer("created_at").notNull().default(0),
    residency: text({ mode: "json" }).$type<Residency>(),
    state: text().$type<PlacementState>().notNull().default("active"),
    /** id of the master key under which all of the tenant's own database is sealed; null: nobody asked it */
    sealedBy: text("sealed_by"),
  },
  (table) => [
    index("placements_database").on(table.database),
    index("placements_tenant").on(table.tenantId),
  ],
);

/** One row, in each database but `home`'s: how far its deliveries have come. */
export const outbox = sqliteTable("outbox", {
  id: integer().primaryKey(),
  /** rises with each delivery that is begun */
  version: integer().notNull(),
  /** s since the epoch: usage of earlier hours is delivered, but for what late settlements and corrections change */
  since: integer().notNull(),
});

/** In `home`: the last delivery of each other database that was entered. */
export const deliveries = sqliteTable("deliveries", {
  database: text().primaryKey(),
  version: integer().notNull(),
});

/**
 * In `home`: what tenants of other databases used, as those databases say. The table is `WITHOUT ROWID`, which
 * its migration alone says.
 */
export const deliveredUsage = sqliteTable(
  "delivered_usage",
  {
    /** s since the epoch, a whole hour */
    hour: integer().notNull(),
    tenantId: text("tenant_id").notNull(),
    model: text().notNull(),
    ...usageFigures(),
  },
  (table) => [
    // By the hour first, so that the usage of all tenants in a range is one piece of the index.
    primaryKey({ columns: [table.hour, table.tenantId, table.model] }),
    index("delivered_usage_tenant").on(table.tenantId),
  ],
);

/** In `home`: how long calls of tenants of other databases took, as those databases say. */
export const deliveredLatencies = sqliteTable(
  "delivered_latencies",
  {
    /** s: 3600 or 86400 */
    width: integer().notNull(),
    /** s since the epoch, the beginning */
    at: integer().notNull(),
    tenantId: text("tenant_id").notNull(),
    model: text().notNull(),
    /** as `domain/latencies.ts` writes it */
    histogram: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.width, table.at, table.tenantId, table.model] }),
    index("delivered_latencies_tenant").on(table.tenantId),
  ],
);

/** The sums of `delivered_usage` over all tenants, by hours and by days, since those may be very many rows. */
export const usageTotals = sqliteTable(
  "usage_totals",
  {
    /** s: 3600 or 86400 */
    width: integer().notNull(),
    /** s since the epoch: the beginning of the hour or day */
    at: integer().notNull(),
    model: text().notNull(),
    ...usageFigures(),
  },
  (table) => [primaryKey({ columns: [table.width, table.at, table.model] })],
);
