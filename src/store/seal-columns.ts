import { desc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { Builder } from "./db.ts";
import { seals } from "./seal-schema.ts";

const { leaves: _leaves, deletions: _deletions, ...columns } = getTableColumns(seals);
/** The columns of a seal that are read where nobody asks for its records. */
export const withoutLeaves = columns;

export const headOf = (builder: Builder, tenantId: string) =>
  builder
    .select(withoutLeaves)
    .from(seals)
    .where(eq(seals.tenantId, tenantId))
    .orderBy(desc(seals.number))
    .limit(1);

/** The newest seal of version 2. The next seal carries on what it says. */
export const checkedNumber = (tenantId: string): SQL => sql`coalesce((select s.number from seals s
  where s.tenant_id = ${tenantId} and s.version >= 2 order by s.number desc limit 1), 0)`;
