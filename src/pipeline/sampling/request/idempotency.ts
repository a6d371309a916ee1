/**
 * A repetition of a call waits for the first call and gets its result. `domain/sampling/replay-key.ts` says
 * what the first call leaves behind.
 */
import { longestLeaseMs } from "../../../domain/leases.ts";
import type { IdempotencyStore, IdempotentCall } from "../../../domain/ports/ledger.ts";
import { resultPartsOf } from "../../../domain/sampling/replay-key.ts";
import type { Vault } from "../../../domain/ports/stores.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, type Result } from "../../../domain/result.ts";
import type { SamplingAnswer } from "../../../domain/sampling/call.ts";

/** Which call did the work: this one, an earlier one, or another one while this one waited. */
export type AnsweredBy = "this-call" | "earlier-call" | "concurrent-call";

/** What is kept of a call for its repetitions, as JSON. */
export type Recorded<D> = Result<{ answer: SamplingAnswer; decision: D }, Refusal>;

export type Joined<D> =
  /** nothing holds the key any more, so this call may be the first */
  | { state: "free" }
  /** the call waits for a person */
  | { state: "held"; requestId: string }
  | { state: "done"; recorded: Recorded<D>; answeredBy: AnsweredBy };

/** The first call's isolate died before it could say how the call ended, so the call was charged as reserved. */
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
    /** Seals a result, in parts that fit a row. */
    async seal(tenantId: string, requestId: string, recorded: Recorded<D>): Promise<string[]> {
      const sealed = await vault.seal(JSON.stringify(recorded), sealedFor(tenantId, requestId));
      return resultPartsOf(sealed);
    },

    /** The call that holds the key now; null: none does. */
    find: (call: IdempotentCall) => idempotency.find(call, now()),

    addKey: (call: IdempotentCall, key: string) => idempotency.addKey(call, key),
    moveKey: (call: IdempotentCall, key: string) => idempotency.moveKey(call, key, now()),

    /**
     * Waits for the call that holds the key, up to the end of its lease. A caller that leaves stops waiting,
     * and the first call goes on.
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
          // A failure to count is no reason to refuse.
          await idempotency.countReplay(call);
          return opened.ok
            ? { state: "done", recorded: JSON.parse(opened.value) as Recorded<D>, answeredBy }
            : done(lost, answeredBy);
        }
        if (first.outcome === "admitted" && first.leaseUntil === null)
          return { state: "held", requestId: first.requestId };
        const isRunning = first.outcome === "admitted" && (first.leaseUntil ?? 0) > now();
        // Only this check notices a dead call. No lease lasts longer, also where a clock was set
        // back meanwhile.
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
