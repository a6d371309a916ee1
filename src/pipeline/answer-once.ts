/**
 * The same asked several times, at once or one after the other: one does the work, the others get what
 * it got. Between isolates through the database, since one may not wait for another's I/O.
 */
import type { AnswerPlace, AnswerStore } from "../domain/answers.ts";
import { isObject } from "../domain/json.ts";
import type { Answer, Vault } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, type Result } from "../domain/result.ts";

/** Longer than any call: the longest deadline, then settlement with its retries. */
const leaseMs = 10 * 60_000;
const firstPollMs = 200;
const slowestPollMs = 2_000;
/** Those who wait for an answer that became a refusal hear it too; those who ask later try anew. */
const refusalKeptMs = 5_000;
/** A row of D1 ends at 2 MB, and a seal is a third longer than what it seals. */
const mostKeptCharacters = 1_200_000;

/** What was answered: JSON text, or why not. `requestId` names the record of the sampling request. */
export type Answered = Result<string, { refusal: Refusal; requestId: string | null }>;

export interface OnceOnly extends AnswerPlace {
  /** ms for which the answer is the answer */
  keepMs: number;
}

export type AnswerOnce = (
  once: OnceOnly,
  work: () => Promise<Answered>,
  signal: AbortSignal,
) => Promise<Answered>;

const failed = (refusal: Refusal): Answered => err({ refusal, requestId: null });

export function createAnswerOnce(deps: {
  answers: AnswerStore;
  vault: Vault;
  nonce: () => string;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}): AnswerOnce {
  const { answers, vault, nonce, now, wait } = deps;
  const sealedFor = ({ tenantId, digest }: AnswerPlace) =>
    ({ purpose: "answer", tenantId, provider: "", id: digest }) as const;

  const begin = async (once: OnceOnly, owner: string, work: () => Promise<Answered>) => {
    const answered = await work().catch(async (thrown: unknown) => {
      // A bug, for whoever catches it; those who wait are not to wait for nobody.
      await answers.release(once, owner);
      throw thrown;
    });
    const isOver = !answered.ok && answered.error.refusal.reason === "cancelled";
    const text = JSON.stringify(answered);
    // Nobody else's caller has left; and what is too large to keep can't be told twice.
    if (isOver || text.length > mostKeptCharacters) {
      await answers.release(once, owner);
      return answered;
    }
    const expiresAt = now() + (answered.ok ? once.keepMs : refusalKeptMs);
    const sealed = await vault.seal(text, sealedFor(once));
    // Not kept: the answer is paid for and goes out; a repetition would be another request.
    await answers.keep(once, { owner, sealed, expiresAt });
    return answered;
  };

  const opened = async (once: OnceOnly, sealed: string): Promise<Answered> => {
    const text = await vault.open(sealed, sealedFor(once));
    if (!text.ok) return failed({ reason: "unavailable", retryAfterMs: refusalKeptMs });
    const kept: unknown = JSON.parse(text.value);
    return isObject(kept) ? (kept as unknown as Answered) : failed({ reason: "internal" });
  };

  return async (once, work, signal) => {
    const owner = nonce();
    const giveUpAt = now() + leaseMs;
    for (let pollMs = firstPollMs; now() < giveUpAt;) {
      if (signal.aborted) return failed({ reason: "cancelled" });
      const at = now();
      const claimed: Awaited<Answer<{ owner: string; sealed: string | null }>> =
        await answers.claim({
          tenantId: once.tenantId,
          digest: once.digest,
          owner,
          now: at,
          leaseUntil: at + leaseMs,
        });
      if (!claimed.ok) return failed(claimed.error);
      if (claimed.value.sealed !== null) return opened(once, claimed.value.sealed);
      if (claimed.value.owner === owner) return begin(once, owner, work);
      await wait(pollMs, signal);
      pollMs = Math.min(slowestPollMs, pollMs * 1.5);
    }
    return failed({ reason: "unavailable", retryAfterMs: refusalKeptMs });
  };
}
