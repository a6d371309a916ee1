/** Ends a held call that nobody may run any more: denied, or left by everybody until its time was over. */
import type { Settlement } from "../../domain/audit/record.ts";
import type { ApprovalStore, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { answersDecidedForMs } from "../../domain/sampling/approval.ts";
import type { EndCall } from "../end-call.ts";
import type { Summary } from "../finish.ts";
import type { Idempotency } from "../idempotency.ts";

/** An approved call for which nobody came ends like one whose caller left. */
export const refusalOf = ({ approval }: HeldCall): Refusal => {
  const { state, decidedBy } = approval;
  if (state === "expired" && decidedBy !== "timeout") return { reason: "cancelled" };
  return { reason: "user_rejected", by: decidedBy === "timeout" ? "timeout" : "approver" };
};

const unspent = (
  held: HeldCall,
  { refusal, parts, now }: { refusal: Refusal; parts: string[]; now: number },
): Settlement => {
  const { approval, createdAt } = held;
  const waitedMs = Math.max(0, now - createdAt);
  return {
    id: approval.requestId,
    tenantId: approval.tenantId,
    now,
    receipt: null,
    // The row says how much is held, and of what.
    holds: held.holds.map((hold) => ({
      ...hold,
      scope: "tenant",
      since: 0,
      until: null,
      limit: 0,
    })),
    outcome: refusal.reason === "cancelled" ? "cancelled" : "failed",
    reason: refusal.reason,
    reasonDetail: `${approval.stage} ${approval.state} by ${approval.decidedBy ?? "nobody"}`,
    attempts: [],
    usage: null,
    costMicroUsd: 0,
    chargedTokens: 0,
    chargedMicroUsd: 0,
    model: null,
    result: { parts, expiresAt: now + answersDecidedForMs },
    health: [],
    circuits: [],
    probed: false,
    failing: [],
    captured: null,
    timing: { auth: 0, choose: 0, approve: waitedMs, admit: 0, provider: 0 },
    totalMs: waitedMs,
    overheadMs: waitedMs,
  };
};

export type EndHeld = (place: CallPlace) => AsyncResult<null>;

export const createEndHeld =
  (deps: {
    approvals: ApprovalStore;
    endCall: EndCall;
    idempotency: Pick<Idempotency<Summary>, "seal">;
    now: () => number;
  }): EndHeld =>
  async (place) => {
    const { approvals, endCall, idempotency, now } = deps;
    const found = await approvals.find(place);
    if (!found.ok) return found;
    const held = found.value;
    if (held !== null && held.outcome === "admitted") {
      const { state } = held.approval;
      if (state !== "denied" && state !== "expired") return ok(null);
      const refusal = refusalOf(held);
      const parts = await idempotency.seal(place.tenantId, place.requestId, err(refusal));
      const ended = await endCall(unspent(held, { refusal, parts, now: now() }));
      if (!ended.ok) return ended;
    }
    return approvals.close(place);
  };
