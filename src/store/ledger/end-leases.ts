import { sql } from "drizzle-orm";
import { raw, type Database } from "../db.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { latestLeaseEnd } from "../../domain/leases.ts";
import { ok } from "../../domain/result.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { createLedger } from "./ledger.ts";

/** Ends every open call as `unknown`, charged as reserved. Returns how many. */
export async function endLeases(
  db: Database,
  deps: { mac: Mac; nonce: () => string; now: number },
): AsyncResult<number> {
  const read = await db.write([
    raw(sql`select max(lease_until) as latest from sampling_requests
      where outcome = 'admitted' and lease_until <= ${latestLeaseEnd(deps.now)}`),
  ]);
  if (!read.ok) return read;
  // Codes cover leases, so calls end as the sweep ends them after the last lease.
  const end = Math.max(deps.now, Number(read.value[0]?.[0]?.["latest"] ?? 0));
  const ledger = createLedger(db, { ...deps, rowMac: deps.mac });
  for (let ended = 0; ;) {
    const swept = await ledger.sweep(end);
    if (!swept.ok) return swept;
    if (swept.value === 0) return ok(ended);
    ended += swept.value;
  }
}
