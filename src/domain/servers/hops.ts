/**
 * How many routers a request has passed. The attack: a registered server's URL leads back to this router, so
 * that one request calls itself until the runtime ends.
 */

/** The router's own header, in lower case. Its value is the number of routers that have sent the request on. */
export const hopsHeader = "x-sampling-router-hops";

/** A router behind a router behind a router is in use. A fourth router means a loop. */
const mostHops = 3;

/**
 * @param count the header of a request that this router is about to send on; null: the request has none
 * @returns the header to send; null: the request has passed too many routers, or the count can't be read
 */
export function nextHop(count: string | null): string | null {
  const text = count?.trim() ?? "0";
  if (!/^\d{1,3}$/.test(text)) return null;
  const hops = Number(text) + 1;
  return hops > mostHops ? null : String(hops);
}
