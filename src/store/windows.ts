/** How much of a limit is used, in SQL. A limit is a row `h` of JSON: a hold with its last bucket, `last`. */
import { sql, type SQL } from "drizzle-orm";
import { largestInteger } from "../domain/magnitudes.ts";

const member = (name: string): SQL => sql.raw(`h.value ->> '${name}'`);

/**
 * The bucket at which the window begins. Where a pause begins it anew, that is the one after the last bucket that
 * no other follows soon enough.
 */
export const sinceOf = (
  tenantId: string,
): SQL => sql`case when ${member("pause")} is null then ${member("since")}
  else (
    select coalesce(max(p.bucket) + 1, 0) from counters p
    where p.tenant_id = ${tenantId} and p.subject = ${member("subject")} and p.resource = ${member("resource")}
      and p.bucket + (${member("pause")}) < ${member("bucket")}
      and not exists (
        select 1 from counters q
        where q.tenant_id = ${tenantId} and q.subject = p.subject and q.resource = p.resource
          and q.bucket > p.bucket and q.bucket <= p.bucket + (${member("pause")}))) end`;

/** What the counters of a limit say, in its window. */
export const countedIn = (tenantId: string): SQL => sql`(
  select min(coalesce(sum(c.amount), 0), ${largestInteger}) from counters c
  where c.tenant_id = ${tenantId} and c.subject = ${member("subject")} and c.resource = ${member("resource")}
    and c.bucket between ${sinceOf(tenantId)} and ${member("last")})`;
