/** Progress of each chain to the audit sink. Conventions: `schema.ts`. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const auditSinks = sqliteTable("audit_sinks", {
  tenantId: text("tenant_id").primaryKey(),
  /** last seal in the sink */
  delivered: integer().notNull(),
  /** last seal of the batch being sent */
  planned: integer(),
  attempts: integer().notNull(),
  nextAt: integer("next_at").notNull(),
  /** ms since when the batch has failed */
  behindSince: integer("behind_since"),
  fault: text(),
});
