import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LatencyBy } from "../../domain/ports/latencies.ts";

const tenantId = () => text("tenant_id").notNull();

/** Counts by hour and day, written by a scheduled job off the path of calls. */
export const latencies = sqliteTable(
  "latencies",
  {
    tenantId: tenantId(),
    width: integer().notNull(),
    by: text().$type<LatencyBy>().notNull(),
    /** s since the epoch */
    at: integer().notNull(),
    /** model, or id of a key or server, or empty */
    grouped: text().notNull(),
    histogram: text().notNull(),
    /** 1: `home` has it; above 1: the delivery under way. Only for rows by model */
    delivered: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.width, table.by, table.at, table.grouped] }),
    index("latencies_outbox")
      .on(table.tenantId)
      .where(sql`${table.delivered} <> 1 and ${table.by} = 'model'`),
  ],
);

/** Position in the chain up to which a tenant's records are counted. */
export const latencyCursors = sqliteTable("latency_cursors", {
  tenantId: text("tenant_id").primaryKey(),
  seal: integer().notNull(),
  position: integer().notNull(),
  countedAt: integer("counted_at").notNull(),
});
