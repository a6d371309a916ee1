/** Tables of what was measured of providers, and of what failed lately. `schema.ts` has the conventions. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CircuitFault } from "../../domain/choice/circuits.ts";
import type { Sample } from "../../domain/choice/health.ts";

/** What was measured of one model under one credential: how fast it answered. */
export const health = sqliteTable(
  "health",
  {
    tenantId: text("tenant_id").notNull(),
    credentialId: text("credential_id").notNull(),
    /** `provider/model` */
    model: text().notNull(),
    /** newest first */
    samples: text({ mode: "json" }).$type<Sample[]>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.credentialId, table.model] }),
    index("health_updated").on(table.updatedAt),
  ],
);

/** One row for each circuit, from a fault to the next answer. */
export const circuits = sqliteTable(
  "circuits",
  {
    tenantId: text("tenant_id").notNull(),
    /** an endpoint, a credential, or one of its models: `domain/choice/circuits.ts` names them */
    scope: text().notNull(),
    /** newest first */
    faults: text({ mode: "json" }).$type<CircuitFault[]>().notNull(),
    /** the request that tries the circuit, once it was open for its time; null: no request does */
    probeId: text("probe_id"),
    probeUntil: integer("probe_until"),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.scope] }),
    index("circuits_updated").on(table.updatedAt),
  ],
);
