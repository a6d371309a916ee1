/** In memory: counting in the database would cost each message a round trip. */
import type { Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import type { OpenKind, OpenLimits } from "./open-limits.ts";

export interface HeldExchange {
  renew(): void;
  close(): void;
}

export interface OpenExchanges {
  begin(kind: OpenKind, caller: { keyId: string; tenantId: string }): Result<HeldExchange, Refusal>;
  count(kind?: OpenKind): number;
  /** aborts when a shutdown begins; absent: the host has none */
  drains?: AbortSignal | undefined;
}

/** ms after which an exchange stops counting whose invocation ended without closing it */
const leaseMs = 120_000;
/** ms after which a refused client may try again: when an exchange ends is unknown */
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
  elapsed: () => number;
  drains?: AbortSignal | undefined;
}): OpenExchanges {
  const { limits, elapsed, drains } = deps;
  const groups = new Map<string, Set<Held>>();

  const isFull = (name: string, max: number): boolean => {
    const group = groups.get(name);
    if (group === undefined || group.size < max) return false;
    const oldest = elapsed() - leaseMs;
    for (const held of group) if (held.renewedAt < oldest) group.delete(held);
    return group.size >= max;
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
    drains,
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
