import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ModelChange } from "../../domain/models/model.ts";
import type { CircuitFault } from "../../domain/choice/circuits.ts";
import type { Sample } from "../../domain/choice/health.ts";

export const health = sqliteTable(
  "health",
  {
    tenantId: text("tenant_id").notNull(),
    credentialId: text("credential_id").notNull(),
    model: text().notNull(),
    samples: text({ mode: "json" }).$type<Sample[]>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.credentialId, table.model] }),
    index("health_updated").on(table.updatedAt),
  ],
);

export const circuits = sqliteTable(
  "circuits",
  {
    tenantId: text("tenant_id").notNull(),
    /** endpoint, credential, or model, as in `domain/choice/circuits.ts` */
    scope: text().notNull(),
    faults: text({ mode: "json" }).$type<CircuitFault[]>().notNull(),
    /** request that probes the half-open circuit */
    probeId: text("probe_id"),
    probeUntil: integer("probe_until"),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.scope] }),
    index("circuits_updated").on(table.updatedAt),
  ],
);

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
