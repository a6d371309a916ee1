/** Cancellations. Conventions: `schema.ts`. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A row stays until the call's owner has seen it. */
export const cancellations = sqliteTable(
  "cancellations",
  {
    tenantId: text("tenant_id").notNull(),
    sessionId: text("session_id").notNull(),
    /** JSON-RPC id as JSON: 1 and "1" differ */
    messageId: text("message_id").notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId, table.messageId] }),
    index("cancellations_at").on(table.at),
  ],
);
