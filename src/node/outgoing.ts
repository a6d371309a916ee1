/** How this host calls out. */
import type { UpstreamFetch } from "../domain/ports/upstream.ts";
import { createServerFetch } from "./server-fetch.ts";
import { lookup } from "node:dns";
import { createPublicFetch } from "./public-fetch.ts";
import { Agent, fetch as undiciFetch } from "undici";
import { createDirectFetch, withUpgradeCode } from "./direct-fetch.ts";

export interface Outgoing {
  fetch: typeof fetch;
  /** for what is asked with a text and answered with little more */
  fetchShort: typeof fetch;
  /** for what strangers name: no private address is reached */
  fetchPublic: typeof fetch;
  fetchServer: UpstreamFetch;
  fetchDatabase: (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;
  /** Ends connections that are kept for the next call. */
  close(): Promise<void>;
}

function explain(thrown: unknown): never {
  if (thrown instanceof Error) withUpgradeCode(thrown.cause);
  throw thrown;
}

/**
 * Node's own `fetch` ends an answer that stays silent for five minutes, as an MCP server's stream may. The
 * router's callers have deadlines of their own, or none on purpose.
 */
export function createOutgoing(): Outgoing {
  const publicly = createPublicFetch(lookup);
  const dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  // The package's types and the runtime's are two sets of names for the same shapes.
  const fetchAny = ((input: string | URL, init?: object) =>
    undiciFetch(input, { ...init, dispatcher }).catch(explain)) as unknown as typeof fetch;
  return {
    fetch: fetchAny,
    fetchShort: createDirectFetch({ dispatcher, fetch: fetchAny }),
    fetchPublic: publicly.fetch,
    fetchServer: createServerFetch({
      dispatcher,
      fetch: ({ url, ...request }) => fetchAny(url, { ...request, redirect: "manual" }),
    }),
    /**
     * Asks for answers that are not packed. A database server packs 10 MB too: that takes seconds, and the
     * network is near.
     */
    async fetchDatabase(request, init) {
      const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
      const { url, method } = request;
      const body = method === "GET" ? null : await request.text();
      const answer = await undiciFetch(url, { ...init, method, headers, body, dispatcher });
      return answer as unknown as Response;
    },
    async close() {
      await Promise.all([dispatcher.close(), publicly.close()]);
    },
  };
}
