import type { UpstreamFetch } from "../domain/ports/upstream.ts";
import { createServerFetch } from "./direct/server-fetch.ts";
import { lookup } from "node:dns";
import { createConnector } from "./connector.ts";
import { createPublicFetch } from "./public-fetch.ts";
import { Agent, fetch as undiciFetch, type Dispatcher } from "undici";
import { createDirectFetch, unsent, unsentBy, withUpgradeCode } from "./direct/fetch.ts";
import { createProxyAgent, withProxyCode, type ProxySettings } from "./proxies.ts";

export interface Outgoing {
  fetch: typeof fetch;
  fetchShort: typeof fetch;
  /** unauthenticated URLs: no private address */
  fetchPublic: typeof fetch;
  fetchServer: UpstreamFetch;
  /** the machine's own metadata server, without a proxy */
  fetchHost: typeof fetch;
  fetchDatabase: (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;
  close(): Promise<void>;
}

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

/** undici blocks some ports and reports this only in words. */
function withPortCode(cause: unknown): void {
  if (cause instanceof Error && cause.message === "bad port")
    Object.assign(cause, { code: "PORT_NOT_ALLOWED" });
}

/** Errors tell whether any byte was sent. */
const createAnyFetch =
  (dispatcher: Dispatcher) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    let isSent = false;
    const noted = dispatcher.compose(noting(() => void (isSent = true)));
    try {
      // undici's types differ nominally from the runtime's.
      const answer = await undiciFetch(input, { ...(init as object), dispatcher: noted });
      return answer as unknown as Response;
    } catch (thrown) {
      if (thrown instanceof Error) withPortCode(withProxyCode(withUpgradeCode(thrown.cause)));
      if (isSent || !(thrown instanceof Error)) throw thrown;
      throw thrown === init.signal?.reason ? unsentBy(thrown) : unsent(thrown);
    }
  };

/** Node's `fetch` ends silent streams after five minutes; callers have deadlines of their own. */
const unlimited = { bodyTimeout: 0, headersTimeout: 0 };

export function createOutgoing(proxies: ProxySettings | null = null): Outgoing {
  const publicly = createPublicFetch(lookup, proxies);
  const direct = new Agent({ ...unlimited, connect: createConnector() });
  const dispatcher = proxies === null ? direct : createProxyAgent(proxies, unlimited);
  const fetchAny = createAnyFetch(dispatcher) as typeof fetch;
  return {
    fetch: fetchAny,
    fetchShort: createDirectFetch({ dispatcher, fetch: fetchAny }),
    fetchPublic: publicly.fetch,
    fetchHost: createAnyFetch(direct) as typeof fetch,
    fetchServer: createServerFetch({
      dispatcher,
      fetch: ({ url, ...request }) => fetchAny(url, { ...request, redirect: "manual" }),
    }),
    /** Uncompressed and without a proxy: compressing 10 MB takes seconds. */
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
