import { desc, eq, getTableColumns } from "drizzle-orm";
import type { Builder } from "../db.ts";
import { seals } from "../schema/seal-schema.ts";

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
