/** How this host calls out. */
import type { UpstreamFetch } from "../domain/ports/upstream.ts";
import { createServerFetch } from "./server-fetch.ts";
import { lookup } from "node:dns";
import { createPublicFetch } from "./public-fetch.ts";
import { Agent, fetch as undiciFetch, type Dispatcher } from "undici";
import { createDirectFetch, unsent, unsentBy, withUpgradeCode } from "./direct-fetch.ts";
import { createProxyAgent, withProxyCode, type ProxySettings } from "./proxies.ts";

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

/** Notes that a request was begun on a connection that stands. */
const noting =
  (note: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(...about) {
        note();
        handler.onRequestStart?.(...about);
      },
      onRequestUpgrade: (...about) => handler.onRequestUpgrade?.(...about),
      onResponseStart: (...about) => handler.onResponseStart?.(...about),
      onResponseData: (...about) => handler.onResponseData?.(...about),
      onResponseEnd: (...about) => handler.onResponseEnd?.(...about),
      onResponseError: (...about) => handler.onResponseError?.(...about),
    });

/** `fetch` sends nothing to some ports of other protocols, and says so in words alone. */
function withPortCode(cause: unknown): void {
  if (cause instanceof Error && cause.message === "bad port")
    Object.assign(cause, { code: "PORT_NOT_ALLOWED" });
}

/** `fetch` whose errors say whether a byte of the request was sent. */
const createAnyFetch =
  (dispatcher: Dispatcher) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    let isSent = false;
    const noted = dispatcher.compose(noting(() => void (isSent = true)));
    try {
      // The package's types and the runtime's are two sets of names for the same shapes.
      const answer = await undiciFetch(input, { ...(init as object), dispatcher: noted });
      return answer as unknown as Response;
    } catch (thrown) {
      if (thrown instanceof Error) withPortCode(withProxyCode(withUpgradeCode(thrown.cause)));
      if (isSent || !(thrown instanceof Error)) throw thrown;
      throw thrown === init.signal?.reason ? unsentBy(thrown) : unsent(thrown);
    }
  };

/**
 * Node's own `fetch` ends an answer that stays silent for five minutes, as an MCP server's stream may. The
 * router's callers have deadlines of their own, or none on purpose.
 */
const unlimited = { bodyTimeout: 0, headersTimeout: 0 };

/** @param proxies null: connections go straight to the hosts */
export function createOutgoing(proxies: ProxySettings | null = null): Outgoing {
  const publicly = createPublicFetch(lookup, proxies);
  const direct = new Agent(unlimited);
  const dispatcher = proxies === null ? direct : createProxyAgent(proxies, unlimited);
  const fetchAny = createAnyFetch(dispatcher) as typeof fetch;
  return {
    fetch: fetchAny,
    fetchShort: createDirectFetch({ dispatcher, fetch: fetchAny }),
    fetchPublic: publicly.fetch,
    fetchServer: createServerFetch({
      dispatcher,
      fetch: ({ url, ...request }) => fetchAny(url, { ...request, redirect: "manual" }),
    }),
    /**
     * Asks for answers that are not packed, without a proxy. A database server packs 10 MB too: that takes seconds,
     * and the network is near.
     */
    async fetchDatabase(request, init) {
      const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
      const { url, method } = request;
      const body = method === "GET" ? null : await request.text();
      const sent = { ...init, method, headers, body, dispatcher: direct };
      return (await undiciFetch(url, sent)) as unknown as Response;
    },
    async close() {
      const agents = new Set([direct, dispatcher]);
      await Promise.all([publicly.close(), ...Array.from(agents, (agent) => agent.close())]);
    },
  };
}
