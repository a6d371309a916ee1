/**
 * Asks for documents that strangers name. A name is judged by the addresses to which it leads, at the moment of the
 * connection, and the connection goes to an address that was judged. So a public name that leads to a private address
 * reaches nothing, also where the name leads elsewhere a moment later (DNS rebinding).
 */
import type { LookupAddress, LookupOptions } from "node:dns";
import { Agent, fetch as undiciFetch } from "undici";
import { isPublicAddress } from "../domain/servers/upstreams.ts";

type Found = (error: Error | null, addresses: LookupAddress[]) => void;
/** As `dns.lookup` with `all`. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  found: Found,
) => void;
type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** As Node's connections ask for it. One private address among public ones refuses the name. */
export const createPublicLookup =
  (lookup: LookupAll) =>
  (hostname: string, options: LookupOptions, callback: Callback): void =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined)
        return callback(error ?? new Error("The name leads nowhere."), "");
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new Error("The name leads to a private address."), "");
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });

export function createPublicFetch(lookup: LookupAll): {
  fetch: typeof fetch;
  close: () => Promise<void>;
} {
  const dispatcher = new Agent({ connect: { lookup: createPublicLookup(lookup) } });
  return {
    // The package's types and the runtime's are two sets of names for the same shapes.
    fetch: ((input: string | URL, init?: object) =>
      undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch,
    close: () => dispatcher.close(),
  };
}
