/** Leases of scheduled jobs: one holder at a time, until it releases the lease or the lease expires. */
import { and, eq, gt, lte, or } from "drizzle-orm";
import { clockSlackMs } from "../../domain/clocks.ts";
import { ok } from "../../domain/result.ts";
import type { SealStore } from "../../domain/audit/seals.ts";
import type { Database } from "../db.ts";
import { execute } from "../execute.ts";
import { jobLeases } from "../schema/seal-schema.ts";

export const createJobLease = (
  db: Database,
  job: string,
): Pick<SealStore, "claim" | "release"> => ({
  async claim(now, until) {
    const written = await db.write([
      db.builder.insert(jobLeases).values({ job, until: 0, cursor: "" }).onConflictDoNothing(),
      db.builder
        .update(jobLeases)
        .set({ until })
        // A later end was written before a clock was set back.
        .where(
          and(
            eq(jobLeases.job, job),
            or(lte(jobLeases.until, now), gt(jobLeases.until, until + clockSlackMs)),
          ),
        )
        .returning({ cursor: jobLeases.cursor }),
    ]);
    if (!written.ok) return written;
    const [row] = written.value[1] ?? [];
    return ok(row === undefined ? null : { cursor: String(row["cursor"]) });
  },
  release: (cursor) =>
    execute(db, [
      db.builder.update(jobLeases).set({ until: 0, cursor }).where(eq(jobLeases.job, job)),
    ]),
});
