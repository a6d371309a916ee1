import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { ResealedTenants } from "../../domain/ports/resealed-tenants.ts";
import { mapped } from "../../domain/result.ts";
import { homeDatabase } from "../../domain/tenancy/database-names.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { placements } from "../schema/directory-schema.ts";
import { appendEvent } from "../events.ts";
import { createJobLease } from "../seals/job-leases.ts";
import { jobLeases } from "../schema/seal-schema.ts";

const job = "resealTenants";

export const createResealedTenants = (db: Database): ResealedTenants => ({
  ...createJobLease(db, job),
  cursor: () =>
    mapped(
      db.read((builder) =>
        builder.select({ cursor: jobLeases.cursor }).from(jobLeases).where(eq(jobLeases.job, job)),
      ),
      (found) => found[0]?.cursor ?? "",
    ),
  notResealed: (keyId, { after, limit }) =>
    db.read((builder) =>
      builder
        .select({ tenantId: placements.tenantId, database: placements.database })
        .from(placements)
        .where(
          and(
            gt(placements.tenantId, after),
            // Excludes incomplete creations and deletions in progress.
            eq(placements.state, "active"),
            sql`${placements.database} <> ${homeDatabase}`,
            sql`coalesce(${placements.sealedBy}, '') <> ${keyId}`,
          ),
        )
        .orderBy(asc(placements.tenantId))
        .limit(limit),
    ),
  markResealed: (keyId, tenantIds) =>
    execute(db, [
      raw(sql`update placements set sealed_by = ${keyId}
        where tenant_id in (select value from json_each(${JSON.stringify(tenantIds)}))`),
    ]),
  appendEvent: (event) => execute(db, [appendEvent(db.builder, event)]),
});
