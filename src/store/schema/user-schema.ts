import type { Role } from "../../domain/tenancy/scopes.ts";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const users = sqliteTable(
  "users",
  {
    /** keyed hash; for the row with the tenant's own key, the tenant's id */
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    finder: text(),
    name: text(),
    keyId: text("key_id"),
    role: text().$type<Role>(),
    signedInAt: integer("signed_in_at"),
    sealed: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("users_finder").on(table.tenantId, table.finder),
    index("users_tenant").on(table.tenantId, table.id),
  ],
);
