/**
 * Where the router itself is, as far as a request can be believed. The attack: a page of a foreign name that
 * leads to this machine (DNS rebinding), or a caller, names a place of its own in `Host`. The origin check
 * would then take that page for the router's own. A person who authorizes the router would come back with a
 * code to the attacker's place.
 */

/** A hostname as the URL parser writes it. `0.0.0.0` does not count: browsers let foreign pages call it. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a URL's hostname names the machine on which it is used. */
export const isOwnMachine = (hostname: string): boolean => ownMachine.test(hostname);

export interface Asked {
  /** the URL at which the request arrived, with the host of its `Host` header */
  url: string;
  /** origins in `PUBLIC_URL` */
  publicOrigins: readonly string[];
}

/**
 * The router's origin for the caller: the one that the caller asked, if it may be believed, else the first of
 * `PUBLIC_URL`; null: unknown.
 */
export function ownOriginOf({ url, publicOrigins }: Asked): string | null {
  const { origin, hostname } = new URL(url);
  if (publicOrigins.includes(origin)) return origin;
  return publicOrigins[0] ?? (isOwnMachine(hostname) ? origin : null);
}

/** Whether a browser's `Origin` is the router's own. */
export function isOwnOrigin(from: string, { url, publicOrigins }: Asked): boolean {
  if (publicOrigins.includes(from)) return true;
  const { origin, hostname } = new URL(url);
  return from === origin && isOwnMachine(hostname);
}
