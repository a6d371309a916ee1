import { sql, type SQL } from "drizzle-orm";
import { defaultRetentionDays } from "../../domain/choice/policy.ts";
import { idAlphabet, idPrefixes, timeCharacters } from "../../domain/tenancy/ids.ts";

const pruneSize = 1_000;
const dayMs = 86_400_000;
/** ms by which the time in an id may differ from the record's time. */
export const idSlackMs = 3_600_000;

/** ms, as `domain/tenancy/ids.ts` makes ids. Captures have no time, but their ids sort by it. */
const idAt = (moment: SQL): SQL => {
  const characters = Array.from(
    { length: timeCharacters },
    (_, at) =>
      sql`substr(${idAlphabet}, 1 + ((${moment} >> ${5 * (timeCharacters - 1 - at)}) & 31), 1)`,
  );
  return sql`${`${idPrefixes.request}_`} || ${sql.join(characters, sql` || `)}`;
};

// An unreadable policy counts as the default, so that other tenants' records are still pruned.
const policy = sql.raw("case when json_valid(t.policy) then t.policy end");

export const agedContents = (now: number): SQL => sql`
  select c.request_id from tenants t cross join captures c
  where json_extract(${policy}, '$.contentRetentionDays') is not null and c.tenant_id = t.id
    and c.request_id < ${idAt(sql`(${now} - ${dayMs} * json_extract(${policy}, '$.contentRetentionDays'))`)}
  limit ${pruneSize}`;

/** `cross join` fixes the join order: per tenant only the aged ids. */
export function agedRecords(now: number): SQL {
  const before = sql`(${now} - ${dayMs}
    * coalesce(json_extract(${policy}, '$.retentionDays'), ${defaultRetentionDays}))`;
  return sql`
    select r.tenant_id as tenantId, r.id as id, r.seal_number as seal,
      r.seal_position as position, ${before} as createdBefore
    from tenants t cross join sampling_requests r
    where r.tenant_id = t.id and r.id < ${idAt(sql`(${before} + ${idSlackMs})`)} and r.created_at < ${before}
      and r.seal_number is not null
      and not exists (select 1 from seals s where s.tenant_id = r.tenant_id
        and s.number = r.seal_number and s.first_created_at >= ${before})
    order by t.id, r.id limit ${pruneSize}`;
}
