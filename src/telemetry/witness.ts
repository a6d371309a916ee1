/** Sends heads of audit chains to the operator's witness, once, bounded. */

const deadlineMs = 5_000;

/** What is wrong, without the URL, which may hold a secret; null: the witness has taken it. */
export type SendToWitness = (body: string) => Promise<string | null>;

/** `fetch` follows no redirect: what a witness was sent, it answers for. */
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
    } catch (cause) {
      return cause instanceof Error && cause.name === "TimeoutError" ? "timeout" : "no answer";
    }
  };
