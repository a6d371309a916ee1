/** Written by the readiness check. Conventions: `schema.ts`. */
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** A single row. */
export const writeProbes = sqliteTable("write_probes", {
  id: integer().primaryKey(),
  at: integer().notNull(),
});
