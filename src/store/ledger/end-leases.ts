/** After a restore: ends calls whose process no longer exists. */
import { sql } from "drizzle-orm";
import { raw, type Database } from "../db.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { createLedger } from "./ledger.ts";

/** Ends every open call as `unknown`, charged as reserved. Returns how many. */
export async function endLeases(
  db: Database,
  deps: { mac: Mac; nonce: () => string; now: number },
): AsyncResult<number> {
  const expired = await db.write([
    raw(
      sql`update sampling_requests set lease_until = ${deps.now} where outcome = 'admitted' and lease_until > ${deps.now}`,
    ),
  ]);
  if (!expired.ok) return expired;
  const ledger = createLedger(db, { ...deps, rowMac: deps.mac });
  for (let ended = 0; ;) {
    const swept = await ledger.sweep(deps.now);
    if (!swept.ok) return swept;
    if (swept.value === 0) return ok(ended);
    ended += swept.value;
  }
}
