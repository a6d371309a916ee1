/**
 * Which calls take a place under a limit of concurrency: those with a lease, and those that a person approved and
 * nobody has taken up yet. An approved call has its place for as long as its caller may come for it, and no longer, or
 * callers that never come would stop a tenant. `domain/limits/places.ts` says the same of calls in memory.
 */
import { sql, type SQL } from "drizzle-orm";
import { latestLeaseEnd } from "../../domain/leases.ts";
import type { Hold } from "../../domain/limits/holds.ts";
import type { CallPlace } from "../../domain/ports/approvals.ts";
import { collectedWithinMs } from "../../domain/sampling/approval.ts";
import { takesPlace } from "./row-holds.ts";

/**
 * Of a row of approvals: the call still waits for its caller. A call that the rule approved when the time was over has
 * no place: nobody was there to hear that none is free.
 */
const isApproved = `p.stage = 'request' and p.is_open = 1 and p.state = 'approved'
  and p.decided_by <> 'timeout'`;

/** When a person approved the call of the record `of`; null: it has no place by an approval. */
export const approvedAt = (of: string): string => `(
  select max(p.decided_at) from approvals p
  where p.tenant_id = ${of}.tenant_id and p.request_id = ${of}.id and ${isApproved})`;

interface Asked {
  tenant: SQL;
  scope: SQL;
  /** the id of the key or the server, where the limit is one of theirs */
  subject: SQL;
  now: SQL;
  /** what is later was written by a clock far ahead */
  latest: SQL;
  /** a call that does not count; absent: all do */
  except?: string;
}

/** Of a record `r`: whether it counts under the limit. */
const counts = ({ tenant, scope, subject, except }: Asked): SQL => sql`
  r.tenant_id = ${tenant} and r.outcome = 'admitted'
  and ${takesPlace(scope, subject)}
  ${except === undefined ? sql`` : sql`and r.id <> ${except}`}`;

/** How many approved calls, which nobody has taken up, have a place. Cross joins keep the order of the loops. */
const approvedPlaces = (asked: Asked): SQL => sql`
  select count(*) from approvals p cross join sampling_requests r
  where p.tenant_id = ${asked.tenant} and ${sql.raw(isApproved)}
    and p.decided_at > ${asked.now} - ${sql.raw(String(collectedWithinMs))}
    and p.decided_at <= ${asked.latest}
    and r.id = p.request_id and r.lease_until is null and ${counts(asked)}`;

/** How many calls have a place under a limit of concurrency. */
export const takenPlacesAt = (asked: Asked): SQL => sql`(
  select count(*) from sampling_requests r
  where ${counts(asked)} and r.lease_until > ${asked.now} and r.lease_until <= ${asked.latest})
  + (${approvedPlaces(asked)})`;

/** The same under the limit of a hold `h`. */
const ofHold = (tenantId: string, now: number): Asked => ({
  tenant: sql`${tenantId}`,
  scope: sql.raw("h.value ->> 'scope'"),
  subject: sql.raw("h.value ->> 'subject'"),
  now: sql`${now}`,
  latest: sql`${latestLeaseEnd(now)}`,
});

export const takenPlaces = (tenantId: string, now: number): SQL =>
  takenPlacesAt(ofHold(tenantId, now));

/** Those of them that were approved, for whoever has counted the others. */
export const takenByApproved = (tenantId: string, now: number): SQL =>
  approvedPlaces(ofHold(tenantId, now));

/** The limits of concurrency that other calls fill, as rows `h` of a list of holds: for `select` and `exists`. */
export const withoutPlace = (
  { tenantId, requestId }: CallPlace,
  holds: readonly Hold[],
  now: number,
): SQL => sql`from json_each(${JSON.stringify(holds)}) h
  where h.value ->> 'limit' <= ${takenPlacesAt({ ...ofHold(tenantId, now), except: requestId })}`;
