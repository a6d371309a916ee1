import { and, eq, getTableColumns, gt, sql, type SQL } from "drizzle-orm";
import type { LimitCheck } from "../../../domain/limits/limit-checks.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { IdempotentCall, FallbackClaim, Reservation } from "../../../domain/ports/ledger.ts";
import { claimColumns, claimsOf } from "./admission-claims.ts";
import { admissionCodes, type AdmissionCodes } from "./admission-codes.ts";
import { usedOf, verdictTables } from "./admission-verdict.ts";
import { claimProbes } from "../../tenants/circuits.ts";
import { raw, type Builder, type Compiled } from "../../db.ts";
import { limitChecksText, type StoredCheck } from "../../rows/stored-limit-checks.ts";
import { callOf, claim, claimedByAnother } from "./idempotency.ts";
import { isFreshIn, nextNumber } from "../../records/record-numbers.ts";
import { beginWaiting, hasRoom, waitingOf, type Waiting } from "../../approvals/approval-rows.ts";
import { openingOf, stored } from "../../records/record-codes.ts";
import { openingColumns } from "../../records/records.ts";
import { samplingRequests, sessions } from "../../schema.ts";

export interface Admitting {
  reservation: Reservation;
  request: { id: string; tenantId: string; now: number };
  claims: FallbackClaim[];
  values: ReturnType<typeof rowOf>;
  codes: AdmissionCodes;
  call: IdempotentCall | null;
  forApproval: Waiting | null;
  /** Rechecks what the choice assumed: a key revoked meanwhile gets nothing. */
  isCurrent: SQL;
}

const rowOf = (reservation: Reservation) => ({
  ...openingColumns(reservation.opening),
  admittedAt: reservation.now,
  leaseUntil: reservation.leaseUntil,
});

export async function admitting(
  { mac, rowMac }: { mac: Mac; rowMac: Mac },
  reservation: Reservation,
): Promise<Admitting> {
  const { opening, limitChecks, now, tenantVersion, approval } = reservation;
  const { id, who } = opening;
  const { tenantId, keyId, sessionId } = who;
  const values = rowOf(reservation);
  const claims = claimsOf(reservation);
  const [first, ...lesser] = claims.map((each) => ({ ...values, ...claimColumns(each) }));
  const codes = await admissionCodes(mac, {
    claims: [first, ...lesser].map((row) => openingOf(row ?? values)),
    limited:
      limitChecks.length === 0 ? null : openingOf({ ...(first ?? values), admittedAt: null }),
  });
  const isCurrent = sql`tenants.id = ${tenantId} and tenants.version = ${tenantVersion}
      and (${sessionId} is null or exists (
        select 1 from sessions where sessions.id = ${sessionId}
          and sessions.tenant_id = ${tenantId} and sessions.key_id = ${keyId}
          and sessions.expires_at > ${now}))`;
  const call = callOf(reservation);
  const request = { id, tenantId, now };
  const place = { tenantId, requestId: id, keyId, now };
  const forApproval = approval === undefined ? null : await waitingOf(rowMac, place, approval);
  return { reservation, request, claims, values, codes, call, forApproval, isCurrent };
}

const columns = getTableColumns(samplingRequests);

const goingOn = (limitChecks: readonly LimitCheck[]): StoredCheck[] =>
  limitChecks.map((check) => (check.begins === undefined ? check : { ...check, amount: 0 }));

const claimNames = ["model", "decision", "reservedTokens", "reservedMicroUsd"] as const;
const [codeAt, limitChecksAt, goingOnAt] = [0, 1, 2].map((at) =>
  sql.raw(`taken.value ->> ${claimNames.length + at}`),
);

/** Per claim: the row's columns, code, and limit checks, both for a new and a continued run. */
const claimTexts = ({ claims, codes }: Admitting): string =>
  JSON.stringify(
    claims.map((each, rung) => {
      const values = claimColumns(each);
      return [
        ...claimNames.map((name) => stored(name, values[name])),
        codes.claims[rung],
        limitChecksText(each.limitChecks),
        limitChecksText(goingOn(each.limitChecks)),
      ];
    }),
  );

function columnsOf({ values, codes }: Admitting): { names: SQL; encoded: SQL } {
  const encoded: [keyof typeof columns, SQL][] = (
    Object.keys(values) as (keyof Admitting["values"])[]
  ).map((name) => {
    const value = values[name];
    const one = sql`${value === null ? null : columns[name].mapToDriverValue(value)}`;
    return [name, name === "admittedAt" ? sql`case when v.rung is not null then ${one} end` : one];
  });
  encoded.push(
    ...claimNames.map((name, at): [typeof name, SQL] => [name, sql.raw(`taken.value ->> ${at}`)]),
    [
      "limitChecks",
      sql`case when v.rung is null then '[]'
        when exists (select 1 from used where goes_on) then ${goingOnAt} else ${limitChecksAt} end`,
    ],
    ["openingCode", sql`case when v.rung is null then ${codes.limited} else ${codeAt} end`],
  );
  return {
    names: sql.join(
      encoded.map(([name]) => sql.identifier(columns[name].name)),
      sql`, `,
    ),
    encoded: sql.join(
      encoded.map(([, value]) => value),
      sql`, `,
    ),
  };
}

const notHeldByAnother = ({ call, request: { id, now } }: Admitting): SQL =>
  call === null ? sql`` : sql`and not exists (select 1 ${claimedByAnother(call, id, now)})`;

/** Writes the row, admitted or refused, if the choice's assumptions still hold. */
export function insertRow(ready: Admitting): Compiled {
  const { reservation, request, claims, isCurrent } = ready;
  const { tenantId, now } = request;
  const { names, encoded } = columnsOf(ready);
  return raw(sql`
    with ${verdictTables(request, claims)}
    insert into sampling_requests
      (${names}, record_number, outcome, reason, reason_detail, settled_at, refused_check, retry_after_ms)
    select ${encoded}, ${nextNumber(tenantId)},
      case when v.rung is null then 'refused' else 'admitted' end,
      case when v.rung is not null then null
        when v.is_money then 'budget_exceeded' else 'rate_limited' end,
      v.name, case when v.rung is null then ${now} end, v.position, v.retry_after
    from tenants cross join verdict v
      join json_each(${claimTexts(ready)}) taken on taken.key = coalesce(v.rung, 0)
    where ${isCurrent} ${reservation.approval === undefined ? sql`` : sql`and ${hasRoom(reservation.opening.who)}`}
      ${reservation.mayWait === true ? sql`and not v.waits` : sql``}
      ${notHeldByAnother(ready)}
    on conflict (id) do nothing`);
}

export const waiting = (ready: Admitting): Compiled[] => {
  const { reservation, request, claims, isCurrent } = ready;
  const { id, tenantId } = request;
  return reservation.mayWait !== true
    ? []
    : [
        raw(sql`
          with ${verdictTables(request, claims)}
          select 1 as waits from tenants
          where not exists (
              select 1 from sampling_requests r where r.id = ${id} and r.tenant_id = ${tenantId})
            and ${isCurrent} ${notHeldByAnother(ready)} and (select v.waits from verdict v)`),
      ];
};

const isAdmitted = ({ id, tenantId }: Admitting["request"]): SQL => sql`exists (
  select 1 from sampling_requests where id = ${id} and tenant_id = ${tenantId}
    and outcome = 'admitted' and ${sql.raw(isFreshIn("sampling_requests"))})`;

/** Claims the admitted call's idempotency key and probed circuits. */
export function takings({ reservation, request, call, forApproval }: Admitting): Compiled[] {
  const { opening, idempotency, probes } = reservation;
  const { id, now } = request;
  const claimed = { requestId: id, contentSha256: opening.contentSha256, now };
  return [
    ...(call === null || idempotency === null
      ? []
      : [claim(call, { ...claimed, expiresAt: idempotency.expiresAt }, isAdmitted(request))]),
    ...(probes.length === 0 ? [] : [claimProbes(probing(reservation), isAdmitted(request))]),
    ...(forApproval === null ? [] : beginWaiting(forApproval, isAdmitted(request))),
  ];
}

export const probing = ({ opening, probes, now, leaseUntil }: Reservation) => ({
  tenantId: opening.who.tenantId,
  requestId: opening.id,
  probes,
  now,
  // A pending call probes no circuit.
  until: leaseUntil ?? now,
});

export const readRow = (builder: Builder, { id, tenantId }: Admitting["request"]): Compiled =>
  builder
    .select({
      outcome: samplingRequests.outcome,
      refused_check: samplingRequests.refusedCheck,
      retry_after_ms: samplingRequests.retryAfterMs,
      reserved_tokens: samplingRequests.reservedTokens,
      reserved_micro_usd: samplingRequests.reservedMicroUsd,
      model: samplingRequests.model,
      record_number: samplingRequests.recordNumber,
      opening_code: samplingRequests.openingCode,
    })
    .from(samplingRequests)
    .where(and(eq(samplingRequests.id, id), eq(samplingRequests.tenantId, tenantId)));

export const currentUsage = (
  { tenantId, now }: Admitting["request"],
  limitChecks: readonly LimitCheck[],
): Compiled =>
  raw(sql`
    select used.position, used.used, (
      select min(c.bucket) from counters c where c.tenant_id = ${tenantId}
        and c.subject = used.subject and c.resource = used.resource
        and c.bucket between used.since and used.last
    ) as oldest
    from (${usedOf({ tenantId, now }, limitChecks)}) used order by used.position`);

export const holder = ({ call, request, isCurrent }: Admitting): Compiled[] =>
  call === null
    ? []
    : [
        raw(sql`
          select i.request_id, i.content_sha256 ${claimedByAnother(call, request.id, request.now)}
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
    // An expired session stays expired: its client has been notified.
    gt(sessions.expiresAt, request.now),
  );
  const used = { lastUsedAt: request.now, expiresAt: sessionExpiresAt };
  return [builder.update(sessions).set(used).where(where)];
}
