import type { ApprovalStore, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import { cancelledInSession } from "../sampling/request/cancel.ts";
import { returningCallOf } from "../sampling/request/idempotent-call.ts";
import type { Held } from "../sampling/states/states.ts";
import type { Begin, Taken } from "./begin.ts";
import type { EndHeld } from "./end.ts";

const shortestPauseMs = 100;
const longestPauseMs = 1_000;
/** `retryAfterMs` of `approval_pending`. */
const pendingRetryMs = 5_000;
/** ms. A process that shuts down disconnects its callers too, and ends before it withdraws their calls. */
const withdrawDelayMs = 2_000;
/** ms for callers that set no limit: SDK clients give up after 60 s. */
export const usualPatienceMs = 25_000;

export type Waited =
  | (Taken & { state: "taken" })
  /** resumed or ended, as the idempotency key shows */
  | { state: "over" }
  | { state: "refused"; refusal: Refusal };

export type WaitForApproval = (call: Held, signal: AbortSignal) => Promise<Waited>;

/** Key with which the caller can find this call again; `null` if it sent its own. */
const retryKeyOf = (call: Held): string | null => {
  // A legacy server's replay key contains the JSON-RPC id, and a repeated request has a new id.
  const isKeyless =
    returningCallOf(call) !== null || (call.role === "owner" && call.request.replayKey === null);
  return isKeyless ? call.requestId : null;
};

const placeOf = ({ opening, requestId }: Held): CallPlace => ({
  tenantId: opening.who.tenantId,
  requestId,
});

export function createWaitForApproval(deps: {
  approvals: ApprovalStore;
  begin: Begin;
  endHeld: EndHeld;
  sendWebhooks: () => void;
  now: () => number;
  elapsed: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}): WaitForApproval {
  const { approvals, begin, endHeld, sendWebhooks, now, elapsed, wait } = deps;

  /** Ends the call without a charge unless it has started. */
  const withdraw = async (place: CallPlace): Promise<Waited> => {
    const withdrawn = await approvals.withdraw(place, now());
    if (!withdrawn.ok) return { state: "refused", refusal: withdrawn.error };
    if (withdrawn.value) sendWebhooks();
    const ended = await endHeld(place);
    if (!ended.ok) return { state: "refused", refusal: ended.error };
    return withdrawn.value
      ? { state: "refused", refusal: { reason: "cancelled" } }
      : { state: "over" };
  };

  /** An approved call isn't begun for a caller that has left: another may come back for it. */
  const leave = async (call: Held, signal: AbortSignal): Promise<Waited> => {
    const place = placeOf(call);
    if (signal.reason === cancelledInSession) return withdraw(place);
    // The call belongs to another caller.
    if (call.role !== "owner") return { state: "refused", refusal: { reason: "cancelled" } };
    await wait(withdrawDelayMs, new AbortController().signal);
    return withdraw(place);
  };

  /** `null` while there is no decision or no free slot. */
  const checkOnce = async (
    place: CallPlace,
    call: Held,
    held: HeldCall,
  ): Promise<Waited | null> => {
    const { state, deadline, stage } = held.approval;
    if (state === "waiting" && deadline <= now()) {
      const expired = await approvals.expire(now());
      return expired.ok ? null : { state: "refused", refusal: expired.error };
    }
    if (state === "waiting") return null;
    if (state === "approved" && stage === "request") {
      const begun = await begin(call, held);
      if (!begun.ok) return { state: "refused", refusal: begun.error };
      if (begun.value.state === "busy") return null;
      return begun.value.state === "taken" ? begun.value : { state: "over" };
    }
    const ended: Result<unknown, Refusal> = state === "started" ? ok(null) : await endHeld(place);
    return ended.ok ? { state: "over" } : { state: "refused", refusal: ended.error };
  };

  return async (call, signal) => {
    const { request, role, slot } = call;
    const place = placeOf(call);
    for (let pause = shortestPauseMs; ; pause = Math.min(longestPauseMs, 2 * pause)) {
      const found = await approvals.find(place);
      if (!found.ok) return { state: "refused", refusal: found.error };
      const held = found.value;
      // Another caller with the same key cancelled it. Joining its freed key would hold a new call.
      if (role === "owner" && held?.approval.state === "withdrawn") return withdraw(place);
      if (held === null || held.outcome !== "admitted") return { state: "over" };
      if (signal.aborted) return leave(call, signal);
      const seen = await checkOnce(place, call, held);
      if (seen !== null) return seen;
      const { patienceMs = usualPatienceMs, progress } = request.waiting?.() ?? {};
      if (elapsed() - request.monotonicStart >= patienceMs) {
        const idempotencyKey = retryKeyOf(call);
        const retryAfterMs = pendingRetryMs;
        return {
          state: "refused",
          refusal: { reason: "approval_pending", retryAfterMs, idempotencyKey },
        };
      }
      progress?.();
      await slot.outside(() => wait(pause, signal));
    }
  };
}
