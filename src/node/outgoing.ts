/** How this host calls out. */
import { Agent, fetch as undiciFetch } from "undici";

export interface Outgoing {
  fetch: typeof fetch;
  fetchDatabase: (request: Request) => Promise<Response>;
  /** Ends connections that are kept for the next call. */
  close(): Promise<void>;
}

/** A server that answers with another protocol has answered nothing; the package says so in words alone. */
function explain(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.cause : null;
  if (cause instanceof Error && cause.message === "bad upgrade")
    Object.assign(cause, { code: "BAD_UPGRADE" });
  throw thrown;
}

/**
 * Node's own `fetch` ends an answer that says nothing for five minutes, which an MCP server's stream may well
 * do. Who waits here has a deadline of its own, or none on purpose.
 */
export function createOutgoing(): Outgoing {
  const dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  return {
    // The package's types and the runtime's are two sets of names for the same shapes.
    fetch: ((input: string | URL, init?: object) =>
      undiciFetch(input, { ...init, dispatcher }).catch(explain)) as unknown as typeof fetch,
    /** A server packs what it sends to whoever takes that, be it 10 MB: seconds, to save a network that is near. */
    async fetchDatabase(request) {
      const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
      const { url, method } = request;
      const body = method === "GET" ? null : await request.text();
      const answer = await undiciFetch(url, { method, headers, body, dispatcher });
      return answer as unknown as Response;
    },
    close: () => dispatcher.close(),
  };
}
