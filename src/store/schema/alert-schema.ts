import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { AlertKind } from "../../domain/alerts.ts";

export const alerts = sqliteTable(
  "alerts",
  {
    tenantId: text("tenant_id").notNull(),
    id: text().notNull(),
    kind: text().$type<AlertKind>().notNull(),
    subject: text().notNull(),
    /** of the budget, or empty */
    name: text().notNull(),
    /** per cent of the budget, or 0 */
    threshold: integer().notNull(),
    periodFrom: integer("period_from").notNull(),
    periodUntil: integer("period_until"),
    limit: real("limit_amount"),
    used: real("used_amount"),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    uniqueIndex("alerts_once").on(
      table.tenantId,
      table.kind,
      table.subject,
      table.name,
      table.threshold,
      table.periodFrom,
    ),
    index("alerts_period").on(table.periodUntil),
  ],
);
