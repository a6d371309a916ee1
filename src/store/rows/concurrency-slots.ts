/**
 * Calls with a lease, and approved calls that have not resumed. `domain/limits/concurrency-slots.ts` is the
 * same rule in memory.
 */
import { sql, type SQL } from "drizzle-orm";
import { latestLeaseEnd } from "../../domain/leases.ts";
import type { LimitCheck } from "../../domain/limits/limit-checks.ts";
import type { CallPlace } from "../../domain/ports/approvals.ts";
import { approvedCallTtlMs } from "../../domain/sampling/approval.ts";
import { occupiesSlot } from "./stored-limit-checks.ts";

const isApproved = `p.stage = 'request' and p.is_open = 1 and p.state = 'approved'
  and p.decided_by <> 'timeout'`;

/** Approval time of the call of record `of`; `null` if it has no slot by an approval. */
export const approvedAt = (of: string): string => `(
  select max(p.decided_at) from approvals p
  where p.tenant_id = ${of}.tenant_id and p.request_id = ${of}.id and ${isApproved})`;

interface Asked {
  tenant: SQL;
  scope: SQL;
  subject: SQL;
  now: SQL;
  /** later times come from a clock far ahead */
  latest: SQL;
  except?: string;
}

const counts = ({ tenant, scope, subject, except }: Asked): SQL => sql`
  r.tenant_id = ${tenant} and r.outcome = 'admitted'
  and ${occupiesSlot(scope, subject)}
  ${except === undefined ? sql`` : sql`and r.id <> ${except}`}`;

/** Approved calls with a slot that have not resumed. Cross joins fix the join order. */
const approvedSlots = (asked: Asked): SQL => sql`
  select count(*) from approvals p cross join sampling_requests r
  where p.tenant_id = ${asked.tenant} and ${sql.raw(isApproved)}
    and p.decided_at > ${asked.now} - ${sql.raw(String(approvedCallTtlMs))}
    and p.decided_at <= ${asked.latest}
    and r.id = p.request_id and r.lease_until is null and ${counts(asked)}`;

export const occupiedSlotsAt = (asked: Asked): SQL => sql`(
  select count(*) from sampling_requests r
  where ${counts(asked)} and r.lease_until > ${asked.now} and r.lease_until <= ${asked.latest})
  + (${approvedSlots(asked)})`;

/** The same for the limit of check `h`. */
const ofLimitCheck = (tenantId: string, now: number): Asked => ({
  tenant: sql`${tenantId}`,
  scope: sql.raw("h.value ->> 'scope'"),
  subject: sql.raw("h.value ->> 'subject'"),
  now: sql`${now}`,
  latest: sql`${latestLeaseEnd(now)}`,
});

export const occupiedSlots = (tenantId: string, now: number): SQL =>
  occupiedSlotsAt(ofLimitCheck(tenantId, now));

export const approvedSlotCount = (tenantId: string, now: number): SQL =>
  approvedSlots(ofLimitCheck(tenantId, now));

export const withoutSlot = (
  { tenantId, requestId }: CallPlace,
  limitChecks: readonly LimitCheck[],
  now: number,
): SQL => sql`from json_each(${JSON.stringify(limitChecks)}) h
  where h.value ->> 'limit' <= ${occupiedSlotsAt({ ...ofLimitCheck(tenantId, now), except: requestId })}`;
