/** The table of how far each chain was sent to the audit sink. `schema.ts` has the conventions. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const auditSinks = sqliteTable("audit_sinks", {
  tenantId: text("tenant_id").primaryKey(),
  /** number of the last seal that the sink has */
  delivered: integer().notNull(),
  /** number of the last seal of the stretch that is being sent; null: none is */
  planned: integer(),
  attempts: integer().notNull(),
  nextAt: integer("next_at").notNull(),
  /** ms, since when the stretch could not be sent; null: it was not tried, or is there */
  behindSince: integer("behind_since"),
  fault: text(),
});
