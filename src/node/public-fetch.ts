/**
 * Fetches unauthenticated URLs. Names are resolved and checked when connecting, which prevents DNS rebinding. A
 * proxy resolves again, so it gets only checked names and must protect private addresses itself.
 */
import { isIP } from "node:net";
import type { LookupAddress, LookupOptions } from "node:dns";
import { Agent, fetch as undiciFetch, type Dispatcher } from "undici";
import { isPublicAddress } from "../domain/servers/upstreams.ts";
import { createProxyAgent, type ProxySettings } from "./proxies.ts";

type Found = (error: Error | null, addresses: LookupAddress[]) => void;
/** As `dns.lookup` with `all`. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  found: Found,
) => void;
type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

const notAllowed = (message: string): Error =>
  Object.assign(new Error(message), { code: "ADDRESS_NOT_ALLOWED" });

/** One private address rejects the name. */
export const createPublicLookup =
  (lookup: LookupAll) =>
  (hostname: string, options: LookupOptions, callback: Callback): void =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined)
        return callback(error ?? new Error("The name does not resolve."), "");
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(notAllowed("The name resolves to a private address."), "");
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });

const judged =
  (lookup: ReturnType<typeof createPublicLookup>): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const host = new URL(options.origin ?? "").hostname.replace(/^\[|\]$/g, "");
    const go = (error: Error | null): void => {
      if (error === null) dispatch(options, handler);
      else handler.onResponseError?.(null as never, error);
    };
    if (isIP(host) === 0) lookup(host, { all: true }, go);
    else go(isPublicAddress(host) ? null : notAllowed("The address is private."));
    return true;
  };

export function createPublicFetch(
  lookup: LookupAll,
  proxies: ProxySettings | null = null,
): { fetch: typeof fetch; close: () => Promise<void> } {
  const publicLookup = createPublicLookup(lookup);
  const direct = { connect: { lookup: publicLookup } };
  const agent = proxies === null ? new Agent(direct) : createProxyAgent(proxies, direct);
  const dispatcher = proxies === null ? agent : agent.compose(judged(publicLookup));
  return {
    // undici's types differ nominally from the runtime's.
    fetch: ((input: string | URL, init?: object) =>
      undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch,
    close: () => agent.close(),
  };
}
