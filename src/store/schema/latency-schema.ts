/** Tables of how long calls took. `schema.ts` has the conventions. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LatencyBy } from "../../domain/ports/latencies.ts";

const tenantId = () => text("tenant_id").notNull();

/** Counts of durations by hours and by days. A scheduled job writes them, since a call has no time for it. */
export const latencies = sqliteTable(
  "latencies",
  {
    tenantId: tenantId(),
    /** s: an hour's or a day's */
    width: integer().notNull(),
    by: text().$type<LatencyBy>().notNull(),
    /** s since the epoch, the beginning */
    at: integer().notNull(),
    /** model, or the id of a key or server; empty: none */
    grouped: text().notNull(),
    /** as `domain/latencies.ts` writes it */
    histogram: text().notNull(),
    /** 1: `home` has it; above 1: the delivery that it is on its way with. Of rows by the model alone */
    delivered: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.width, table.by, table.at, table.grouped] }),
    index("latencies_outbox")
      .on(table.tenantId)
      .where(sql`${table.delivered} <> 1 and ${table.by} = 'model'`),
  ],
);

/** Through which place of its chain a tenant's records are counted. */
export const latencyCursors = sqliteTable("latency_cursors", {
  tenantId: text("tenant_id").primaryKey(),
  seal: integer().notNull(),
  position: integer().notNull(),
  /** ms since the epoch */
  countedAt: integer("counted_at").notNull(),
});
