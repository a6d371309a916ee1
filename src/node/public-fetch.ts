/**
 * Asks for documents that strangers name. A name is judged by the addresses to which it leads, at the moment of the
 * connection, and the connection goes to an address that was judged. So a public name that leads to a private address
 * reaches nothing, also where the name leads elsewhere a moment later (DNS rebinding). A proxy looks the name up again:
 * it is asked only for names that were judged, and has to keep its own rules about private addresses.
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

/** As Node's connections ask for it. One private address among public ones refuses the name. */
export const createPublicLookup =
  (lookup: LookupAll) =>
  (hostname: string, options: LookupOptions, callback: Callback): void =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined)
        return callback(error ?? new Error("The name leads nowhere."), "");
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(notAllowed("The name leads to a private address."), "");
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });

/** Asks the dispatcher only for hosts that pass the lookup. */
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

/** @param proxies null: connections go straight to the hosts */
export function createPublicFetch(
  lookup: LookupAll,
  proxies: ProxySettings | null = null,
): { fetch: typeof fetch; close: () => Promise<void> } {
  const publicLookup = createPublicLookup(lookup);
  const direct = { connect: { lookup: publicLookup } };
  const agent = proxies === null ? new Agent(direct) : createProxyAgent(proxies, direct);
  const dispatcher = proxies === null ? agent : agent.compose(judged(publicLookup));
  return {
    // The package's types and the runtime's are two sets of names for the same shapes.
    fetch: ((input: string | URL, init?: object) =>
      undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch,
    close: () => agent.close(),
  };
}
