/** Sums what is used of limits, for people who look: the same counters and rows that an admission reads. */
import { sql } from "drizzle-orm";
import { latestLeaseEnd } from "../domain/leases.ts";
import { lastBucketOf } from "../domain/limits/holds.ts";
import { largestInteger } from "../domain/magnitudes.ts";
import type { LimitStore } from "../domain/ports/ledger.ts";
import { ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { held, takesPlace } from "./held.ts";
import { takenByApproved } from "./places.ts";
import { countedIn, sinceOf } from "./windows.ts";

interface Summed {
  counted: number | null;
  reserved: number | null;
  oldest: number | null;
}

export const createLimitStore = (db: Database): LimitStore => ({
  async sum(tenantId, holds, now) {
    if (holds.length === 0) return ok([]);
    const asked = JSON.stringify(holds.map((hold) => ({ ...hold, last: lastBucketOf(hold) })));
    const inWindow = sql`bucket between ${sinceOf(tenantId)} and h.value ->> 'last'`;
    const rows = await db.read((builder) =>
      builder.all<Summed>(sql`
        with running as materialized (
          select r.tenant_id, r.key_id, r.server_id, r.holds from sampling_requests r
          where r.tenant_id = ${tenantId} and r.outcome = 'admitted' and r.lease_until > ${now}
            and r.lease_until <= ${latestLeaseEnd(now)}),
        held as materialized (
          select ${held.subject} as subject, ${held.resource} as resource, ${held.bucket} as bucket,
            ${held.amount} as amount
          from running r, json_each(r.holds) h)
        select
          case h.value ->> 'resource' when 'concurrent' then (
            select count(*) from running r
            where ${takesPlace(sql.raw("h.value ->> 'scope'"), sql.raw("h.value ->> 'subject'"))})
            + (${takenByApproved(tenantId, now)})
          else ${countedIn(tenantId)} end as counted,
          (select min(total(held.amount), ${largestInteger}) from held
            where held.subject = h.value ->> 'subject' and held.resource = h.value ->> 'resource'
              and held.${inWindow}) as reserved,
          (select min(c.bucket) from counters c
            where c.tenant_id = ${tenantId} and c.subject = h.value ->> 'subject'
              and c.resource = h.value ->> 'resource' and c.amount <> 0 and c.${inWindow}) as oldest
        from json_each(${asked}) h order by h.key`),
    );
    if (!rows.ok) return rows;
    return ok(
      rows.value.map(({ counted, reserved, oldest }) => ({
        counted: counted ?? 0,
        reserved: reserved ?? 0,
        oldest,
      })),
    );
  },
});
