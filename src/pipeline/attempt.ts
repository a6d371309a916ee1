/** Walks the plan's choices until one answers, a fault stops it, or the deadline comes. */
import { checkAnswer } from "../domain/answer-check.ts";
import { summaryOf, type Attempt, type ProviderFault } from "../domain/attempts.ts";
import type { ProviderMessage } from "../domain/capture.ts";
import { stepAfter } from "../domain/failover.ts";
import type { SealedCredential, Vault } from "../domain/ports.ts";
import type { ProviderAnswer, Providers } from "../domain/providers.ts";
import type { Model } from "../domain/models.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { SamplingCall } from "../domain/sampling.ts";

export interface Attempted {
  attempts: Attempt[];
  /** ms spent in providers, waiting for them included */
  providerMs: number;
  answer: Result<{ model: Model; answer: ProviderAnswer }, Refusal>;
}

interface Walk {
  /** what was reserved: nothing else is called */
  steps: readonly { model: Model; credentialId: string }[];
  /** as policy allows */
  maxTokens: number;
  call: SamplingCall;
  credentials: readonly SealedCredential[];
  deadlineMs: number;
  /** the caller's own cancellation */
  signal: AbortSignal;
  /** Takes what a provider said of a failure; absent: nobody keeps it. */
  onMessage?: (said: ProviderMessage) => void;
  /** Before each provider call: what its HTTP request says of the trace. */
  begins: (credential: SealedCredential) => Record<string, string>;
}

/**
 * The share of what is left of the deadline that one attempt may use while others could follow:
 * a provider that hangs must not take the whole call with it.
 */
const shareOfDeadline = 2 / 3;

const unopenable: ProviderFault = {
  kind: "auth",
  status: null,
  retryable: true,
  retryAfterMs: null,
  billed: "no",
  reach: "credential",
  usage: null,
};

export function createAttempt(deps: {
  providers: Providers;
  vault: Vault;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0–1 */
  chance: () => number;
}) {
  const { providers, vault, now, wait, chance } = deps;

  const callOnce = async (
    walk: Walk,
    model: Model,
    credential: SealedCredential,
    timeoutMs: number,
  ): Promise<Result<ProviderAnswer, ProviderFault>> => {
    const { provider, tenantId, id, baseUrl } = credential;
    const traceHeaders = walk.begins(credential);
    const opened = await vault.open(credential.sealed, {
      purpose: "credential",
      tenantId,
      provider,
      id,
    });
    if (!opened.ok) return err(unopenable);
    return providers.complete({
      credential: { provider, apiKey: opened.value, baseUrl },
      model,
      call: walk.call,
      maxTokens: walk.maxTokens,
      signal: AbortSignal.any([walk.signal, AbortSignal.timeout(timeoutMs)]),
      traceHeaders,
      ...(walk.onMessage !== undefined && {
        onMessage: (message: string) =>
          walk.onMessage?.({ provider: model.provider, model: model.id, message }),
      }),
    });
  };

  return async (walk: Walk): Promise<Attempted> => {
    const startedAt = now();
    const attempts: Attempt[] = [];
    const queue = walk.steps.flatMap(({ model, credentialId }) => {
      const credential = walk.credentials.find((known) => known.id === credentialId);
      return credential === undefined ? [] : [{ model, credential }];
    });
    const remaining = (): number => walk.deadlineMs - (now() - startedAt);
    const end = (answer: Attempted["answer"]): Attempted => ({
      attempts,
      providerMs: now() - startedAt,
      answer,
    });
    for (let next = queue.shift(); next !== undefined;) {
      const { model, credential } = next;
      const attemptAt = now();
      const share = queue.length > 0 ? shareOfDeadline : 1;
      let called = await callOnce(
        walk,
        model,
        credential,
        Math.max(1, Math.floor(remaining() * share)),
      );
      const attempt = {
        provider: model.provider,
        model: model.id,
        credentialId: credential.id,
        latencyMs: now() - attemptAt,
      };
      if (called.ok) called = checkAnswer(called.value, walk.call);
      if (called.ok) {
        const outcome = { status: 200, retryable: false, fault: null, billed: "yes" } as const;
        const { notes } = called.value;
        attempts.push({
          ...attempt,
          ...outcome,
          retryAfterMs: null,
          ...(notes.length === 0 ? {} : { notes }),
        });
        return end(ok({ model, answer: called.value }));
      }
      const fault = called.error;
      const { kind, status, retryable, billed, retryAfterMs } = fault;
      attempts.push({ ...attempt, status, retryable, fault: kind, billed, retryAfterMs });
      if (kind === "cancelled") return end(err({ reason: "cancelled" }));
      const step = stepAfter({
        fault,
        attempts: attempts.length,
        candidatesLeft: queue.length,
        sameCredentialNext: queue[0]?.credential.id === credential.id,
        chance: chance(),
        remainingMs: remaining(),
      });
      if (step.next === "stop") break;
      if (step.waitMs > 0) await wait(step.waitMs, walk.signal);
      if (walk.signal.aborted) return end(err({ reason: "cancelled" }));
      next = queue.shift() ?? next;
    }
    const timedOut = attempts.at(-1)?.fault === "timeout";
    return end(
      err({
        reason: timedOut ? "provider_timeout" : "provider_failed",
        attempts: attempts.map(summaryOf),
      }),
    );
  };
}

export type AttemptAll = ReturnType<typeof createAttempt>;
