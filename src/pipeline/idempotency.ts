/**
 * A call that is asked for again: it waits for the first one, and gets its result. What the first one
 * leaves behind is said in `domain/sampling/replay-key.ts`.
 */
import { longestLeaseMs } from "../domain/leases.ts";
import type { IdempotencyStore, IdempotentCall } from "../domain/ports/ledger.ts";
import { resultPartsOf } from "../domain/sampling/replay-key.ts";
import type { Vault } from "../domain/ports/stores.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, type Result } from "../domain/result.ts";
import type { SamplingAnswer } from "../domain/sampling/call.ts";

/** Who did the work: this caller; somebody before; somebody else, while this one waited. */
export type AnsweredBy = "this-call" | "earlier-call" | "concurrent-call";

/** What is kept of a call for its repetitions, as JSON. */
export type Recorded<D> = Result<{ answer: SamplingAnswer; decision: D }, Refusal>;

export type Joined<D> =
  /** nothing holds the key any more: this call may be the first */
  { state: "free" } | { state: "done"; recorded: Recorded<D>; answeredBy: AnsweredBy };

/** Its isolate died before it could say what became of it; it was charged as reserved. */
const lost: Refusal = { reason: "provider_failed", attempts: [] };
const shortestWaitMs = 100;
const longestWaitMs = 1_000;
const done = (refusal: Refusal, answeredBy: AnsweredBy) =>
  ({ state: "done", recorded: err(refusal), answeredBy }) as const;

export function createIdempotency<D>(deps: {
  idempotency: IdempotencyStore;
  vault: Vault;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}) {
  const { idempotency, vault, now, wait } = deps;
  const sealedFor = (tenantId: string, id: string) =>
    ({ purpose: "result", tenantId, provider: "", id, destination: "" }) as const;
  return {
    /** Sealed, in parts that fit a row. */
    async seal(tenantId: string, requestId: string, recorded: Recorded<D>): Promise<string[]> {
      const sealed = await vault.seal(JSON.stringify(recorded), sealedFor(tenantId, requestId));
      return resultPartsOf(sealed);
    },

    /** What holds the key now; null: nothing. */
    find: (call: IdempotentCall) => idempotency.find(call, now()),

    /**
     * Waits for the call that holds the key, to the end of its lease at most. Leaving is the caller's
     * own: the first one goes on.
     */
    async join(call: IdempotentCall, signal: AbortSignal): Promise<Joined<D>> {
      let answeredBy: AnsweredBy = "earlier-call";
      let pausedMs = 0;
      for (let pause = shortestWaitMs; ; pause = Math.min(longestWaitMs, pause * 2)) {
        const found = await idempotency.find(call, now());
        if (!found.ok) return done(found.error, answeredBy);
        const first = found.value;
        if (first === null) return { state: "free" };
        if (first.result !== null) {
          const opened = await vault.open(first.result, sealedFor(call.tenantId, first.requestId));
          // Counting is worth no refusal.
          await idempotency.countReplay(call);
          return opened.ok
            ? { state: "done", recorded: JSON.parse(opened.value) as Recorded<D>, answeredBy }
            : done(lost, answeredBy);
        }
        const isRunning = first.outcome === "admitted" && (first.leaseUntil ?? 0) > now();
        // Nobody else says so.
        // Nor does a lease last longer, whatever the clock says that was set back meanwhile.
        if (!isRunning || pausedMs > longestLeaseMs) return done(lost, "earlier-call");
        await wait(pause, signal);
        pausedMs += pause;
        if (signal.aborted) return done({ reason: "cancelled" }, answeredBy);
        answeredBy = "concurrent-call";
      }
    },
  };
}

export type Idempotency<D> = ReturnType<typeof createIdempotency<D>>;
