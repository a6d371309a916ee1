import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WebhookState } from "../../domain/ports/webhooks.ts";

export const webhookMessages = sqliteTable(
  "webhook_messages",
  {
    tenantId: text("tenant_id").notNull(),
    id: text().notNull(),
    url: text().notNull(),
    body: text().notNull(),
    state: text().$type<WebhookState>().notNull().default("pending"),
    attempts: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    nextAt: integer("next_at"),
    endedAt: integer("ended_at"),
    status: integer(),
    fault: text(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    index("webhook_messages_due")
      .on(table.nextAt)
      .where(sql`${table.nextAt} is not null`),
    index("webhook_messages_ended")
      .on(table.endedAt)
      .where(sql`${table.endedAt} is not null`),
  ],
);

export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    sealed: text().notNull(),
    /** origin that receives the header in `sealed`; null: a secret that signs */
    destination: text(),
    createdAt: integer("created_at").notNull(),
    /** until when a replaced secret still signs */
    endsAt: integer("ends_at"),
  },
  (table) => [
    index("webhook_secrets_tenant").on(table.tenantId, table.id),
    index("webhook_secrets_end")
      .on(table.endsAt)
      .where(sql`${table.endsAt} is not null`),
  ],
);
