/**
 * One answer per intercepted sampling request. The record is made before anything is called; whoever
 * meets the request again, in a replayed event or a repeated round, gets the recorded answer.
 */
import type { InterceptedCall, InterceptedStore } from "../domain/intercepted.ts";
import type { Answer, Vault } from "../domain/ports.ts";
import { err, ok } from "../domain/result.ts";

/** Beyond the call's deadline: its waiting for admission, then settlement with its retries. */
const leaseSlackMs = 60_000;
const pollMs = 1_000;

export interface Answered {
  /** JSON */
  text: string;
  /** `run`: by this caller; `recorded`: before; `elsewhere`: by somebody else, just now */
  by: "run" | "recorded" | "elsewhere";
}

export function createIntercept(deps: {
  intercepted: InterceptedStore;
  vault: Vault;
  now: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { intercepted, vault, now, wait } = deps;
  const sealedFor = ({ tenantId, scope, messageId }: InterceptedCall) =>
    ({ purpose: "answer", tenantId, provider: scope, id: messageId }) as const;

  return {
    /** `run` is called once per call, whoever asks; what it gives is the answer from then on. */
    async once(
      call: InterceptedCall,
      about: {
        /** ms that the call may take */
        deadlineMs: number;
        run: () => Promise<string>;
      },
    ): Answer<Answered> {
      for (let first = true; ; first = false) {
        const at = now();
        const claim = await intercepted.claim(call, {
          now: at,
          leaseUntil: at + about.deadlineMs + leaseSlackMs,
        });
        if (!claim.ok) return claim;
        switch (claim.value.state) {
          case "mine": {
            const text = await about.run();
            await intercepted.answer(call, await vault.seal(text, sealedFor(call)));
            return ok({ text, by: "run" });
          }
          case "answered": {
            const opened = await vault.open(claim.value.sealed, sealedFor(call));
            if (!opened.ok) return err({ reason: "internal" });
            return ok({ text: opened.value, by: first ? "recorded" : "elsewhere" });
          }
          case "running":
            // Its isolate died. It may have been paid for, so it isn't tried again.
            if (claim.value.leaseUntil < at) return err({ reason: "internal" });
            await wait(pollMs);
        }
      }
    },
    delivered: (call: InterceptedCall, status: number): Answer<null> =>
      intercepted.deliver(call, status),
    isTaken: (call: Omit<InterceptedCall, "digest">): Answer<boolean> => intercepted.isTaken(call),
  };
}

export type Intercept = ReturnType<typeof createIntercept>;
