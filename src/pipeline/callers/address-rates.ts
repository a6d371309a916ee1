/** How often an address may ask for what costs a row and needs no key. Counted in one process alone. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { networkOf } from "../../domain/limits/sign-in-waits.ts";
import type { Refusal } from "../../domain/refusals.ts";

/** null: the address may ask. */
export type AddressRate = (address: string) => Refusal | null;

export function createAddressRate(deps: {
  /** asks of one network within `windowMs` */
  most: number;
  windowMs: number;
  /** networks that are remembered; the oldest are forgotten first */
  capacity: number;
  /** what the refusal calls the limit */
  limit: string;
  elapsed: () => number;
}): AddressRate {
  const { most, windowMs, capacity, limit, elapsed } = deps;
  const counted = createBoundedMap<string, { since: number; count: number }>(capacity);
  return (address) => {
    const network = networkOf(address);
    const now = elapsed();
    const known = counted.get(network);
    const current =
      known === undefined || now - known.since >= windowMs ? { since: now, count: 0 } : known;
    if (current.count >= most)
      return { reason: "rate_limited", limit, retryAfterMs: current.since + windowMs - now };
    counted.set(network, { ...current, count: current.count + 1 });
    return null;
  };
}
