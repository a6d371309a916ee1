/**
 * How many routers a request has passed. Names the attack: a registered server whose URL leads back to
 * this router, so that one request calls itself until the runtime ends.
 */

/** The router's own header, in lower case. Its value: how many routers have sent the request on so far. */
export const hopsHeader = "x-sampling-router-hops";

/** A router behind a router behind a router is in use; a fourth is a loop. */
const mostHops = 3;

/**
 * @param count the header of a request that this router is about to send on; null: there is none
 * @returns what the sent request says; null: the request has passed too many, or its count can't be read
 */
export function nextHop(count: string | null): string | null {
  const text = count?.trim() ?? "0";
  if (!/^\d{1,3}$/.test(text)) return null;
  const hops = Number(text) + 1;
  return hops > mostHops ? null : String(hops);
}
