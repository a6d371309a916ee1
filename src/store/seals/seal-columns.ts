import { desc, eq, getTableColumns } from "drizzle-orm";
import type { Builder } from "../db.ts";
import { seals } from "../schema/seal-schema.ts";

const { leaves: _leaves, deletions: _deletions, ...columns } = getTableColumns(seals);
export const withoutLeaves = columns;

export const headOf = (builder: Builder, tenantId: string) =>
  builder
    .select(withoutLeaves)
    .from(seals)
    .where(eq(seals.tenantId, tenantId))
    .orderBy(desc(seals.number))
    .limit(1);
