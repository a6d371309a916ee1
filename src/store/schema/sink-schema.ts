import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const auditSinks = sqliteTable("audit_sinks", {
  tenantId: text("tenant_id").primaryKey(),
  delivered: integer().notNull(),
  planned: integer(),
  attempts: integer().notNull(),
  nextAt: integer("next_at").notNull(),
  /** ms since when the batch has failed */
  behindSince: integer("behind_since"),
  fault: text(),
});
