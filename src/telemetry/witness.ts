/** Sends heads of audit chains to the operator's witness, once, bounded. */
import { whyNoAnswer } from "../domain/network-fault.ts";

const deadlineMs = 5_000;

/**
 * null: the witness has taken the heads; else what went wrong, without the URL, which may hold a
 * secret.
 */
export type SendToWitness = (body: string) => Promise<string | null>;

/** `fetch` must follow no redirect: only the URL that the operator named may get the heads. */
export const createWitnessSender =
  (deps: {
    url: string;
    fetch: (url: string, init: RequestInit) => Promise<Response>;
  }): SendToWitness =>
  async (body) => {
    try {
      const answer = await deps.fetch(deps.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
        signal: AbortSignal.timeout(deadlineMs),
      });
      await answer.body?.cancel();
      return answer.ok ? null : `HTTP ${answer.status}`;
    } catch (thrown) {
      return `no answer from ${whyNoAnswer(deps.url, thrown)}`;
    }
  };
