/** Admission: one transaction, one round trip. The row is written whether the call is admitted or refused. */
import type { AsyncResult } from "../domain/refusals.ts";
import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import {
  concurrencyRetryMs,
  lastBucketOf,
  longestWaitSeconds,
  nameOfLimit,
  stateOf,
  type Hold,
  type LimitState,
} from "../domain/limits/holds.ts";
import { latestLeaseEnd } from "../domain/leases.ts";
import { largestInteger } from "../domain/magnitudes.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { Admission, Claim, Reservation } from "../domain/ports/ledger.ts";
import { ok } from "../domain/result.ts";
import { compactDecision } from "../domain/choice/decision.ts";
import { blockedProbes, claimProbes } from "./circuits.ts";
import { raw, summed, type Database, type Row } from "./db.ts";
import { callOf, claim, heldByAnother } from "./idempotency.ts";
import { admissionCodes, codeTaken, receiptOf } from "./admission-codes.ts";
import { nextNumber, useNumber } from "./record-numbers.ts";
import { openingColumns } from "./records.ts";
import { samplingRequests, sessions } from "./schema.ts";
import { countRefusal, thinRefusal } from "./thinning.ts";
import { refusedUsage } from "./usage.ts";

const number = (value: unknown): number => Number(value ?? 0);

/** The holds with their names, each with the least amount that would do. */
const asRows = (holds: readonly Hold[], smaller: readonly Hold[] = holds): string =>
  JSON.stringify(
    holds.map((hold, at) => ({
      ...hold,
      name: nameOfLimit(hold),
      last: lastBucketOf(hold),
      least: smaller[at]?.amount ?? hold.amount,
    })),
  );

/** Every hold with what is used of its limit, as a table expression named `used`. */
const usedOf = (tenantId: string, rows: string, now: number) => sql`
  select h.key as position, h.value ->> 'limit' as "limit", h.value ->> 'amount' as amount,
    h.value ->> 'least' as least,
    h.value ->> 'subject' as subject, h.value ->> 'resource' as resource,
    h.value ->> 'since' as since, h.value ->> 'last' as last, h.value ->> 'until' as until, h.value ->> 'name' as name,
    case h.value ->> 'resource'
      when 'concurrent' then (
        select count(*) from sampling_requests r
        where r.tenant_id = ${tenantId} and r.outcome = 'admitted' and r.lease_until > ${now}
          and r.lease_until <= ${latestLeaseEnd(now)}
          and case h.value ->> 'scope' when 'tenant' then true
            when 'key' then r.key_id = h.value ->> 'subject'
            else r.server_id = h.value ->> 'subject' end)
      else (
        select min(coalesce(sum(c.amount), 0), ${largestInteger}) from counters c
        where c.tenant_id = ${tenantId} and c.subject = h.value ->> 'subject'
          and c.resource = h.value ->> 'resource'
          and c.bucket between h.value ->> 'since' and h.value ->> 'last')
    end as used
  from json_each(${rows}) h`;

/**
 * The second at which enough of a window will have passed for the amount to fit: that of the oldest
 * bucket whose successors leave room; null: it will never fit.
 */
const freeAt = (tenantId: string) => sql`(
  select min(b.bucket) + ${longestWaitSeconds} from counters b
  where b.tenant_id = ${tenantId} and b.subject = refused.subject
    and b.resource = refused.resource and b.bucket between refused.since and refused.last
    and refused.least + (
      select coalesce(sum(c.amount), 0) from counters c
      where c.tenant_id = ${tenantId} and c.subject = b.subject and c.resource = b.resource
        and c.bucket > b.bucket and c.bucket <= refused.last) <= refused."limit")`;

const statesOf = (holds: readonly Hold[], rows: readonly Row[], now: number): LimitState[] =>
  rows.flatMap((row): LimitState[] => {
    const hold = holds[number(row["position"])];
    if (hold === undefined) return [];
    const oldest = row["oldest"] === null ? null : number(row["oldest"]);
    return [stateOf(hold, { used: number(row["used"]), oldest, now })];
  });

const claimColumns = ({ decision, holds, reservedTokens, reservedMicroUsd }: Claim) => ({
  decision: compactDecision(decision),
  model: `${decision.provider}/${decision.model}`,
  holds,
  reservedTokens,
  reservedMicroUsd,
});

export async function admit(
  { db, mac }: { db: Database; mac: Mac },
  reservation: Reservation,
): AsyncResult<Admission> {
  const { opening, holds, smaller, now, tenantVersion, leaseUntil, sessionExpiresAt } = reservation;
  const { id, who, contentSha256 } = opening;
  const { tenantId, keyId, sessionId } = who;
  const call = callOf(reservation);
  const values = {
    ...openingColumns(opening),
    ...claimColumns(reservation),
    counted: false,
    leaseUntil,
  };
  const instead: Partial<typeof values> = smaller === undefined ? {} : claimColumns(smaller);
  const codes = await admissionCodes(mac, {
    row: values,
    smaller: smaller === undefined ? null : { ...values, ...instead },
    isLimited: holds.length > 0,
  });
  /** What the choice assumed must still hold: a key that was revoked meanwhile gets nothing. */
  const isCurrent = sql`tenants.id = ${tenantId} and tenants.version = ${tenantVersion}
      and (${sessionId} is null or exists (
        select 1 from sessions where sessions.id = ${sessionId}
          and sessions.tenant_id = ${tenantId} and sessions.key_id = ${keyId}
          and sessions.expires_at > ${now}))`;
  const columns = getTableColumns(samplingRequests);
  const names = Object.keys(values) as (keyof typeof values)[];
  const encode = (name: keyof typeof values, value: unknown) =>
    sql`${value === null ? null : columns[name].mapToDriverValue(value)}`;
  const encoded = names.map((name) => {
    const value = encode(name, values[name]);
    const other = instead[name];
    return other === undefined
      ? value
      : sql`case when beyond.yes then ${encode(name, other)} else ${value} end`;
  });
  const columnNames = sql.join(
    names.map((name) => sql.identifier(columns[name].name)),
    sql`, `,
  );
  const insert = sql`
    with used as (${usedOf(tenantId, asRows(holds, smaller?.holds), now)}),
      beyond as (select exists (select 1 from used where used + amount > "limit") as yes),
      refused as (
        select * from used where used + least > "limit" order by position limit 1)
    insert into sampling_requests
      (${columnNames}, record_number, opening_code, outcome, reason, reason_detail, settled_at,
        refused_hold, retry_after_ms)
    select ${sql.join(encoded, sql`, `)}, ${nextNumber(tenantId)}, ${codeTaken(codes)},
      case when refused.position is null then 'admitted' else 'refused' end,
      case when refused.position is null then null
        when refused.until is null then 'rate_limited' else 'budget_exceeded' end,
      refused.name,
      case when refused.position is null then null else ${now} end,
      refused.position,
      case when refused.position is null then null
        when refused.resource = 'concurrent' then ${concurrencyRetryMs}
        when refused.least > refused."limit" then null
        when refused.until is not null then refused.until * 1000 - ${now}
        else min(${freeAt(tenantId)} * 1000 - ${now}, ${longestWaitSeconds * 1_000}) end
    from tenants cross join beyond left join refused on true
    where ${isCurrent} ${call === null ? sql`` : sql`and not exists (select 1 ${heldByAnother(call, id, now)})`}
    on conflict (id) do nothing`;
  const isNew = (outcome: "admitted" | "refused") => sql`exists (
    select 1 from sampling_requests where id = ${id} and tenant_id = ${tenantId}
      and outcome = ${outcome} and counted = 0)`;
  // The row says which of the two claims was admitted; the statement before wrote it.
  const bump = sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select r.tenant_id, h.value ->> 'subject', h.value ->> 'resource', h.value ->> 'bucket',
      h.value ->> 'amount'
    from sampling_requests r, json_each(r.holds) h
    where r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'admitted' and r.counted = 0
      and h.value ->> 'resource' <> 'concurrent'
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = ${summed("amount")}`;
  const standing = sql`
    select used.position, used.used, (
      select min(c.bucket) from counters c where c.tenant_id = ${tenantId}
        and c.subject = used.subject and c.resource = used.resource
        and c.bucket between used.since and used.last
    ) as oldest
    from (${usedOf(tenantId, asRows(holds), now)}) used order by used.position`;
  const builder = db.builder;
  const touch =
    sessionId === null || sessionExpiresAt === null
      ? []
      : [
          builder
            .update(sessions)
            .set({ lastUsedAt: now, expiresAt: sessionExpiresAt })
            .where(
              and(
                eq(sessions.id, sessionId),
                eq(sessions.tenantId, tenantId),
                eq(sessions.keyId, keyId),
                // An expired session stays expired: its client was told so.
                gt(sessions.expiresAt, now),
              ),
            ),
        ];
  const claiming =
    call === null || reservation.idempotency === null
      ? []
      : [
          claim(
            call,
            { requestId: id, contentSha256, expiresAt: reservation.idempotency.expiresAt, now },
            isNew("admitted"),
          ),
        ];
  const { probes } = reservation;
  const probing = { tenantId, requestId: id, probes, now, until: leaseUntil };
  const first =
    call === null
      ? []
      : [
          raw(sql`
            select i.request_id, i.content_sha256 ${heldByAnother(call, id, now)}
              and exists (select 1 from tenants where ${isCurrent})`),
        ];
  const request = { id, tenantId, now };
  // Only limits of money have an end (`until`). All others are rates, whose refusals are thinned.
  const mayThin = holds.some(({ until }) => until === null);
  const deciding = [
    raw(insert),
    ...(mayThin ? [countRefusal(request)] : []),
    refusedUsage(request),
    // Where the refusal is only counted, the statements that follow find no row.
    ...(mayThin ? [thinRefusal(request)] : []),
  ];
  const before = [
    ...deciding,
    ...(holds.length === 0 ? [] : [raw(bump)]),
    ...claiming,
    ...(probes.length === 0 ? [] : [claimProbes(probing, isNew("admitted"))]),
    useNumber(request),
  ];
  const standings = holds.length === 0 ? [] : [raw(standing)];
  const written = await db.write(
    [
      ...before,
      builder
        .update(samplingRequests)
        .set({
          counted: true,
          holds: sql`case outcome when 'refused' then '[]' else holds end`,
        })
        .where(and(eq(samplingRequests.id, id), eq(samplingRequests.tenantId, tenantId)))
        .returning({
          outcome: samplingRequests.outcome,
          refused_hold: samplingRequests.refusedHold,
          retry_after_ms: samplingRequests.retryAfterMs,
          reserved_tokens: samplingRequests.reservedTokens,
          reserved_micro_usd: samplingRequests.reservedMicroUsd,
          model: samplingRequests.model,
          record_number: samplingRequests.recordNumber,
          opening_code: samplingRequests.openingCode,
        }),
      ...standings,
      ...first,
      ...touch,
      ...(probes.length === 0 ? [] : [blockedProbes(probing)]),
    ],
    { lane: tenantId, ifLost: "again" },
  );
  if (!written.ok) return written;
  const thinned = mayThin ? (written.value[deciding.length - 1] ?? []) : [];
  const [row] = [...thinned, ...(written.value[before.length] ?? [])];
  const after = written.value.slice(before.length + 1);
  if (row === undefined) {
    const [held] = first.length === 0 ? [] : (after[standings.length] ?? []);
    if (held === undefined) return ok({ state: "stale" });
    const requestId = String(held["request_id"]);
    return ok({
      state: "repeated",
      first: { requestId, contentSha256: String(held["content_sha256"]) },
    });
  }
  const limits = standings.length === 0 ? [] : statesOf(holds, after[0] ?? [], now);
  const blocked = probes.length === 0 ? [] : (after.at(-1) ?? []);
  if (row["outcome"] === "admitted")
    return ok({
      state: "admitted",
      limits,
      receipt: receiptOf(row),
      blocked: blocked.map(({ scope }) => String(scope)),
      ...(smaller?.reservedTokens === number(row["reserved_tokens"]) && {
        claimed: "smaller" as const,
      }),
    });
  const hold = holds[number(row["refused_hold"])];
  if (hold === undefined) return ok({ state: "stale" });
  const retryAfterMs = row["retry_after_ms"] === null ? null : number(row["retry_after_ms"]);
  return ok({ state: "refused", hold, retryAfterMs, limits });
}
