/** The table of cancelled calls. `schema.ts` has the conventions. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Calls that their callers cancelled. A row stays until the call's owner has seen it. */
export const cancellations = sqliteTable(
  "cancellations",
  {
    tenantId: text("tenant_id").notNull(),
    sessionId: text("session_id").notNull(),
    /** the call's JSON-RPC id, as JSON: 1 and "1" are two calls */
    messageId: text("message_id").notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId, table.messageId] }),
    index("cancellations_at").on(table.at),
  ],
);
