/** The statements of one call's admission, which know each way in which an admission may end. */
import { and, eq, getTableColumns, gt, sql, type SQL } from "drizzle-orm";
import {
  concurrencyRetryMs,
  lastBucketOf,
  longestWaitSeconds,
  nameOfLimit,
  type Hold,
} from "../domain/limits/holds.ts";
import { countedOfRuns, endOfTime, isMoney } from "../domain/limits/resources.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { Claim, IdempotentCall, Reservation } from "../domain/ports/ledger.ts";
import { compactDecision } from "../domain/choice/decision.ts";
import { admissionCodes, codeTaken, type AdmissionCodes } from "./admission-codes.ts";
import { claimProbes } from "./circuits.ts";
import { raw, summed, type Builder, type Compiled } from "./db.ts";
import { held, type Held } from "./held.ts";
import { callOf, claim, heldByAnother } from "./idempotency.ts";
import { nextNumber } from "./record-numbers.ts";
import { beginWaiting, hasRoom } from "./approval-rows.ts";
import { takenPlaces } from "./places.ts";
import { openingOf } from "./record-codes.ts";
import { openingColumns } from "./records.ts";
import { samplingRequests, sessions } from "./schema.ts";
import { countedIn } from "./windows.ts";

/** The holds with their names, each with the least amount that would do. */
const asRows = (holds: readonly Hold[], smaller: readonly Hold[] = holds): string =>
  JSON.stringify(
    holds.map((hold, at) => ({
      ...hold,
      name: nameOfLimit(hold),
      isMoney: isMoney(hold.resource),
      last: lastBucketOf(hold),
      least: smaller[at]?.amount ?? hold.amount,
    })),
  );

/** An amount that a call asks for: nothing of new runs, if its run goes on. */
const askedFor = (tenantId: string, member: "amount" | "least"): SQL => sql`
  case when h.value -> 'begins' is not null and exists (
      select 1 from counters c where c.tenant_id = ${tenantId} and c.resource = ${countedOfRuns}
        and c.subject = h.value ->> '$.begins.subject' and c.bucket >= h.value ->> '$.begins.since')
    then 0 else h.value ->> ${sql.raw(`'${member}'`)} end`;

/** Every hold with what is used of its limit, as a table expression named `used`. */
const usedOf = (tenantId: string, rows: string, now: number) => sql`
  select h.key as position, h.value ->> 'limit' as "limit", ${askedFor(tenantId, "amount")} as amount,
    ${askedFor(tenantId, "least")} as least,
    h.value ->> 'subject' as subject, h.value ->> 'resource' as resource,
    h.value ->> 'since' as since, h.value ->> 'last' as last, h.value ->> 'until' as until, h.value ->> 'name' as name,
    h.value ->> 'isMoney' as is_money, h.value -> 'begins' is not null as begins,
    case h.value ->> 'resource'
      when 'concurrent' then ${takenPlaces(tenantId, now)}
      else ${countedIn(tenantId)}
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

/** Columns of a claim. */
export const claimColumns = ({ decision, holds, reservedTokens, reservedMicroUsd }: Claim) => ({
  decision: compactDecision(decision),
  model: `${decision.provider}/${decision.model}`,
  holds,
  reservedTokens,
  reservedMicroUsd,
});

/** One call's admission, and what its statements share. */
export interface Admitting {
  reservation: Reservation;
  request: { id: string; tenantId: string; now: number };
  /** what the row says, and where the smaller claim is admitted, what it says instead */
  values: ReturnType<typeof rowOf>;
  instead: Partial<ReturnType<typeof claimColumns>>;
  codes: AdmissionCodes;
  call: IdempotentCall | null;
  /** What the choice assumed must still hold: a key that was revoked meanwhile gets nothing. */
  isCurrent: SQL;
}

const rowOf = (reservation: Reservation) => ({
  ...openingColumns(reservation.opening),
  ...claimColumns(reservation),
  counted: false,
  admittedAt: reservation.now,
  leaseUntil: reservation.leaseUntil,
});

export async function admitting(mac: Mac, reservation: Reservation): Promise<Admitting> {
  const { opening, holds, smaller, now, tenantVersion } = reservation;
  const { id, who } = opening;
  const { tenantId, keyId, sessionId } = who;
  const values = rowOf(reservation);
  const instead = smaller === undefined ? {} : claimColumns(smaller);
  const codes = await admissionCodes(mac, {
    opening: openingOf(values),
    smaller: smaller === undefined ? null : openingOf({ ...values, ...instead }),
    limited: holds.length === 0 ? null : openingOf({ ...values, ...instead, admittedAt: null }),
  });
  const isCurrent = sql`tenants.id = ${tenantId} and tenants.version = ${tenantVersion}
      and (${sessionId} is null or exists (
        select 1 from sessions where sessions.id = ${sessionId}
          and sessions.tenant_id = ${tenantId} and sessions.key_id = ${keyId}
          and sessions.expires_at > ${now}))`;
  const call = callOf(reservation);
  return { reservation, request: { id, tenantId, now }, values, instead, codes, call, isCurrent };
}

const columns = getTableColumns(samplingRequests);
type Name = keyof Admitting["values"];

const encode = (name: Name, value: unknown): SQL =>
  sql`${value === null ? null : columns[name].mapToDriverValue(value)}`;

/** What a call of a run that goes on holds. */
const goingOn = (holds: readonly Held[]): Held[] =>
  holds.map((hold) =>
    Array.isArray(hold) || hold.begins === undefined ? hold : { ...hold, amount: 0 },
  );

/** As `encode`; the row says what is counted of the call. */
const encodeHolds = (holds: readonly Held[]): SQL =>
  holds.some((hold) => !Array.isArray(hold) && hold.begins !== undefined)
    ? sql`case when exists (select 1 from used where begins and amount = 0)
        then ${encode("holds", goingOn(holds))} else ${encode("holds", holds)} end`
    : encode("holds", holds);

/** The row's columns, and the value of each, of the claim that is admitted. */
function columnsOf({ values, instead }: Admitting): { names: SQL; encoded: SQL } {
  const names = Object.keys(values) as Name[];
  const encoded = names.map((name) => {
    if (name === "holds")
      return instead.holds === undefined
        ? encodeHolds(values.holds)
        : sql`case when beyond.yes then ${encodeHolds(instead.holds)} else ${encodeHolds(values.holds)} end`;
    const value = encode(name, values[name]);
    if (name === "admittedAt") return sql`case when refused.position is null then ${value} end`;
    const other = (instead as Partial<typeof values>)[name];
    return other === undefined
      ? value
      : sql`case when beyond.yes then ${encode(name, other)} else ${value} end`;
  });
  const identifiers = names.map((name) => sql.identifier(columns[name].name));
  return { names: sql.join(identifiers, sql`, `), encoded: sql.join(encoded, sql`, `) };
}

/** Writes the row, admitted or refused, if all is as the choice assumed. */
export function insertRow(ready: Admitting): Compiled {
  const { reservation, request, codes, call, isCurrent } = ready;
  const { holds, smaller } = reservation;
  const { id, tenantId, now } = request;
  const { names, encoded } = columnsOf(ready);
  return raw(sql`
    with used as (${usedOf(tenantId, asRows(holds, smaller?.holds), now)}),
      beyond as (select exists (
        select 1 from used where used + amount > "limit" and not (begins and amount = 0)) as yes),
      refused as (
        select * from used where used + least > "limit" and not (begins and least = 0)
        order by position limit 1)
    insert into sampling_requests
      (${names}, record_number, opening_code, outcome, reason, reason_detail, settled_at,
        refused_hold, retry_after_ms)
    select ${encoded}, ${nextNumber(tenantId)}, ${codeTaken(codes)},
      case when refused.position is null then 'admitted' else 'refused' end,
      case when refused.position is null then null
        when refused.is_money then 'budget_exceeded' else 'rate_limited' end,
      refused.name,
      case when refused.position is null then null else ${now} end,
      refused.position,
      case when refused.position is null then null
        when refused.resource = 'concurrent' then ${concurrencyRetryMs}
        when refused.least > refused."limit" or refused.until = ${endOfTime} then null
        when refused.until is not null then refused.until * 1000 - ${now}
        else min(${freeAt(tenantId)} * 1000 - ${now}, ${longestWaitSeconds * 1_000}) end
    from tenants cross join beyond left join refused on true
    where ${isCurrent} ${reservation.approval === undefined ? sql`` : sql`and ${hasRoom(tenantId)}`}
      ${call === null ? sql`` : sql`and not exists (select 1 ${heldByAnother(call, id, now)})`}
    on conflict (id) do nothing`);
}

// The row says which of the two claims was admitted; the statement before wrote it.
export const bump = ({ id, tenantId }: Admitting["request"]): Compiled =>
  raw(sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select r.tenant_id, ${held.subject}, ${held.resource}, ${held.bucket}, ${held.amount}
    from sampling_requests r, json_each(r.holds) h
    where r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'admitted' and r.counted = 0
      and ${held.resource} <> 'concurrent'
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = ${summed("amount")}`);

const isAdmitted = ({ id, tenantId }: Admitting["request"]): SQL => sql`exists (
  select 1 from sampling_requests where id = ${id} and tenant_id = ${tenantId}
    and outcome = 'admitted' and counted = 0)`;

/** What an admitted call takes with it: its replay key and the circuits that it tries. */
export function claims({ reservation, request, call }: Admitting): Compiled[] {
  const { opening, idempotency, probes, approval } = reservation;
  const { id, now } = request;
  const claimed = { requestId: id, contentSha256: opening.contentSha256, now };
  return [
    ...(call === null || idempotency === null
      ? []
      : [claim(call, { ...claimed, expiresAt: idempotency.expiresAt }, isAdmitted(request))]),
    ...(probes.length === 0 ? [] : [claimProbes(probing(reservation), isAdmitted(request))]),
    ...(approval === undefined
      ? []
      : beginWaiting(
          { tenantId: request.tenantId, requestId: id, keyId: opening.who.keyId, now },
          approval,
          isAdmitted(request),
        )),
  ];
}

export const probing = ({ opening, probes, now, leaseUntil }: Reservation) => ({
  tenantId: opening.who.tenantId,
  requestId: opening.id,
  probes,
  now,
  // A call that waits for a person tries no circuit.
  until: leaseUntil ?? now,
});

/** The row says that it is counted, and gives what it says. */
export const countRow = (builder: Builder, { id, tenantId }: Admitting["request"]): Compiled =>
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
    });

export const standing = (
  { tenantId, now }: Admitting["request"],
  holds: readonly Hold[],
): Compiled =>
  raw(sql`
    select used.position, used.used, (
      select min(c.bucket) from counters c where c.tenant_id = ${tenantId}
        and c.subject = used.subject and c.resource = used.resource
        and c.bucket between used.since and used.last
    ) as oldest
    from (${usedOf(tenantId, asRows(holds), now)}) used order by used.position`);

/** Who holds the call's replay key, where the row was not written for that. */
export const holder = ({ call, request, isCurrent }: Admitting): Compiled[] =>
  call === null
    ? []
    : [
        raw(sql`
          select i.request_id, i.content_sha256 ${heldByAnother(call, request.id, request.now)}
            and exists (select 1 from tenants where ${isCurrent})`),
      ];

export function touch(builder: Builder, { reservation, request }: Admitting): Compiled[] {
  const { sessionExpiresAt, opening } = reservation;
  const { tenantId, keyId, sessionId } = opening.who;
  if (sessionId === null || sessionExpiresAt === null) return [];
  const where = and(
    eq(sessions.id, sessionId),
    eq(sessions.tenantId, tenantId),
    eq(sessions.keyId, keyId),
    // An expired session stays expired: its client was told so.
    gt(sessions.expiresAt, request.now),
  );
  const used = { lastUsedAt: request.now, expiresAt: sessionExpiresAt };
  return [builder.update(sessions).set(used).where(where)];
}
