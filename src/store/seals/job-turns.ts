/** Leases of scheduled jobs: one holder at a time, until it releases the lease or the lease expires. */
import { and, eq, gt, lte, or } from "drizzle-orm";
import { clockSlackMs } from "../../domain/clocks.ts";
import { ok } from "../../domain/result.ts";
import type { SealStore } from "../../domain/audit/seals.ts";
import type { Database } from "../db.ts";
import { jobTurns } from "../schema/seal-schema.ts";

export const createJobTurn = (db: Database, job: string): Pick<SealStore, "claim" | "release"> => ({
  async claim(now, until) {
    const written = await db.write([
      db.builder.insert(jobTurns).values({ job, until: 0, cursor: "" }).onConflictDoNothing(),
      db.builder
        .update(jobTurns)
        .set({ until })
        // A later end was written before a clock was set back.
        .where(
          and(
            eq(jobTurns.job, job),
            or(lte(jobTurns.until, now), gt(jobTurns.until, until + clockSlackMs)),
          ),
        )
        .returning({ cursor: jobTurns.cursor }),
    ]);
    if (!written.ok) return written;
    const [row] = written.value[1] ?? [];
    return ok(row === undefined ? null : { cursor: String(row["cursor"]) });
  },
  async release(cursor) {
    const written = await db.write([
      db.builder.update(jobTurns).set({ until: 0, cursor }).where(eq(jobTurns.job, job)),
    ]);
    return written.ok ? ok(null) : written;
  },
});
