/**
 * An invocation can't touch another's I/O, so `notifications/cancelled` writes a row that the call's owner
 * polls for.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { CancellationStore, CancelledCall } from "../../../domain/ports/cancellations.ts";
import type { SamplingRequest } from "./sampling-request.ts";

/** ms between polls: takes effect within two seconds. */
const pollMs = 1_000;
/** ms by which the notifying isolate's clock may be behind. */
const clockSkewMs = 5_000;

/** The reason with which a watch's signal aborts; an error, as `fetch` throws it. */
export const cancelledInSession = new DOMException("Cancelled in its session.", "AbortError");

export interface Watch {
  signal: AbortSignal;
  stop: () => void;
}

export function createCancellation(deps: {
  cancellations: CancellationStore;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}) {
  const { cancellations, now, wait } = deps;
  return {
    cancel: (call: CancelledCall): AsyncResult<null> => cancellations.record(call, now()),

    watch(call: CancelledCall, startedAt: number): Watch {
      const cancelled = new AbortController();
      const over = new AbortController();
      const look = async (): Promise<void> => {
        for (;;) {
          await wait(pollMs, over.signal);
          if (over.signal.aborted) return;
          const found = await cancellations.isRecorded(call, startedAt - clockSkewMs);
          // The next poll may find the row.
          if (found.ok && found.value) return cancelled.abort(cancelledInSession);
        }
      };
      void look();
      return { signal: cancelled.signal, stop: () => over.abort() };
    },
  };
}

export type Cancellation = ReturnType<typeof createCancellation>;

export const cancellable =
  <Call extends { request: SamplingRequest }, Next>(
    cancellation: Pick<Cancellation, "watch">,
    step: (call: Call, signal: AbortSignal) => Promise<Next>,
  ) =>
  (call: Call, signal: AbortSignal): Promise<Next> => {
    const { caller, messageId, startedAt } = call.request;
    const { session, snapshot } = caller;
    // Without a session, a caller cancels by disconnecting.
    if (session === null || messageId === null) return step(call, signal);
    const watch = cancellation.watch(
      { tenantId: snapshot.tenant.id, sessionId: session.id, messageId },
      startedAt,
    );
    return step(call, AbortSignal.any([signal, watch.signal])).finally(watch.stop);
  };
