/** The table of the router as an authorization server. `schema.ts` has the conventions. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const oauthEntries = sqliteTable(
  "oauth_entries",
  {
    /** empty: the issuer's own, in the home database */
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** changes with every write: whoever read the row can tell that it is still the same */
    version: text().notNull(),
    /** a code under MASTER_KEY over `codedEntry`: who has the database alone can make no grant, token or session */
    code: text().notNull(),
    expiresAt: integer("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.key] }),
    index("oauth_entries_expiry").on(table.expiresAt),
  ],
);
