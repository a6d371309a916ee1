/**
 * What the proxy holds open in this process, counted by key and by tenant. The count is in memory, because what
 * is open here holds this process's connections, and a count in the database would cost each message a round
 * trip.
 */
import type { OpenKind, OpenLimits } from "../domain/limits/open-limits.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** One exchange that is open. */
export interface HeldExchange {
  /** Says that the exchange is still open. Due within `leaseMs`. */
  renew(): void;
  /** The exchange has ended. A second call does nothing. */
  close(): void;
}

export interface OpenExchanges {
  begin(kind: OpenKind, whose: { keyId: string; tenantId: string }): Result<HeldExchange, Refusal>;
  /** exchanges of all keys together; of one kind, where it is named */
  count(kind?: OpenKind): number;
}

/** ms. An invocation may end without a word, and what it held counts no longer than this. */
const leaseMs = 120_000;
/** ms after which a refused client may try again. When an exchange ends is up to clients and servers. */
const retryAfterMs = 1_000;

interface Held {
  renewedAt: number;
}

const names: Record<OpenKind, string> = {
  requests: "openRequests",
  streams: "openStreams",
  messages: "openMessages",
};

export function createOpenExchanges(deps: {
  limits: OpenLimits;
  /** ms by a clock that nobody sets */
  elapsed: () => number;
}): OpenExchanges {
  const { limits, elapsed } = deps;
  const groups = new Map<string, Set<Held>>();

  const isFull = (name: string, most: number): boolean => {
    const group = groups.get(name);
    if (group === undefined || group.size < most) return false;
    const oldest = elapsed() - leaseMs;
    for (const held of group) if (held.renewedAt < oldest) group.delete(held);
    return group.size >= most;
  };
  const add = (name: string, held: Held): void => {
    const group = groups.get(name);
    if (group === undefined) groups.set(name, new Set([held]));
    else group.add(held);
  };
  const remove = (name: string, held: Held): void => {
    const group = groups.get(name);
    group?.delete(held);
    if (group?.size === 0) groups.delete(name);
  };

  return {
    begin(kind, { keyId, tenantId }) {
      const key = `key/${kind}/${keyId}`;
      const tenant = `tenant/${kind}/${tenantId}`;
      const refused = (scope: "key" | "tenant"): Result<never, Refusal> =>
        err({ reason: "rate_limited", limit: `${scope}.${names[kind]}`, retryAfterMs });
      if (isFull(key, limits.key[kind])) return refused("key");
      if (isFull(tenant, limits.tenant[kind])) return refused("tenant");
      const held: Held = { renewedAt: elapsed() };
      add(key, held);
      add(tenant, held);
      return ok({
        renew: () => void (held.renewedAt = elapsed()),
        close() {
          remove(key, held);
          remove(tenant, held);
        },
      });
    },
    count(kind) {
      const counted = kind === undefined ? "key/" : `key/${kind}/`;
      const oldest = elapsed() - leaseMs;
      let count = 0;
      for (const [name, group] of groups)
        if (name.startsWith(counted))
          for (const { renewedAt } of group) if (renewedAt >= oldest) count += 1;
      return count;
    },
  };
}
