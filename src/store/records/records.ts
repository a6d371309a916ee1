import {
  type Asked,
  type Opening,
  type SamplingRecord,
  type Who,
} from "../../domain/audit/record.ts";
import type { KeptAsked } from "../rows/packed-columns.ts";
import type { samplingRequests } from "../schema.ts";

type Columns = typeof samplingRequests.$inferSelect;

/** The person is stored in `asked`, so records without one don't grow. */
const keptAsked = (
  asked: Asked | null,
  { user, groups }: Pick<Who, "user" | "groups">,
): KeptAsked | null =>
  user === undefined ? asked : { ...asked, user, ...(groups !== undefined && { groups }) };

function askedAndPerson(
  kept: KeptAsked | null,
): Pick<Opening, "asked"> & Pick<Who, "user" | "groups"> {
  if (kept?.user === undefined) return { asked: kept as Asked | null };
  const { user, groups, ...asked } = kept;
  return {
    // A call that could not be decoded has only the person.
    asked: asked.messages === undefined ? null : (asked as Asked),
    user,
    ...(groups !== undefined && { groups }),
  };
}

export const openingColumns = ({ id, who, createdAt, asked, contentSha256 }: Opening) => ({
  id,
  tenantId: who.tenantId,
  keyId: who.keyId,
  sessionId: who.sessionId,
  serverId: who.serverId,
  tool: who.tool,
  clientName: who.clientName,
  clientVersion: who.clientVersion,
  revision: who.revision,
  createdAt,
  asked: keptAsked(asked, who),
  contentSha256,
  attempts: [],
  overshoot: false,
});

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
): SamplingRecord => recordOf(row, { ...askedAndPerson(row.asked), captured, replays });

/** Calls that need approval are admitted without a lease. */
const isHeld = ({ outcome, leaseUntil }: Pick<Columns, "outcome" | "leaseUntil">): boolean =>
  outcome === "admitted" && leaseUntil === null;

const recordOf = (
  row: Columns,
  {
    asked,
    user,
    groups,
    captured,
    replays,
  }: Pick<SamplingRecord, "asked" | "captured" | "replays"> & Pick<Who, "user" | "groups">,
): SamplingRecord => ({
  version: 1,
  id: row.id,
  who: {
    tenantId: row.tenantId,
    keyId: row.keyId,
    ...(user !== undefined && { user }),
    ...(groups !== undefined && { groups }),
    sessionId: row.sessionId,
    serverId: row.serverId,
    tool: row.tool,
    clientName: row.clientName,
    clientVersion: row.clientVersion,
    revision: row.revision,
  },
  createdAt: row.createdAt,
  asked,
  admittedAt: row.admittedAt,
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
  ...(isHeld(row) && { held: true as const }),
});
