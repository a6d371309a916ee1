/** Asks a server for next to nothing: does it let the router in? */

const deadlineMs = 10_000;

/** HTTP status of its answer to a `ping` outside any session; null: no answer. */
export const createProbe =
  (deps: { fetch: typeof fetch }) =>
  async (url: string, headers: Record<string, string>): Promise<number | null> => {
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
