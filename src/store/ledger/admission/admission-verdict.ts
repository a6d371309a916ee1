/** Must match `domain/limits/admission-verdict.ts`. */
import { sql, type SQL } from "drizzle-orm";
import { latestLeaseEnd } from "../../../domain/leases.ts";
import {
  concurrencyRetryMs,
  lastBucketOf,
  longestWaitSeconds,
  nameOfLimit,
  type LimitCheck,
} from "../../../domain/limits/limit-checks.ts";
import {
  chargedResources,
  countedOfRuns,
  endOfTime,
  isMoney,
} from "../../../domain/limits/resources.ts";
import { isLasting, longestLeaseWaitMs } from "../../../domain/limits/admission-verdict.ts";
import type { FallbackClaim } from "../../../domain/ports/ledger.ts";
import { storedCheck, listOf } from "../../rows/stored-limit-checks.ts";
import { occupiedSlots } from "../../rows/concurrency-slots.ts";
import { countedIn, sinceOf } from "../../rows/windows.ts";

interface Asking {
  tenantId: string;
  now: number;
}

const asRows = (
  limitChecks: readonly LimitCheck[],
  claims: readonly Pick<FallbackClaim, "limitChecks">[],
): string =>
  JSON.stringify(
    limitChecks.map((check, at) => ({
      ...check,
      name: nameOfLimit(check),
      isMoney: isMoney(check.resource),
      isLasting: isLasting(check),
      last: lastBucketOf(check),
      amounts: claims.map((claim) => claim.limitChecks[at]?.amount ?? check.amount),
    })),
  );

const isContinued = (tenantId: string): SQL => sql`(h.value -> 'begins' is not null and exists (
  select 1 from counters c where c.tenant_id = ${tenantId} and c.resource = ${countedOfRuns}
    and c.subject = h.value ->> '$.begins.subject' and c.bucket >= h.value ->> '$.begins.since'))`;

export const usedOf = (
  { tenantId, now }: Asking,
  limitChecks: readonly LimitCheck[],
  claims: readonly Pick<FallbackClaim, "limitChecks">[] = [],
): SQL => sql`
  select h.key as position, h.value ->> 'limit' as "limit", h.value -> 'amounts' as amounts,
    h.value ->> 'subject' as subject, h.value ->> 'resource' as resource,
    h.value ->> 'since' as since, ${sinceOf(tenantId)} as begins, h.value ->> 'last' as last,
    h.value ->> 'until' as until, h.value ->> 'name' as name, h.value ->> 'isMoney' as is_money,
    h.value ->> 'isLasting' as is_lasting, ${isContinued(tenantId)} as goes_on,
    case h.value ->> 'resource'
      when 'concurrent' then ${occupiedSlots(tenantId, now)}
      else ${countedIn(tenantId)}
    end as used
  from json_each(${asRows(limitChecks, claims)}) h`;

/** A request count is never returned. */
const reserved = ({ tenantId, now }: Asking): SQL => sql`
  select f.position, sum(${storedCheck.amount}) as amount, min(r.lease_until) as lease
  from (select distinct position from beyond) f
    join used lim on lim.position = f.position and lim.resource in ${listOf(chargedResources)}
    cross join sampling_requests r on r.tenant_id = ${tenantId} and r.outcome = 'admitted'
      and r.lease_until > ${now} and r.lease_until <= ${latestLeaseEnd(now)}
    cross join json_each(r.limit_checks) h
  where ${storedCheck.subject} = lim.subject and ${storedCheck.resource} = lim.resource and ${storedCheck.amount} > 0
    and ${storedCheck.bucket} between lim.begins and lim.last
  group by 1`;

/** Second at which enough of a window has passed for the amount to fit; `null` if it never fits. */
const freeAt = (tenantId: string): SQL => sql`(
  select min(b.bucket) + ${longestWaitSeconds} from counters b
  where b.tenant_id = ${tenantId} and b.subject = lim.subject
    and b.resource = lim.resource and b.bucket between lim.since and lim.last
    and f.least + (
      select coalesce(sum(c.amount), 0) from counters c
      where c.tenant_id = ${tenantId} and c.subject = b.subject and c.resource = b.resource
        and c.bucket > b.bucket and c.bucket <= lim.last) <= lim."limit")`;

const windowWait = ({ tenantId, now }: Asking): SQL => sql`case
  when lim.resource = 'concurrent' then ${concurrencyRetryMs}
  when f.least > lim."limit" or lim.until = ${endOfTime} then null
  when lim.until is not null then lim.until * 1000 - ${now}
  else min(${freeAt(tenantId)} * 1000 - ${now}, ${longestWaitSeconds * 1_000}) end`;

/**
 * `verdict`: one row. `rung` is the taken claim, or `null`; then the other columns describe the refusing limit,
 * and `waits` says that only leases are in the way.
 */
export function verdictTables(asking: Asking, claims: readonly FallbackClaim[]): SQL {
  const { now } = asking;
  const limitChecks = claims[0]?.limitChecks ?? [];
  // Claims that shorten the answer come last.
  const wholes = claims.filter(({ shortens }) => shortens !== true).length;
  // Inlined: drivers bind numbers as floats, which don't index arrays.
  const [last, whole, minWhole] = [claims.length - 1, wholes, wholes - 1].map((at) =>
    sql.raw(String(at)),
  );
  const usedUp = sql`gap.over > coalesce((select lease.amount from reserved lease where lease.position = gap.position), 0)`;
  /** The last claim that may be taken, if none of the whole ones fits. */
  const lastDue =
    wholes < claims.length
      ? sql`(select max(gap.rung) + 1 from beyond gap join used lim on lim.position = gap.position
          where gap.rung between ${minWhole} and ${last} - 1 and lim.is_lasting and ${usedUp})`
      : sql`null`;
  return sql`
    used as materialized (${usedOf(asking, limitChecks, claims)}),
    rungs as (select value as rung from json_each(${JSON.stringify(claims.map((_, at) => at))})),
    beyond as materialized (
      select claim.rung, lim.position, lim.used + (lim.amounts ->> claim.rung) - lim."limit" as over
      from rungs claim cross join used lim
      where lim.used + (lim.amounts ->> claim.rung) > lim."limit" and not lim.goes_on),
    fitting as materialized (
      select claim.rung from rungs claim where not exists (select 1 from beyond gap where gap.rung = claim.rung)),
    reserved as materialized (${reserved(asking)}),
    chosen as materialized (
      select coalesce(whole, (select min(rung) from fitting where rung between ${whole} and due)) as rung,
        coalesce(due, ${minWhole}) as least
      from (
        select whole, case when whole is null then ${lastDue} end as due
        from (select min(rung) as whole from fitting where rung < ${whole}))),
    full as materialized (
      select gap.position, not (${usedUp}) as leased, lim.amounts ->> gap.rung as least
      from chosen pick join beyond gap on gap.rung = pick.least join used lim on lim.position = gap.position
      where pick.rung is null
      order by leased, gap.position limit 1),
    waited as materialized (
      select f.position, f.leased, lim.name, lim.is_money,
        coalesce(${windowWait(asking)}, case when f.leased then ${longestLeaseWaitMs} end) as window_wait
      from full f join used lim on lim.position = f.position),
    verdict as materialized (
      select pick.rung, pick.least * ${sql.raw(String(limitChecks.length))} + f.position as position, f.name, f.is_money,
        coalesce(f.leased, false) as waits,
        case when f.leased then min(f.window_wait, max(1, min(${longestLeaseWaitMs}, (
            select min(lease.lease) from reserved lease join beyond gap on gap.position = lease.position
            where gap.rung = pick.least) - ${now})))
          else f.window_wait end as retry_after
      from chosen pick left join waited f on true)`;
}
