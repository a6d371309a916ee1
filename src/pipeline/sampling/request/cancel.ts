/**
 * Cancellation from another isolate. One invocation may not touch another's I/O (the runtime throws). So
 * `notifications/cancelled` leaves a row, and the call's owner looks for it while its provider works.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { CancellationStore, CancelledCall } from "../../../domain/ports/cancellations.ts";

/**
 * ms between two looks: often enough to take effect within two seconds, and rare enough to cost next to
 * nothing.
 */
const pollMs = 1_000;
/** ms by which the clock of the notification's isolate may be behind the call's. */
const clockSkewMs = 5_000;

export interface Watch {
  /** aborts once the call is cancelled */
  signal: AbortSignal;
  stop(): void;
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
          // Where the database is out of reach the call goes on, and the next look may find the
          // row.
          if (found.ok && found.value) return cancelled.abort();
        }
      };
      void look();
      return { signal: cancelled.signal, stop: () => over.abort() };
    },
  };
}

export type Cancellation = ReturnType<typeof createCancellation>;
