/** Sends a webhook message once, bounded, without redirects. */
import { noAnswerReason } from "../domain/network-fault.ts";
import { routerAgent } from "../domain/servers/proxied-headers.ts";

const deadlineMs = 10_000;

export interface WebhookPost {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** `fetch` must not follow redirects. Faults omit the URL, which may hold a secret. */
export const createWebhookSender =
  (deps: { fetch: (url: string, init: RequestInit) => Promise<Response> }) =>
  async ({
    url,
    body,
    headers,
  }: WebhookPost): Promise<{ status: number | null; fault: string | null; isLate?: true }> => {
    try {
      const answer = await deps.fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "User-Agent": routerAgent, ...headers },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(deadlineMs),
      });
      await answer.body?.cancel();
      const { status } = answer;
      return { status, fault: answer.ok ? null : `The receiver answered with status ${status}.` };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
      const fault = `No answer from ${noAnswerReason(url, thrown)}.`;
      return { status: null, fault, ...(isLate && { isLate: true as const }) };
    }
  };
