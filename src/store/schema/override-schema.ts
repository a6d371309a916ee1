import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ModelChange } from "../../domain/models/model.ts";

export const modelOverrides = sqliteTable(
  "model_overrides",
  {
    tenantId: text("tenant_id").notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    change: text({ mode: "json" }).$type<ModelChange>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.provider, table.model] })],
);
