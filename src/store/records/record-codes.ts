/** The text of a record's columns that its codes cover. */
import { getTableColumns } from "drizzle-orm";
import {
  openingText,
  type Evidence,
  type EndingKind,
  endingText,
  type OpeningKind,
} from "../../domain/audit/evidence.ts";
import { isLimitName } from "../../domain/limits/limit-checks.ts";
import { nameOf } from "../../domain/models/model.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { shorten } from "../rows/phrases.ts";
import { samplingRequests } from "../schema.ts";
import { storable, writable } from "../rows/storable.ts";

export type RequestRow = typeof samplingRequests.$inferSelect;

const columns = getTableColumns(samplingRequests);

export const callNames = [
  "id",
  "tenantId",
  "keyId",
  "sessionId",
  "serverId",
  "tool",
  "clientName",
  "clientVersion",
  "revision",
  "createdAt",
  "contentSha256",
] as const satisfies (keyof typeof columns)[];

const claimedNames = [
  "leaseUntil",
  "reservedTokens",
  "reservedMicroUsd",
  "asked",
  "decision",
] as const satisfies (keyof RequestRow)[];

/** Columns known at admission: id, caller, request, decision, reservation. */
const openingNames = [
  ...callNames,
  "admittedAt",
  ...claimedNames,
] as const satisfies (keyof RequestRow)[];

export const endingNames = [
  "outcome",
  "reason",
  "reasonDetail",
  "model",
  "inputTokens",
  "outputTokens",
  "usageEstimated",
  "mediaUsage",
  "usageClasses",
  "usageImplausible",
  "costMicroUsd",
  "overshoot",
  "timing",
  "totalMs",
  "overheadMs",
  "settledAt",
  "attempts",
] as const satisfies (keyof RequestRow)[];

export type OpeningRow = Partial<Pick<RequestRow, (typeof openingNames)[number] | "firstLease">>;
export type EndingRow = Pick<RequestRow, (typeof endingNames)[number]>;

const namesOfType = (...types: readonly string[]): ReadonlySet<string> =>
  new Set(Object.keys(columns).filter((name) => types.includes(columns[name as Name].columnType)));

type Name = keyof RequestRow;
const asTheyAre = namesOfType("SQLiteText", "SQLiteInteger");
const booleans = namesOfType("SQLiteBoolean");

/** Their packed text is already the JSON that codes cover. */
const shortenedNames = ["asked", "timing", "attempts"] as const;

/**
 * Keeps whatever a foreign row holds. Codes cover packed columns as plain JSON, so they don't depend on the packing.
 */
function encodedAsRead(name: keyof RequestRow, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (asTheyAre.has(name)) return value;
  return booleans.has(name) ? Number(value) : JSON.stringify(value);
}

export const encoded = (name: keyof RequestRow, value: unknown): unknown =>
  writable(encodedAsRead(name, value));

export const stored = (name: keyof RequestRow, value: unknown): unknown =>
  value === null || value === undefined ? null : writable(columns[name].mapToDriverValue(value));

export type EncodedRow = Partial<Record<keyof RequestRow, string | number | null>>;

export function encodedRow(row: Partial<RequestRow>): EncodedRow {
  const encodedColumns: EncodedRow = {};
  for (const name of Object.keys(row) as (keyof RequestRow)[])
    encodedColumns[name] = encoded(name, row[name]) as string | number | null;
  return encodedColumns;
}

/** Packs columns for storage. `limitChecks` stay plain: the in-memory ledger uses and packs them. */
export function packedRow(encodedColumns: EncodedRow, row: Partial<RequestRow>): EncodedRow {
  const kept = { ...encodedColumns };
  if (row.decision !== undefined) kept.decision = stored("decision", row.decision) as string | null;
  for (const name of shortenedNames) {
    const json = encodedColumns[name];
    if (typeof json === "string") kept[name] = shorten(json);
  }
  return kept;
}

const textOfEncoded = (names: readonly (keyof RequestRow)[], row: EncodedRow): string =>
  JSON.stringify(names.map((name) => row[name] ?? null));

export interface Openings {
  admitted: string;
  limited: string;
}

/** Both texts of the columns in `openingNames` for each claim, which differ in one of them. */
export function openingsOfEncoded(row: EncodedRow, claims: readonly EncodedRow[]): Openings[] {
  const call = textOfEncoded(callNames, row).slice(0, -1);
  const at = JSON.stringify(row.admittedAt ?? null);
  return claims.map((claim) => {
    const values = claimedNames.map((name) => claim[name] ?? row[name] ?? null);
    const claimed = JSON.stringify(values).slice(1);
    return { admitted: `${call},${at},${claimed}`, limited: `${call},null,${claimed}` };
  });
}

const textOf = <N extends keyof RequestRow>(
  names: readonly N[],
  row: Partial<Pick<RequestRow, N>>,
  encode = encoded,
): string => JSON.stringify(names.map((name) => encode(name, row[name])));

export const openingOf = (row: OpeningRow): string => textOf(openingNames, row);

/** The same for a row that was read. A renewed lease has a code of its own. */
export const openingAsRead = ({ firstLease = null, ...row }: OpeningRow): string =>
  textOf(
    openingNames,
    firstLease === null ? row : { ...row, leaseUntil: firstLease },
    encodedAsRead,
  );

/** A renewed lease as its code covers it, bound to its record. */
export const leaseOf = ({
  id,
  tenantId,
  leaseUntil,
}: Pick<RequestRow, "id" | "tenantId" | "leaseUntil">): string =>
  JSON.stringify([id, tenantId, leaseUntil]);

export const openingCode = (mac: Mac, kind: OpeningKind, opening: string): Promise<string> =>
  mac.code(openingText(kind, opening));

export const endingCode = (
  mac: Mac,
  kind: EndingKind,
  parts: { openingCode: string; number: number | null; row: EndingRow },
): Promise<string> =>
  mac.code(endingText(kind, { ...parts, ending: textOf(endingNames, parts.row) }));

export const endingCodeOfEncoded = (
  mac: Mac,
  kind: EndingKind,
  { row, ...codes }: { openingCode: string; number: number | null; row: EncodedRow },
): Promise<string> =>
  mac.code(endingText(kind, { ...codes, ending: textOfEncoded(endingNames, row) }));

/** A correction as its code covers it, bound to its record. */
export const correctionOf = ({
  id,
  tenantId,
  correction,
}: Pick<RequestRow, "id" | "tenantId" | "correction">): string =>
  JSON.stringify([id, tenantId, correction]);

/** Whether the end holds only what SQL writes in an admission or in the sweep. */
function endedBySql(row: RequestRow): Evidence["endedBySql"] {
  const { decision, outcome, settledAt } = row;
  const isPlain =
    row.attempts.length === 0 &&
    row.mediaUsage === null &&
    row.usageClasses === null &&
    !row.usageImplausible &&
    !row.overshoot &&
    row.timing === null &&
    row.totalMs === null &&
    row.overheadMs === null;
  if (!isPlain || decision === null || settledAt === null) return null;
  const chosen = nameOf({ provider: decision.provider, id: decision.model });
  if (row.model !== chosen && row.model !== storable(chosen)) return null;
  const { inputTokens, outputTokens } = row;
  if (outcome === "refused")
    return (row.reason === "rate_limited" || row.reason === "budget_exceeded") &&
      isLimitName(row.reasonDetail ?? "") &&
      inputTokens === null &&
      outputTokens === null &&
      row.usageEstimated === null &&
      row.costMicroUsd === null &&
      (row.leaseUntil === null || settledAt < row.leaseUntil)
      ? "limited"
      : null;
  return outcome === "unknown" &&
    row.reason === null &&
    row.reasonDetail === null &&
    inputTokens === decision.estimate.inputTokens &&
    outputTokens === decision.estimate.outputTokens &&
    row.usageEstimated === true &&
    row.costMicroUsd === row.reservedMicroUsd &&
    settledAt >= (row.leaseUntil ?? Infinity)
    ? "swept"
    : null;
}

export const evidenceOf = (row: RequestRow): Evidence => ({
  number: row.recordNumber,
  opening: openingAsRead(row),
  ending: textOf(endingNames, row, encodedAsRead),
  correction: row.correction === null ? null : correctionOf(row),
  lease: row.firstLease === null ? null : leaseOf(row),
  codes: {
    opening: row.openingCode,
    ending: row.endingCode,
    correction: row.correctionCode,
    lease: row.leaseCode,
  },
  isRefused: row.outcome === "refused",
  endedBySql: endedBySql(row),
});
