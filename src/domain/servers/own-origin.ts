/**
 * Where the router itself is, as far as that may be believed. Names the attack: a page of a foreign name
 * that leads to this machine (DNS rebinding), or a caller, says by its `Host` that the router is there.
 * Then the origin check would take that page for the router's own, and a person who authorizes the router
 * would be sent there with the code. So a `Host` counts only if it is in `PUBLIC_URL`, or is a name of the
 * own machine, which no foreign name server can give away.
 */

/** A hostname as the URL parser writes it. `0.0.0.0` is none: browsers let foreign pages call that. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export interface Asked {
  /** the URL at which the request arrived, as its `Host` has it */
  url: string;
  /** origins in `PUBLIC_URL` */
  publicOrigins: readonly string[];
}

/**
 * The router's origin for whoever asked: the one that was asked, if it may be believed, else the first of
 * `PUBLIC_URL`. null: nobody knows.
 */
export function ownOriginOf({ url, publicOrigins }: Asked): string | null {
  const { origin, hostname } = new URL(url);
  if (publicOrigins.includes(origin)) return origin;
  return publicOrigins[0] ?? (ownMachine.test(hostname) ? origin : null);
}

/** Whether a browser's `Origin` is the router's own. */
export function isOwnOrigin(from: string, { url, publicOrigins }: Asked): boolean {
  if (publicOrigins.includes(from)) return true;
  const { origin, hostname } = new URL(url);
  return from === origin && ownMachine.test(hostname);
}
