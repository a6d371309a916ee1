/** Audit records as CSV: RFC 4180, safe to open in a spreadsheet. */
import type { SamplingRecord } from "./record.ts";
import type { Place } from "./seals.ts";

type Cell = string | number | boolean | null;

/** A spreadsheet would take a text that begins with one of these for a formula. */
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  // Spreadsheets take the semicolon for a separator where the comma is a decimal point.
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The columns of an export as CSV, in their order. */
const columns: Record<string, (record: SamplingRecord, place: Place) => Cell> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  settledAt: ({ settledAt }) => settledAt,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  reasonDetail: ({ reasonDetail }) => reasonDetail,
  model: ({ model }) => model,
  keyId: ({ who }) => who.keyId,
  sessionId: ({ who }) => who.sessionId,
  serverId: ({ who }) => who.serverId,
  tool: ({ who }) => who.tool,
  clientName: ({ who }) => who.clientName,
  clientVersion: ({ who }) => who.clientVersion,
  revision: ({ who }) => who.revision,
  attempts: ({ attempts }) => attempts.length,
  inputTokens: ({ usage }) => usage?.inputTokens ?? null,
  outputTokens: ({ usage }) => usage?.outputTokens ?? null,
  usageEstimated: ({ usage }) => usage?.estimated ?? null,
  costMicroUsd: ({ costMicroUsd }) => costMicroUsd,
  reservedTokens: ({ reservedTokens }) => reservedTokens,
  overshoot: ({ overshoot }) => overshoot,
  totalMs: ({ totalMs }) => totalMs,
  overheadMs: ({ overheadMs }) => overheadMs,
  contentSha256: ({ contentSha256 }) => contentSha256,
  seal: (_, { seal }) => seal,
  position: (_, { position }) => position,
  // New columns stand at the end, so that readers by position find the others where they were.
  cacheReadTokens: ({ usage }) => usage?.classes?.cacheReadTokens ?? null,
  cacheWriteTokens: ({ usage }) => usage?.classes?.cacheWriteTokens ?? null,
  cacheWriteHourTokens: ({ usage }) => usage?.classes?.cacheWriteHourTokens ?? null,
  audioInputTokens: ({ usage }) => usage?.classes?.audioInputTokens ?? null,
  reasoningTokens: ({ usage }) => usage?.classes?.reasoningTokens ?? null,
  usageImplausible: ({ usage }) => (usage === null ? null : usage.implausible === true),
  user: ({ who }) => who.user ?? null,
  cacheReadAudioTokens: ({ usage }) => usage?.classes?.cacheReadAudioTokens ?? null,
  admittedAt: ({ admittedAt }) => admittedAt,
};

export const csvColumns: readonly string[] = Object.keys(columns);

/** One row, without its line break. */
export const csvRow = (record: SamplingRecord, place: Place): string =>
  Object.values(columns)
    .map((cellOf) => csvCell(cellOf(record, place)))
    .join(",");

/** The row in the place of a record that can't be read: its id, and the word that says so. */
export const csvUnreadable = (id: string, { seal, position }: Place): string => {
  const known: Record<string, Cell> = { id, outcome: "unreadable", seal, position };
  return csvColumns.map((name) => csvCell(known[name] ?? null)).join(",");
};

export const csvBreak = "\r\n";
