import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ConsoleSession } from "../../domain/tenancy/console-session.ts";
import type { Role } from "../../domain/tenancy/scopes.ts";

export const consoleSessions = sqliteTable(
  "console_sessions",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id"),
    kind: text().$type<ConsoleSession["kind"]>().notNull(),
    subject: text().notNull(),
    issuer: text(),
    name: text(),
    userId: text("user_id"),
    role: text().$type<Role>().notNull(),
    secretHash: text("secret_hash").notNull(),
    /** code under MASTER_KEY over the credentials of the sign-in */
    proof: text().notNull(),
    /** code under MASTER_KEY over `codedSession` */
    code: text().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("console_sessions_subject").on(table.tenantId, table.kind, table.subject, table.id),
    index("console_sessions_expiry").on(table.expiresAt),
  ],
);

export const signIns = sqliteTable("sign_ins", {
  tenantId: text("tenant_id").primaryKey(),
  issuer: text().notNull(),
  sealed: text().notNull(),
  updatedAt: integer("updated_at").notNull(),
});
