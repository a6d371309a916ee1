/** Leases of calls that outlast their first one. The first code covers the first lease; each renewal has a code of its own. */
import { sql } from "drizzle-orm";
import { leaseText } from "../../domain/audit/evidence.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { leaseOf } from "../records/record-codes.ts";

export async function renewLeases(
  { db, mac }: { db: Database; mac: Mac },
  { tenantId, ids, leaseUntil }: { tenantId: string; ids: readonly string[]; leaseUntil: number },
): AsyncResult<null> {
  const renewed = await Promise.all(
    ids.map(async (id) => ({
      id,
      code: await mac.code(leaseText(leaseOf({ id, tenantId, leaseUntil }))),
    })),
  );
  return execute(
    db,
    [
      raw(sql`
        update sampling_requests set first_lease = coalesce(first_lease, lease_until),
          lease_until = ${leaseUntil}, lease_code = (
            select j.value ->> 'code' from json_each(${JSON.stringify(renewed)}) j
            where j.value ->> 'id' = sampling_requests.id)
        where id in (select value from json_each(${JSON.stringify(ids)}))
          and tenant_id = ${tenantId} and outcome = 'admitted' and lease_until < ${leaseUntil}`),
    ],
    { lane: tenantId, ifLost: "again" },
  );
}
