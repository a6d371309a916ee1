/** Waits for a person, as long as the caller can bear. The held call itself waits on, in the database. */
import type { ApprovalStore, CallPlace, HeldCall } from "../../domain/ports/approvals.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Cancellation, Watch } from "../sampling/request/cancel.ts";
import type { StartedCall } from "../sampling/request/started-call.ts";
import type { Begin, Taken } from "./begin.ts";
import type { EndHeld } from "./end.ts";

/** ms between two looks. */
const shortestPauseMs = 100;
const longestPauseMs = 1_000;
/** ms after which a caller that was sent away may come again. */
const comeAgainMs = 5_000;
/** ms. A process that ends cuts its callers' connections too, and their calls wait on. */
const leftForMs = 2_000;
/** ms that a caller waits that says nothing else: clients of the SDKs give up after 60 s. */
export const usualPatienceMs = 25_000;

export type Waited =
  | (Taken & { state: "taken" })
  /** the call goes on, or has ended: its replay key says how */
  | { state: "over" }
  | { state: "refused"; refusal: Refusal };

export interface ToWait {
  started: StartedCall;
  call: SamplingCall;
  requestId: string;
  replayKey: ReplayKey | null;
  /** the key that the router made for the call; null: the caller has its own */
  idempotencyKey: string | null;
  signal: AbortSignal;
  /**
   * What a caller's leaving means: of the first caller that its call is cancelled, and of one who joined nothing, since
   * others may wait too.
   */
  leaving: "withdraws" | "leaves-it-waiting";
}

export type WaitForApproval = (toWait: ToWait) => Promise<Waited>;

export function createWaitForApproval(deps: {
  approvals: ApprovalStore;
  begin: Begin;
  endHeld: EndHeld;
  cancellation: Pick<Cancellation, "watch">;
  /** sends what is to be told of held calls, soon */
  sendWebhooks: () => void;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}): WaitForApproval {
  const { approvals, begin, endHeld, cancellation, sendWebhooks, now, elapsed, wait } = deps;

  /** null: the caller has no session, and cancels by leaving. */
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

  /** Ends the call without a charge. A call that somebody has begun meanwhile goes on. */
  const withdraw = async (place: CallPlace): Promise<Waited> => {
    const withdrawn = await approvals.withdraw(place, now());
    if (!withdrawn.ok) return { state: "refused", refusal: withdrawn.error };
    if (!withdrawn.value) return { state: "over" };
    sendWebhooks();
    const ended = await endHeld(place);
    return { state: "refused", refusal: ended.ok ? { reason: "cancelled" } : ended.error };
  };

  /** null: a person is still to decide, or no place is free. */
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

  /** Waits as long as the caller can bear. `cancelled`: the session took the call back. */
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
