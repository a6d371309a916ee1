/** Taken sampling requests, as `schema.ts` says of all tables. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const intercepted = sqliteTable(
  "intercepted",
  {
    tenantId: text("tenant_id").notNull(),
    scope: text().notNull(),
    messageId: text("message_id").notNull(),
    digest: text().notNull(),
    /** of the one that got it */
    owner: text().notNull(),
    leaseUntil: integer("lease_until").notNull(),
    /** JSON of the answer, sealed by the vault; null: there is none yet */
    sealed: text(),
    /** HTTP status with which the server took it */
    delivered: integer(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.scope, table.messageId, table.digest] }),
    index("intercepted_age").on(table.createdAt),
  ],
);
