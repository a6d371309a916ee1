/** What failed lately: a row from a fault to the next answer. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CircuitFault } from "../domain/circuits.ts";

export const circuits = sqliteTable(
  "circuits",
  {
    tenantId: text("tenant_id").notNull(),
    /** an endpoint, a credential, or one of its models: `domain/circuits.ts` names them */
    scope: text().notNull(),
    /** newest first */
    faults: text({ mode: "json" }).$type<CircuitFault[]>().notNull(),
    /** the request that tries it, once it was open for its time; null: none does */
    probeId: text("probe_id"),
    probeUntil: integer("probe_until"),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.scope] }),
    index("circuits_updated").on(table.updatedAt),
  ],
);
