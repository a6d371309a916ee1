/**
 * Tables that nothing uses any more: workers of the version before may still run while its successor is
 * migrated, so they go with the next migration.
 */
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

export const answers = sqliteTable(
  "answers",
  {
    tenantId: text("tenant_id").notNull(),
    /** hex SHA-256 of what makes two questions the same */
    digest: text().notNull(),
    owner: text().notNull(),
    /** by the vault; null: being worked on */
    sealed: text(),
    /** of the answer; before there is one, of its owner's claim */
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.digest] }),
    index("answers_expiry").on(table.expiresAt),
  ],
);
