/** Rate limit per client address for keyless endpoints that write a row. Each process counts separately. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { networkOf } from "../../domain/limits/sign-in-waits.ts";
import type { Refusal } from "../../domain/refusals.ts";

export type AddressRate = (address: string) => Refusal | null;

export function createAddressRate(deps: {
  max: number;
  windowMs: number;
  capacity: number;
  limit: string;
  elapsed: () => number;
}): AddressRate {
  const { max, windowMs, capacity, limit, elapsed } = deps;
  const counted = createBoundedMap<string, { since: number; count: number }>(capacity);
  return (address) => {
    const network = networkOf(address);
    const now = elapsed();
    const known = counted.get(network);
    const current =
      known === undefined || now - known.since >= windowMs ? { since: now, count: 0 } : known;
    if (current.count >= max)
      return { reason: "rate_limited", limit, retryAfterMs: current.since + windowMs - now };
    counted.set(network, { ...current, count: current.count + 1 });
    return null;
  };
}
