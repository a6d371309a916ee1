/** The table that the readiness check writes. `schema.ts` has the conventions. */
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** One row, which the readiness check writes. */
export const writeProbes = sqliteTable("write_probes", {
  id: integer().primaryKey(),
  at: integer().notNull(),
});
