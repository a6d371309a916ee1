/** Sends a webhook message once, bounded, without redirects. */
import { readBounded } from "../domain/bounded-body.ts";
import { noAnswerReason } from "../domain/network-fault.ts";
import { routerAgent } from "../domain/servers/proxied-headers.ts";

const deadlineMs = 10_000;

export interface WebhookPost {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** Deliveries don't wait for the answer's body. */
  reads?: "answer";
}

const maxAnswerBytes = 2_000;

async function answerIn(response: Response): Promise<string> {
  const bytes = await readBounded(response.body, maxAnswerBytes);
  return bytes === null ? "The answer is longer than 2 kB." : new TextDecoder().decode(bytes);
}

/** `fetch` must not follow redirects. Faults omit the URL, which may hold a secret. */
export const createWebhookSender =
  (deps: { fetch: (url: string, init: RequestInit) => Promise<Response> }) =>
  async ({
    url,
    body,
    headers,
    reads,
  }: WebhookPost): Promise<{
    status: number | null;
    fault: string | null;
    answer?: string;
    isLate?: true;
  }> => {
    try {
      const answer = await deps.fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "User-Agent": routerAgent, ...headers },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(deadlineMs),
      });
      const { status } = answer;
      const fault = answer.ok ? null : `The receiver answered with status ${status}.`;
      if (reads === "answer") return { status, fault, answer: await answerIn(answer) };
      await answer.body?.cancel();
      return { status, fault };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
      const fault = `No answer from ${noAnswerReason(url, thrown)}.`;
      return { status: null, fault, ...(isLate && { isLate: true as const }) };
    }
  };
