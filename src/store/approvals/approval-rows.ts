import { and, eq, gte, lt, sql, type SQL } from "drizzle-orm";
import type { Approval, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { Who } from "../../domain/audit/record.ts";
import type { NewApproval } from "../../domain/sampling/approval.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { ok } from "../../domain/result.ts";
import {
  decidedResultTtlMs,
  maxHeldCalls,
  type HeldContent,
} from "../../domain/sampling/approval.ts";
import { approvals } from "../schema/approval-schema.ts";
import {
  approvalCode,
  genuineRows,
  ofCall,
  type ApprovalDeps,
  type ApprovalRow,
} from "./approval-codes.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import { storedChecksIn, limitChecksText } from "../rows/stored-limit-checks.ts";
import { results } from "../schema/ledger-schema.ts";
import { samplingRequests } from "../schema.ts";
import { announce } from "../notifications/webhook-announcements.ts";

/** libSQL limits a response to 10 MB, and a part has up to 1 MB. */
const partsPerRead = 4;

export const contentId = (requestId: string, kind: HeldContent): string => `${requestId}#${kind}`;

export const keepContent = (
  { tenantId, requestId }: CallPlace,
  content: { kind: HeldContent; parts: readonly string[]; expiresAt: number },
  condition: SQL,
): Compiled[] =>
  content.parts.map((part, at) =>
    raw(sql`
      insert into results (tenant_id, request_id, part, sealed, expires_at)
      select ${tenantId}, ${contentId(requestId, content.kind)}, ${at}, ${part}, ${content.expiresAt}
      where ${condition} on conflict do nothing`),
  );

type CallerIds = Pick<Who, "tenantId" | "keyId" | "serverId">;

export const heldCalls = ({ tenantId, keyId, serverId }: CallerIds): SQL => sql`
  select count(*) as tenant, count(case when a.key_id = ${keyId} then 1 end) as "key",
    count(case when r.server_id = ${serverId} then 1 end) as server
  from approvals a left join sampling_requests r
    on r.id = a.request_id and r.tenant_id = a.tenant_id
  where a.tenant_id = ${tenantId} and a.is_open = 1 and a.state = 'waiting'`;

export const hasRoom = (who: CallerIds): SQL => sql`exists (
  select 1 from (${heldCalls(who)}) held where held.tenant < ${maxHeldCalls.tenant}
    and held."key" < ${maxHeldCalls.key} and held.server < ${maxHeldCalls.server})`;

export interface Waiting {
  place: CallPlace & { keyId: string; now: number };
  approval: NewApproval;
  code: string;
}

export async function waitingOf(
  rowMac: Mac,
  place: Waiting["place"],
  approval: NewApproval,
): Promise<Waiting> {
  const { now: createdAt, ...its } = place;
  const undecided = {
    decidedAt: null,
    decidedBy: null,
    decidedBySubject: null,
    isOwn: false,
    comment: null,
    edited: null,
  };
  const { stage, deadline, onTimeout, conditions, contentHash } = approval;
  const row = {
    ...its,
    stage,
    deadline,
    onTimeout,
    conditions,
    contentHash,
    createdAt,
    ...undecided,
  };
  return { place, approval, code: await approvalCode(rowMac, { ...row, state: "waiting" }) };
}

export function beginWaiting({ place, approval, code }: Waiting, condition: SQL): Compiled[] {
  const { tenantId, requestId, keyId, now } = place;
  const { stage, deadline, onTimeout, conditions, contentHash, parts, webhook } = approval;
  const notice = webhook === undefined ? null : JSON.stringify(webhook.notice);
  const expiresAt = deadline + decidedResultTtlMs;
  return [
    ...keepContent(place, { kind: stage, parts, expiresAt }, condition),
    raw(sql`
      insert into approvals (tenant_id, request_id, stage, key_id, state, created_at, deadline,
        on_timeout, conditions, content_hash, code, is_open, webhook_url, notice)
      select ${tenantId}, ${requestId}, ${stage}, ${keyId}, 'waiting', ${now}, ${deadline},
        ${onTimeout}, ${JSON.stringify(conditions)}, ${contentHash}, ${code}, 1,
        ${webhook?.url ?? null}, ${notice}
      where ${condition} on conflict do nothing`),
    ...(webhook === undefined
      ? []
      : [
          announce(
            sql`tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}
              and state = 'waiting'`,
            now,
          ),
        ]),
  ];
}

export const approvalOf = ({
  code: _code,
  nonce: _,
  webhookUrl: _url,
  notice: _notice,
  ...row
}: ApprovalRow): Approval => row;

export const recordOf = ({ tenantId, requestId }: CallPlace) =>
  and(eq(samplingRequests.tenantId, tenantId), eq(samplingRequests.id, requestId));

const undecided = (row: ApprovalRow): Approval => ({
  ...approvalOf(row),
  state: "expired",
  decidedAt: null,
  decidedBy: "timeout",
  decidedBySubject: null,
  isOwn: false,
  comment: null,
  edited: null,
});

export async function findHeld(deps: ApprovalDeps, place: CallPlace): AsyncResult<HeldCall | null> {
  const found = await deps.db.read(async (builder) => ({
    rows: await builder.select().from(approvals).where(ofCall(place)).orderBy(approvals.stage),
    record: (await builder.select().from(samplingRequests).where(recordOf(place)))[0],
  }));
  if (!found.ok) return found;
  const { rows, record } = found.value;
  const newest = rows.at(-1);
  if (newest === undefined || record === undefined || record.decision === null) return ok(null);
  const genuine = await genuineRows(deps, rows);
  // A running call continues whatever a foreign row says.
  const last = record.leaseUntil === null ? newest : genuine.at(-1);
  if (last === undefined) return ok(null);
  return ok({
    approval: genuine.includes(last) ? approvalOf(last) : undecided(last),
    stages: genuine.map(approvalOf),
    outcome: record.outcome,
    decision: record.decision,
    createdAt: record.createdAt,
    admittedAt: record.admittedAt ?? record.createdAt,
    limitChecks: storedChecksIn(limitChecksText(record.limitChecks), record),
    reservedTokens: record.reservedTokens ?? 0,
    reservedMicroUsd: record.reservedMicroUsd,
    serverId: record.serverId,
  });
}

export async function readContent(
  db: Database,
  { tenantId, requestId }: CallPlace,
  kind: HeldContent,
): AsyncResult<string | null> {
  const sealed: string[] = [];
  for (let at = 0; ; at += partsPerRead) {
    const parts = await db.read((builder) =>
      builder
        .select({ sealed: results.sealed })
        .from(results)
        .where(
          and(
            eq(results.tenantId, tenantId),
            eq(results.requestId, contentId(requestId, kind)),
            gte(results.part, at),
            lt(results.part, at + partsPerRead),
          ),
        )
        .orderBy(results.part),
    );
    if (!parts.ok) return parts;
    sealed.push(...parts.value.map((part) => part.sealed));
    if (parts.value.length < partsPerRead) return ok(sealed.length === 0 ? null : sealed.join(""));
  }
}
