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

/** Questions to a client or to another process. A row stays until its answer has been taken, or until its deadline. */
export const questions = sqliteTable(
  "questions",
  {
    tenantId: text("tenant_id").notNull(),
    /** the client's session, or the epoch of the process that is asked */
    sessionId: text("session_id").notNull(),
    id: text().notNull(),
    askedOf: text("asked_of").notNull(),
    deadline: integer().notNull(),
    /** for another process, sealed by the vault; null: already read, or the client is asked */
    content: text(),
    /** sealed by the vault; null: none yet */
    answer: text(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId, table.id] }),
    index("questions_deadline").on(table.deadline),
  ],
);
