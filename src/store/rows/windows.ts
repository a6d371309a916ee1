/** SQL for usage of a limit. A limit is a JSON row `h`: a limit check with its last bucket, `last`. */
import { sql, type SQL } from "drizzle-orm";
import { largestInteger } from "../../domain/magnitudes.ts";

const member = (name: string): SQL => sql.raw(`h.value ->> '${name}'`);

export interface Pausing {
  tenant: SQL;
  subject: SQL;
  resource: SQL;
  pause: SQL;
  bucket: SQL;
}

export const afterPause = ({ tenant, subject, resource, pause, bucket }: Pausing): SQL => sql`(
    select coalesce(max(p.bucket) + 1, 0) from counters p
    where p.tenant_id = ${tenant} and p.subject = ${subject} and p.resource = ${resource}
      and p.bucket + (${pause}) < ${bucket}
      and not exists (
        select 1 from counters q
        where q.tenant_id = ${tenant} and q.subject = p.subject and q.resource = p.resource
          and q.bucket > p.bucket and q.bucket <= p.bucket + (${pause})))`;

export const sinceOf = (
  tenantId: string,
): SQL => sql`case when ${member("pause")} is null then ${member("since")}
  else ${afterPause({
    tenant: sql`${tenantId}`,
    subject: member("subject"),
    resource: member("resource"),
    pause: member("pause"),
    bucket: member("bucket"),
  })} end`;

export const countedIn = (tenantId: string): SQL => sql`(
  select min(coalesce(sum(c.amount), 0), ${largestInteger}) from counters c
  where c.tenant_id = ${tenantId} and c.subject = ${member("subject")} and c.resource = ${member("resource")}
    and c.bucket between ${sinceOf(tenantId)} and ${member("last")})`;
