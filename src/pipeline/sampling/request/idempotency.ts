/** A repeated call waits for the first one and gets its result; see `domain/sampling/replay-key.ts`. */
import { longestCallMs } from "../../../domain/leases.ts";
import type { IdempotencyStore, IdempotentCall } from "../../../domain/ports/ledger.ts";
import { resultPartsOf } from "../../../domain/sampling/replay-key.ts";
import type { Vault } from "../../../domain/ports/stores.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, type Result } from "../../../domain/result.ts";
import type { SamplingAnswer } from "../../../domain/sampling/call.ts";

export type AnsweredBy = "this-call" | "earlier-call" | "concurrent-call";

export type Recorded<D> = Result<{ answer: SamplingAnswer; decision: D }, Refusal>;

export type Joined<D> =
  | { state: "free" }
  | { state: "held"; requestId: string }
  | { state: "done"; recorded: Recorded<D>; answeredBy: AnsweredBy };

/** The first call's isolate died, so the call was charged as reserved. */
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
    async seal(tenantId: string, requestId: string, recorded: Recorded<D>): Promise<string[]> {
      const sealed = await vault.seal(JSON.stringify(recorded), sealedFor(tenantId, requestId));
      return resultPartsOf(sealed);
    },

    find: (call: IdempotentCall) => idempotency.find(call, now()),

    addKey: (call: IdempotentCall, key: string) => idempotency.addKey(call, key),
    moveKey: (call: IdempotentCall, key: string) => idempotency.moveKey(call, key, now()),

    /** Waits until the lease of the first call ends. The first call continues if this caller disconnects. */
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
          await idempotency.countReplay(call);
          return opened.ok
            ? { state: "done", recorded: JSON.parse(opened.value) as Recorded<D>, answeredBy }
            : done(lost, answeredBy);
        }
        if (first.outcome === "admitted" && first.leaseUntil === null)
          return { state: "held", requestId: first.requestId };
        const isRunning = first.outcome === "admitted" && (first.leaseUntil ?? 0) > now();
        // Detects a dead call. No call lasts longer, even after a clock was set back.
        if (!isRunning || pausedMs > longestCallMs) return done(lost, "earlier-call");
        await wait(pause, signal);
        pausedMs += pause;
        if (signal.aborted) return done({ reason: "cancelled" }, answeredBy);
        answeredBy = "concurrent-call";
      }
    },
  };
}

export type Idempotency<D> = ReturnType<typeof createIdempotency<D>>;
