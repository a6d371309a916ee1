/** Audit records as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { SamplingRecord } from "./record.ts";
import type { ChainPosition } from "./seals.ts";

type Cell = string | number | boolean | null;

/** Prefixes that a spreadsheet reads as a formula. */
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  // Spreadsheets separate by semicolon where the decimal separator is a comma.
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const columns: Record<string, (record: SamplingRecord, place: ChainPosition) => Cell> = {
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
  // Append new columns only: readers may address columns by position.
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

export const csvRow = (record: SamplingRecord, place: ChainPosition): string =>
  Object.values(columns)
    .map((cellOf) => csvCell(cellOf(record, place)))
    .join(",");

export const csvUnreadable = (id: string, { seal, position }: ChainPosition): string => {
  const known: Record<string, Cell> = { id, outcome: "unreadable", seal, position };
  return csvColumns.map((name) => csvCell(known[name] ?? null)).join(",");
};

export const csvBreak = "\r\n";
