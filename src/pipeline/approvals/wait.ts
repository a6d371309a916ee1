/** Waits for an approver as long as the caller allows. The pending call itself stays in the database. */
import type { ApprovalStore, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Cancellation, Watch } from "../sampling/request/cancel.ts";
import type { StartedCall } from "../sampling/request/started-call.ts";
import type { Begin, Taken } from "./begin.ts";
import type { EndHeld } from "./end.ts";

/** ms between polls. */
const shortestPauseMs = 100;
const longestPauseMs = 1_000;
/** ms after which a redirected caller may return. */
const comeAgainMs = 5_000;
/** ms. Pending calls survive a restart. */
const leftForMs = 2_000;
/** ms for callers that set no limit: SDK clients give up after 60 s. */
export const usualPatienceMs = 25_000;

export type Waited =
  | (Taken & { state: "taken" })
  /** resumed or ended, as the idempotency key shows */
  | { state: "over" }
  | { state: "refused"; refusal: Refusal };

export interface ToWait {
  started: StartedCall;
  call: SamplingCall;
  requestId: string;
  replayKey: ReplayKey | null;
  /** made by the router; `null` if the caller has its own */
  idempotencyKey: string | null;
  signal: AbortSignal;
  /** Whether a disconnect cancels the call: yes for the first caller, no for one that joined. */
  leaving: "withdraws" | "leaves-it-waiting";
}

export type WaitForApproval = (toWait: ToWait) => Promise<Waited>;

export function createWaitForApproval(deps: {
  approvals: ApprovalStore;
  begin: Begin;
  endHeld: EndHeld;
  cancellation: Pick<Cancellation, "watch">;
  sendWebhooks: () => void;
  now: () => number;
  /** ms, monotonic */
  elapsed: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}): WaitForApproval {
  const { approvals, begin, endHeld, cancellation, sendWebhooks, now, elapsed, wait } = deps;

  /** Callers without a session cancel by disconnecting. */
  const watchFor = ({ request }: StartedCall): Watch | null => {
    const { session, snapshot } = request.caller;
    const { messageId } = request;
    return session === null || messageId === null
      ? null
      : cancellation.watch(
          { tenantId: snapshot.tenant.id, sessionId: session.id, messageId },
          request.startedAt,
        );
  };

  /** Ends the call without a charge unless it has started. */
  const withdraw = async (place: CallPlace): Promise<Waited> => {
    const withdrawn = await approvals.withdraw(place, now());
    if (!withdrawn.ok) return { state: "refused", refusal: withdrawn.error };
    if (!withdrawn.value) return { state: "over" };
    sendWebhooks();
    const ended = await endHeld(place);
    return { state: "refused", refusal: ended.ok ? { reason: "cancelled" } : ended.error };
  };

  /** `null` while there is no decision or no free slot. */
  const look = async (place: CallPlace, toWait: ToWait, held: HeldCall): Promise<Waited | null> => {
    const { state, deadline, stage } = held.approval;
    if (state === "waiting" && deadline <= now()) {
      const expired = await approvals.expire(now());
      return expired.ok ? null : { state: "refused", refusal: expired.error };
    }
    if (state === "waiting") return null;
    if (state === "approved" && stage === "request") {
      const begun = await begin({ ...toWait, held });
      if (!begun.ok) return { state: "refused", refusal: begun.error };
      if (begun.value.state === "busy") return null;
      return begun.value.state === "taken" ? begun.value : { state: "over" };
    }
    const ended: Result<unknown, Refusal> = state === "begun" ? ok(null) : await endHeld(place);
    return ended.ok ? { state: "over" } : { state: "refused", refusal: ended.error };
  };

  /** `cancelled`: the session canceled the call. */
  const waitOn = async (toWait: ToWait, cancelled: AbortSignal | null): Promise<Waited> => {
    const { started, requestId, signal, idempotencyKey, leaving } = toWait;
    const { request, opening } = started;
    const place = { tenantId: opening.who.tenantId, requestId };
    const either = cancelled === null ? signal : AbortSignal.any([signal, cancelled]);
    for (let pause = shortestPauseMs; ; pause = Math.min(longestPauseMs, 2 * pause)) {
      const found = await approvals.find(place);
      if (!found.ok) return { state: "refused", refusal: found.error };
      const held = found.value;
      if (held === null || held.outcome !== "admitted") return { state: "over" };
      if (cancelled?.aborted === true) return withdraw(place);
      const seen = await look(place, toWait, held);
      if (seen !== null) return seen;
      if (signal.aborted && leaving === "withdraws") {
        await wait(leftForMs, new AbortController().signal);
        return withdraw(place);
      }
      if (signal.aborted) return { state: "refused", refusal: { reason: "cancelled" } };
      const { patienceMs = usualPatienceMs, progress } = request.waiting?.() ?? {};
      if (elapsed() - request.beganAt >= patienceMs)
        return {
          state: "refused",
          refusal: {
            reason: "approval_pending",
            retryAfterMs: comeAgainMs,
            idempotencyKey,
          },
        };
      progress?.();
      await started.turn.outside(() => wait(pause, either));
    }
  };

  return async (toWait) => {
    const watch = watchFor(toWait.started);
    return waitOn(toWait, watch?.signal ?? null).finally(() => watch?.stop());
  };
}
