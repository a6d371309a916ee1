import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const oauthEntries = sqliteTable(
  "oauth_entries",
  {
    /** empty for the issuer's own entries, in `home` */
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** changes with every write, for optimistic locking */
    version: text().notNull(),
    /** code under MASTER_KEY over `codedEntry`: database access alone creates no grant, token, or session */
    code: text().notNull(),
    expiresAt: integer("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.key] }),
    index("oauth_entries_expiry").on(table.expiresAt),
  ],
);
