import { sql, type SQL } from "drizzle-orm";
import { latestLeaseEnd } from "../../domain/leases.ts";
import { lastBucketOf, limitScopes, type LimitScope } from "../../domain/limits/limit-checks.ts";
import { largestInteger } from "../../domain/magnitudes.ts";
import type { LimitStore } from "../../domain/ports/ledger.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { storedCheck, scopesInColumns, occupiesSlot } from "../rows/stored-limit-checks.ts";
import { approvedSlotCount } from "../rows/concurrency-slots.ts";
import { countedIn, sinceOf } from "../rows/windows.ts";

interface Summed {
  counted: number | null;
  reserved: number | null;
  oldest: number | null;
}

const namedScopes = limitScopes.filter((scope) => !scopesInColumns.has(scope)).toSorted();

/** Skips to the next subject by index, so each subject costs one read instead of one per bucket. */
const subjectsOf = (tenantId: string, scope: LimitScope, { after, limit }: NodesAsked): SQL => {
  // `;` is the character after `:`.
  const next = (last: SQL): SQL => sql`(
    select min(c.subject) from counters c
    where c.tenant_id = ${tenantId} and c.subject > ${last} and c.subject < ${`${scope};`})`;
  return sql`
    with recursive found(subject) as (
      select ${next(sql`max(${after}, ${`${scope}:`})`)}
      union all select ${next(sql`found.subject`)} from found where found.subject is not null
      limit ${limit + 1})
    select subject from found where subject is not null limit ${limit}`;
};

interface NodesAsked {
  after: string;
  limit: number;
}

export const createLimitStore = (db: Database): LimitStore => ({
  async nodes(tenantId, { after = "", limit }) {
    const subjects: string[] = [];
    for (const scope of namedScopes) {
      const asked = { after, limit: limit - subjects.length };
      if (asked.limit <= 0) break;
      const found = await db.read((builder) =>
        builder.all<{ subject: string }>(subjectsOf(tenantId, scope, asked)),
      );
      if (!found.ok) return found;
      subjects.push(...found.value.map(({ subject }) => subject));
    }
    return ok(subjects);
  },

  /** A pending call has no lease: it reserves tokens and money but takes no concurrency slot. */
  async sum(tenantId, limitChecks, now) {
    if (limitChecks.length === 0) return ok([]);
    const asked = JSON.stringify(
      limitChecks.map((check) => ({ ...check, last: lastBucketOf(check) })),
    );
    const inWindow = sql`bucket between ${sinceOf(tenantId)} and h.value ->> 'last'`;
    const rows = await db.read((builder) =>
      builder.all<Summed>(sql`
        with reserving as materialized (
          select r.tenant_id, r.key_id, r.server_id, r.lease_until, r.limit_checks from sampling_requests r
          where r.tenant_id = ${tenantId} and r.outcome = 'admitted'
            and (r.lease_until is null
              or r.lease_until > ${now} and r.lease_until <= ${latestLeaseEnd(now)})),
        held as materialized (
          select ${storedCheck.subject} as subject, ${storedCheck.resource} as resource, ${storedCheck.bucket} as bucket,
            ${storedCheck.amount} as amount
          from reserving r, json_each(r.limit_checks) h)
        select
          case h.value ->> 'resource' when 'concurrent' then (
            select count(*) from reserving r
            where r.lease_until is not null
              and ${occupiesSlot(sql.raw("h.value ->> 'scope'"), sql.raw("h.value ->> 'subject'"))})
            + (${approvedSlotCount(tenantId, now)})
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
