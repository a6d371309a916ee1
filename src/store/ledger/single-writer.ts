/** What the in-memory ledger doesn't handle falls back to SQL. */
import { usageEntriesOf } from "../../domain/audit/usage-entries.ts";
import { statesFrom } from "../../domain/limits/admission-verdict.ts";
import { asReadable } from "../../domain/magnitudes.ts";
import type { Admission, Reservation } from "../../domain/ports/ledger.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { claimColumns, claimsOf } from "./admission/admission-claims.ts";
import { admissionCodes } from "./admission/admission-codes.ts";
import type { AdmitEntry, Answer, SettleEntry } from "../engines/contract/entries.ts";
import type { Bound } from "../engines/contract/sql.ts";
import { calledNames, claimNames, endedNames } from "../engines/memory-ledger/texts.ts";
import { compile, type Database } from "../db.ts";
import {
  encodedRow,
  packedRow,
  endingCodeOfEncoded,
  openingsOfEncoded,
  type EncodedRow,
} from "../records/record-codes.ts";
import { openingColumns } from "../records/records.ts";
import { endingRow, keepingStatements, type SettlementTry } from "./settlement/settlement.ts";
import { sql } from "drizzle-orm";

interface Deps {
  db: Database;
  mac: Mac;
}

const inOrder = (names: readonly (keyof EncodedRow)[], row: EncodedRow): Bound[] =>
  names.map((name) => row[name] ?? null);

interface Entering {
  entry: AdmitEntry;
  claims: EncodedRow[];
}

async function enteringOf(
  mac: Mac,
  reservation: Reservation & { leaseUntil: number },
): Promise<Entering> {
  const { opening, limitChecks, now, leaseUntil, idempotency, sessionExpiresAt } = reservation;
  const { id, who, createdAt, contentSha256 } = opening;
  const { tenantId, keyId, serverId, sessionId } = who;
  const values = { ...openingColumns(opening), leaseUntil, admittedAt: now };
  const row = encodedRow(values);
  const claims = claimsOf(reservation).map(claimColumns);
  const encodedClaims = claims.map(encodedRow);
  const openings = openingsOfEncoded(row, encodedClaims);
  const codes = await admissionCodes(mac, {
    claims: openings.map(({ admitted }) => admitted),
    limited: limitChecks.length === 0 ? null : (openings[0]?.limited ?? null),
  });
  const entry: AdmitEntry = {
    kind: "admit",
    id,
    tenantId,
    keyId,
    serverId,
    createdAt,
    tenantVersion: reservation.tenantVersion,
    now,
    leaseUntil,
    row: inOrder(calledNames, packedRow(row, values)),
    claims: claims.map((claim, rung) => ({
      values: inOrder(claimNames, packedRow(encodedClaims[rung] ?? {}, claim)),
      code: codes.claims[rung] ?? "",
      shortens: reservation.fallbacks[rung - 1]?.shortens === true,
    })),
    limitedCode: codes.limited,
    mayWait: reservation.mayWait === true,
    session: sessionId === null ? null : { id: sessionId, expiresAt: sessionExpiresAt },
    replay: idempotency === null ? null : { ...idempotency, contentSha256 },
  };
  return { entry, claims: encodedClaims };
}

function admissionFrom(
  answer: Exclude<Answer, { state: "settled" }>,
  { reservation, entering }: { reservation: Reservation; entering: Entering },
): Admission | null {
  if (answer.state === "waits") return answer;
  if (answer.state === "repeated") {
    const { requestId, contentSha256 } = answer;
    return { state: "repeated", first: { requestId, contentSha256 } };
  }
  const { limitChecks, now } = reservation;
  const limits = statesFrom(limitChecks, { usage: answer.currentUsage, now });
  if (answer.state === "refused") {
    const { rung, position, retryAfterMs } = answer;
    const check = claimsOf(reservation)[rung]?.limitChecks[position];
    if (check === undefined) return null;
    const used = limits[position]?.used ?? check.limit;
    return { state: "refused", check, used, retryAfterMs, limits };
  }
  const { claims, entry } = entering;
  const { rung, number } = answer;
  const taken = claims[rung] ?? {};
  return {
    state: "admitted",
    limits,
    blocked: [],
    rung,
    receipt: {
      number,
      openingCode: entry.claims[rung]?.code ?? "",
      model: String(taken.model),
      reservedTokens: Number(taken.reservedTokens),
      reservedMicroUsd: taken.reservedMicroUsd === null ? null : Number(taken.reservedMicroUsd),
    },
  };
}

/** `null` if SQL decides, as for calls that probe a circuit. */
export async function admitInMemory(
  { db, mac }: Deps,
  reservation: Reservation,
): AsyncResult<Admission | null> {
  const { leaseUntil, probes } = reservation;
  // Pending calls have no lease and are rare.
  if (db.enter === undefined || probes.length > 0 || leaseUntil === null) return ok(null);
  const entering = await enteringOf(mac, { ...reservation, leaseUntil });
  const { entry } = entering;
  const entered = await db.enter(entry, { lane: entry.tenantId });
  if (!entered.ok) return entered;
  const answer = entered.value;
  if (answer === null || answer.state === "settled") return ok(null);
  return ok(admissionFrom(answer, { reservation, entering }));
}

const isOrdinary = ({ settlement, kind = "ended" }: SettlementTry): boolean =>
  kind === "ended" &&
  !settlement.probed &&
  settlement.failing.length === 0 &&
  settlement.circuits.every(({ fault }) => fault === null);

async function settleEntryOf(
  { db, mac }: Deps,
  { settlement, nonce }: SettlementTry,
): Promise<SettleEntry | null> {
  const { id, tenantId, now, outcome, receipt, usage, health, circuits } = settlement;
  if (receipt === null) return null;
  const ending = endingRow(settlement, receipt);
  const row = encodedRow(ending);
  const endingCode = await endingCodeOfEncoded(mac, "ended", { ...receipt, row });
  const written: EncodedRow = {
    ...packedRow(row, ending),
    settlement: nonce,
    endingCode,
    // Dropped when nothing can be corrected: holds are the largest part of a row.
    limitChecks: usage?.implausible === true ? null : "[]",
  };
  return {
    kind: "settle",
    id,
    tenantId,
    now,
    row: inOrder(endedNames, written),
    outcome,
    chargedTokens: asReadable(settlement.chargedTokens) ?? 0,
    chargedMicroUsd: asReadable(settlement.chargedMicroUsd) ?? 0,
    model: settlement.model,
    usageEntries: usageEntriesOf(settlement),
    health,
    closes: circuits.flatMap(({ closes }) => closes),
    kept: keepingStatements(db.builder, settlement, sql`true`).map(compile),
  };
}

export async function settleInMemory(
  deps: Deps,
  settlementTry: SettlementTry,
): AsyncResult<boolean> {
  const { enter } = deps.db;
  if (enter === undefined || !isOrdinary(settlementTry)) return ok(false);
  const entry = await settleEntryOf(deps, settlementTry);
  if (entry === null) return ok(false);
  const entered = await enter(entry, { lane: entry.tenantId, kind: "ends" });
  return entered.ok ? ok(entered.value !== null) : entered;
}
