import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

export const writeProbes = sqliteTable("write_probes", {
  id: integer().primaryKey(),
  at: integer().notNull(),
});
