import type { Settlement } from "../../domain/audit/record.ts";
import type { Approval, ApprovalStore, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { decidedResultTtlMs } from "../../domain/sampling/approval.ts";
import type { Block } from "../../domain/sampling/call.ts";
import { uncalled, type EndCall } from "../sampling/settlement/end-call.ts";
import type { Summary } from "../sampling/settlement/summary.ts";
import type { Idempotency, Recorded } from "../sampling/request/idempotency.ts";
import type { ReadContent } from "./contents.ts";
import type { KeptResult } from "./hold-result.ts";

/** An approved call whose caller never returned ends as canceled. */
export const refusalOf = ({ approval }: HeldCall): Refusal => {
  const { state, decidedBy, edited } = approval;
  if (state === "withdrawn") return { reason: "cancelled" };
  if (state === "expired" && decidedBy !== "timeout") return { reason: "cancelled" };
  const explanation = state === "denied" ? edited?.explanation : undefined;
  return {
    reason: "user_rejected",
    by: decidedBy === "timeout" ? "timeout" : "approver",
    ...(explanation !== undefined && { explanation }),
  };
};

const outcomeOf = ({ reason }: Refusal): "cancelled" | "failed" =>
  reason === "cancelled" ? "cancelled" : "failed";

const unspent = (
  held: HeldCall,
  { refusal, parts, now }: { refusal: Refusal; parts: string[]; now: number },
): Settlement => {
  const { approval, createdAt } = held;
  const waitedMs = Math.max(0, now - createdAt);
  return {
    ...uncalled,
    id: approval.requestId,
    tenantId: approval.tenantId,
    now,
    limitChecks: held.limitChecks.map((hold) => ({
      ...hold,
      scope: "tenant",
      since: 0,
      until: null,
      limit: 0,
    })),
    outcome: outcomeOf(refusal),
    reason: refusal.reason,
    reasonDetail: detailOf(approval),
    // After a withdrawal the key can be used again.
    result:
      approval.state === "withdrawn" ? "free" : { parts, expiresAt: now + decidedResultTtlMs },
    probed: false,
    timing: { auth: 0, choose: 0, approve: waitedMs, admit: 0, provider: 0 },
    totalMs: waitedMs,
    overheadMs: waitedMs,
  };
};

const detailOf = ({
  stage,
  state,
  decidedBy,
  decidedBySubject,
  isOwn,
  edited,
}: Approval): string => {
  const subject = decidedBySubject === null ? "" : ` (subject ${decidedBySubject})`;
  const by = decidedBy === null ? "" : ` by ${decidedBy}`;
  const summary = `${stage} ${state}${by}${subject}${isOwn ? ", whose call it is" : ""}`;
  return edited?.content === undefined ? summary : `${summary}, edited to ${edited.content}`;
};

const paid = (
  { approval }: HeldCall,
  { kept, ...given }: { kept: KeptResult; refusal: Refusal | null; parts: string[]; now: number },
): Settlement => {
  const { refusal, parts, now } = given;
  const waitedMs = Math.max(0, now - approval.createdAt);
  const { settlement } = kept;
  const { timing } = settlement;
  return {
    ...settlement,
    now,
    outcome: refusal === null ? settlement.outcome : outcomeOf(refusal),
    reason: refusal?.reason ?? null,
    reasonDetail: detailOf(approval),
    result: { parts, expiresAt: now + decidedResultTtlMs },
    timing: { ...timing, approve: timing.approve + waitedMs },
    totalMs: settlement.totalMs + waitedMs,
    overheadMs: settlement.overheadMs + waitedMs,
  };
};

export type EndHeld = (place: CallPlace) => AsyncResult<null>;

export const createEndHeld = (deps: {
  approvals: ApprovalStore;
  read: ReadContent;
  endCall: EndCall;
  idempotency: Pick<Idempotency<Summary>, "seal">;
  now: () => number;
}): EndHeld => {
  const { approvals, read, endCall, idempotency, now } = deps;

  const endingOf = async (held: HeldCall): AsyncResult<Settlement> => {
    const { tenantId, requestId, stage, state, edited } = held.approval;
    const place = { tenantId, requestId };
    const sealed = (recorded: Recorded<Summary>) => idempotency.seal(tenantId, requestId, recorded);
    const refusal = state === "approved" ? null : refusalOf(held);
    const kept = stage === "result" ? await read<KeptResult>(place, "result") : ok(null);
    if (!kept.ok) return kept;
    if (kept.value === null) {
      const reported: Refusal = refusal ?? { reason: "cancelled" };
      return ok(
        unspent(held, { refusal: reported, parts: await sealed(err(reported)), now: now() }),
      );
    }
    const { value } = kept.value.recorded;
    const content =
      edited?.content === undefined ? ok(null) : await read<Block[]>(place, "edited-result");
    if (!content.ok) return content;
    const answer = { ...value.answer, ...(content.value !== null && { content: content.value }) };
    const parts = await sealed(refusal === null ? ok({ ...value, answer }) : err(refusal));
    return ok(paid(held, { kept: kept.value, refusal, parts, now: now() }));
  };

  return async (place) => {
    const found = await approvals.find(place);
    if (!found.ok) return found;
    const held = found.value;
    if (held !== null && held.outcome === "admitted") {
      const { state, stage } = held.approval;
      const isDecided = state === "denied" || state === "expired" || state === "withdrawn";
      // The caller runs an approved request.
      if (!isDecided && !(state === "approved" && stage === "result")) return ok(null);
      const ending = await endingOf(held);
      if (!ending.ok) return ending;
      const ended = await endCall(ending.value);
      if (!ended.ok) return ended;
    }
    return approvals.close(place);
  };
};
