/** Writes an approver's decision in one transaction; only the first decision counts. */
import { sql } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { ApprovalDecision, Decided } from "../../domain/ports/approvals.ts";
import type { LimitCheck } from "../../domain/limits/limit-checks.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { decidedResultTtlMs, approvedCallTtlMs } from "../../domain/sampling/approval.ts";
import { approvalCode, findStage, type ApprovalDeps } from "./approval-codes.ts";
import { keepContent } from "./approval-rows.ts";
import { raw, type Compiled, type Row } from "../db.ts";
import { appendEventWhere } from "../events.ts";
import { writeOptionsOf } from "./approval-resumption.ts";
import { announce } from "../notifications/webhook-announcements.ts";
import { reclaiming } from "./approval-edits.ts";
import { withoutSlot } from "../rows/concurrency-slots.ts";

const editedContent = (decision: ApprovalDecision, isMine: ReturnType<typeof sql>): Compiled[] =>
  decision.parts === undefined
    ? []
    : keepContent(
        decision,
        {
          kind: decision.stage === "request" ? "edited" : "edited-result",
          parts: decision.parts,
          expiresAt: decision.now + decidedResultTtlMs + approvedCallTtlMs,
        },
        isMine,
      );

const beyondOf = (limitChecks: readonly LimitCheck[], row: Row | undefined): Decided | null => {
  const check = limitChecks[Number(row?.["position"] ?? -1)];
  return check === undefined ? null : { state: "refused", check, used: Number(row?.["used"] ?? 0) };
};

export async function decide(
  deps: ApprovalDeps,
  decision: ApprovalDecision,
  event: AdminEvent,
): AsyncResult<Decided> {
  const { tenantId, requestId, stage, state, contentHash, comment, edited, now, claim } = decision;
  const { by: decidedBy, bySubject: decidedBySubject, isOwn, slots = [] } = decision;
  const noSlot = withoutSlot(decision, slots, now);
  const nonce = deps.nonce();
  const found = await findStage(deps, decision);
  if (!found.ok) return found;
  if (found.value === null) return ok({ state: "conflict" });
  const { code: before, ...row } = found.value;
  const deadline = Math.max(row.deadline, now + approvedCallTtlMs);
  const by = { decidedAt: now, decidedBy, decidedBySubject, isOwn };
  const decided = { ...by, state, comment, edited, deadline };
  const code = await approvalCode(deps.rowMac, { ...row, ...decided });
  const claimed = claim === undefined ? ok(null) : await reclaiming(deps, decision, claim);
  if (!claimed.ok) return claimed;
  const again = claimed.value;
  if (claim !== undefined && again === null) return ok({ state: "conflict" });
  const isMine = sql`exists (select 1 from approvals where tenant_id = ${tenantId}
    and request_id = ${requestId} and stage = ${stage} and nonce = ${nonce})`;
  const written = await deps.db.write(
    [
      raw(sql`select h.key as position, h.value ->> 'limit' as used ${noSlot} limit 1`),
      ...(again === null ? [] : [again.beyond]),
      raw(sql`
        update approvals set state = ${state}, decided_at = ${now}, decided_by = ${decidedBy},
          decided_by_subject = ${decidedBySubject}, is_own = ${isOwn ? 1 : 0},
          comment = ${comment}, edited = ${edited === null ? null : JSON.stringify(edited)},
          deadline = ${deadline}, code = ${code}, nonce = ${nonce}
        where tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}
          and code = ${before} and state = 'waiting' and deadline > ${now} and content_hash = ${contentHash}
          and not exists (select 1 ${noSlot})
          and ${again === null ? sql`true` : again.condition}`),
      ...editedContent(decision, isMine),
      announce(
        sql`tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}
          and nonce = ${nonce}`,
        now,
      ),
      ...(again === null ? [] : again.statements(isMine)),
      appendEventWhere(
        event,
        sql`${isMine} and not exists (select 1 from admin_events where id = ${event.id})`,
      ),
      raw(sql`select 1 as mine where ${isMine}`),
    ],
    writeOptionsOf(tenantId),
  );
  if (!written.ok) return written;
  if ((written.value.at(-1) ?? []).length > 0) return ok({ state: "done" });
  const [full, beyond] = written.value;
  const overBudget = again === null ? null : beyondOf(again.limitChecks, beyond?.[0]);
  return ok(overBudget ?? beyondOf(slots, full?.[0]) ?? { state: "conflict" });
}
