/** Asks a server for next to nothing: does it let the router in? */
import { problemWithUpstream } from "../domain/upstreams.ts";

const deadlineMs = 10_000;

/** HTTP status of its answer to a `ping` outside any session; null: no answer, or no place to ask. */
export const createProbe =
  (deps: { fetch: typeof fetch; allowPrivate: boolean }) =>
  async (url: string, headers: Record<string, string>): Promise<number | null> => {
    if (problemWithUpstream(url, deps) !== null) return null;
    try {
      const answer = await deps.fetch(url, {
        method: "POST",
        headers: {
          ...headers,
          Accept: "application/json, text/event-stream",
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
        // It could carry the headers to another host.
        redirect: "manual",
        signal: AbortSignal.timeout(deadlineMs),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return null;
    }
  };
