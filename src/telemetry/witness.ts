import { noAnswerReason } from "../domain/network-fault.ts";

const deadlineMs = 5_000;

/** Resolves to an error without the URL, which may hold a secret, or `null` on success. */
export type SendToWitness = (body: string) => Promise<string | null>;

/** `fetch` must not follow redirects. */
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
      return `no answer from ${noAnswerReason(deps.url, thrown)}`;
    }
  };
