/** Admission in one transaction and one round trip. A row is written whether the call is admitted or refused. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { stateOf, type LimitCheck, type LimitState } from "../../../domain/limits/limit-checks.ts";
import { isMoney } from "../../../domain/limits/resources.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { Admission, Reservation } from "../../../domain/ports/ledger.ts";
import { ok } from "../../../domain/result.ts";
import { receiptOf } from "./admission-codes.ts";
import {
  admitting,
  holder,
  insertRow,
  probing,
  readRow,
  currentUsage,
  takings,
  touch,
  waiting,
  type Admitting,
} from "./admission-statements.ts";
import { admissionItem, bulkAdmission, bump, mayAdmitInBulk } from "./bulk-admission.ts";
import { blockedProbes } from "../../tenants/circuits.ts";
import { prepared, type Database, type Row } from "../../db.ts";
import { useNumbers } from "../../records/record-numbers.ts";
import { countRefusal, thinRefusal } from "../../records/thinning.ts";
import { refusedUsage } from "../../records/usage.ts";

const number = (value: unknown): number => Number(value ?? 0);

const statesOf = (
  limitChecks: readonly LimitCheck[],
  rows: readonly Row[],
  now: number,
): LimitState[] =>
  rows.flatMap((row): LimitState[] => {
    const check = limitChecks[number(row["position"])];
    if (check === undefined) return [];
    const oldest = row["oldest"] === null ? null : number(row["oldest"]);
    return [stateOf(check, { used: number(row["used"]), oldest, now })];
  });

interface AdmissionRows {
  row: Row | undefined;
  limits: LimitState[];
  holder: Row | undefined;
  blocked: string[];
  waits: boolean;
}

function admissionOf(
  { reservation: { limitChecks }, claims, codes }: Admitting,
  found: AdmissionRows,
): Admission {
  const { row, limits, holder: held, blocked } = found;
  if (row === undefined) {
    if (found.waits) return { state: "waits" };
    if (held === undefined) return { state: "stale" };
    const requestId = String(held["request_id"]);
    return {
      state: "repeated",
      first: { requestId, contentSha256: String(held["content_sha256"]) },
    };
  }
  if (row["outcome"] === "admitted")
    return {
      state: "admitted",
      limits,
      receipt: receiptOf(row),
      blocked,
      rung: Math.max(0, codes.claims.indexOf(String(row["opening_code"]))),
    };
  const place = number(row["refused_check"]);
  const position = place % limitChecks.length;
  const check = claims[Math.floor(place / limitChecks.length)]?.limitChecks[position];
  if (check === undefined) return { state: "stale" };
  const used = limits[position]?.used ?? check.limit;
  const retryAfterMs = row["retry_after_ms"] === null ? null : number(row["retry_after_ms"]);
  return { state: "refused", check, used, retryAfterMs, limits };
}

interface AdmissionDeps {
  db: Database;
  mac: Mac;
  rowMac: Mac;
}

async function admitAlone(
  { db, ...macs }: AdmissionDeps,
  reservation: Reservation,
): AsyncResult<Admission> {
  const { limitChecks, probes } = reservation;
  const ready = await admitting(macs, reservation);
  const { request } = ready;
  const written = JSON.stringify([[request.id, request.tenantId]]);
  const mayThin = limitChecks.some(({ resource }) => !isMoney(resource));
  // If a refusal is only counted, the statements after it find no row.
  const thinning = mayThin ? [thinRefusal(request)] : [];
  const deciding = [
    insertRow(ready),
    ...(mayThin ? [countRefusal(request)] : []),
    refusedUsage(request),
  ];
  const counting = [
    ...(limitChecks.length === 0 ? [] : [prepared(bump, [written])]),
    ...takings(ready),
    prepared(useNumbers, [written]),
  ];
  const currentUsages = limitChecks.length === 0 ? [] : [currentUsage(request, limitChecks)];
  const holders = holder(ready);
  const touches = touch(db.builder, ready);
  const blocked = probes.length === 0 ? [] : [blockedProbes(probing(reservation))];
  const row = readRow(db.builder, request);
  const waits = waiting(ready);
  const parts = [
    deciding,
    thinning,
    counting,
    [row],
    currentUsages,
    holders,
    touches,
    blocked,
    waits,
  ];
  const answered = await db.write(parts.flat(), { lane: request.tenantId, ifLost: "again" });
  if (!answered.ok) return answered;
  const rest = [...answered.value];
  const [, thinned, , counted, states, held, , scopes, waited] = parts.map((part) =>
    rest.splice(0, part.length).flat(),
  );
  return ok(
    admissionOf(ready, {
      row: [...(thinned ?? []), ...(counted ?? [])][0],
      limits: statesOf(limitChecks, states ?? [], request.now),
      holder: held?.[0],
      blocked: (scopes ?? []).map(({ scope }) => String(scope)),
      waits: (waited ?? []).length > 0,
    }),
  );
}

async function admitInBulk(
  { db, mac }: AdmissionDeps,
  reservation: Reservation,
): AsyncResult<Admission | null> {
  if (db.writeInBulk === undefined || !mayAdmitInBulk(reservation)) return ok(null);
  const item = await admissionItem(mac, reservation);
  const lane = reservation.opening.who.tenantId;
  return db.writeInBulk(bulkAdmission, item, { lane, ifLost: "again" });
}

export async function admit(deps: AdmissionDeps, reservation: Reservation): AsyncResult<Admission> {
  const admitted = await admitInBulk(deps, reservation);
  if (!admitted.ok) return admitted;
  return admitted.value === null ? admitAlone(deps, reservation) : ok(admitted.value);
}
