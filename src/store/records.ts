/** The audit record as a row, and a row as an audit record. */
import { recordVersion, type Opening, type SamplingRecord } from "../domain/audit/record.ts";
import type { samplingRequests } from "./schema.ts";

type Columns = typeof samplingRequests.$inferSelect;

/** What is known of a call when it arrives. */
export const openingColumns = ({ id, who, createdAt, asked, contentSha256 }: Opening) => ({
  id,
  ...who,
  createdAt,
  asked,
  contentSha256,
  attempts: [],
  overshoot: false,
  recordVersion,
});

/** Columns of a call for which no provider was called. */
export const unspent = {
  model: null,
  inputTokens: null,
  outputTokens: null,
  usageEstimated: null,
  mediaUsage: null,
  usageClasses: null,
  usageImplausible: false,
  costMicroUsd: null,
  timing: null,
  totalMs: null,
  overheadMs: null,
};

export const toRecord = (
  row: Columns,
  captured: boolean,
  replays: number | null = null,
): SamplingRecord => ({
  version: row.recordVersion,
  id: row.id,
  who: {
    tenantId: row.tenantId,
    keyId: row.keyId,
    sessionId: row.sessionId,
    serverId: row.serverId,
    tool: row.tool,
    clientName: row.clientName,
    clientVersion: row.clientVersion,
    revision: row.revision,
  },
  createdAt: row.createdAt,
  asked: row.asked,
  contentSha256: row.contentSha256,
  outcome: row.outcome,
  reason: row.reason,
  reasonDetail: row.reasonDetail,
  decision: row.decision,
  attempts: row.attempts,
  reservedTokens: row.reservedTokens,
  usage:
    row.inputTokens === null || row.outputTokens === null
      ? null
      : {
          inputTokens: row.inputTokens,
          outputTokens: row.outputTokens,
          estimated: row.usageEstimated ?? false,
          ...(row.usageClasses === null ? {} : { classes: row.usageClasses }),
          ...(row.mediaUsage === null ? {} : { media: row.mediaUsage }),
          ...(row.usageImplausible ? { implausible: true as const } : {}),
        },
  costMicroUsd: row.costMicroUsd,
  overshoot: row.overshoot,
  model: row.model,
  timing: row.timing,
  totalMs: row.totalMs,
  overheadMs: row.overheadMs,
  settledAt: row.settledAt,
  correction: row.correction,
  replays,
  captured,
});
