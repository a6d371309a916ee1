import { longestLeaseMs } from "../../../domain/leases.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";

/** ms until the next try if the database is away */
const retryMs = 5_000;

interface Held {
  until: number;
  /** ms, of the lease that is running */
  spanMs: number;
  isRenewing: boolean;
}

export interface HeldLease {
  tenantId: string;
  id: string;
  leaseMs: number;
}

/** A timer for each stream: on Workers, a timer of an invocation doesn't act after it. */
export function createLeases(deps: {
  ledger: Pick<Ledger, "renew">;
  now: () => number;
  after: (ms: number, act: () => void) => () => void;
}) {
  const { ledger, now, after } = deps;
  const tenants = new Map<string, Map<string, Held>>();

  /** Renews what has half of its lease left, or less. */
  const renewDue = async (tenantId: string, calls: Map<string, Held>): Promise<void> => {
    const at = now();
    const due = [...calls].filter(
      ([, { until, isRenewing }]) => !isRenewing && until - at <= longestLeaseMs / 2,
    );
    if (due.length === 0) return;
    const until = at + longestLeaseMs;
    for (const [, held] of due) held.isRenewing = true;
    const renewed = await ledger.renew(
      tenantId,
      due.map(([id]) => id),
      until,
    );
    for (const [, held] of due) {
      held.isRenewing = false;
      if (renewed.ok) [held.until, held.spanMs] = [until, longestLeaseMs];
    }
  };

  return ({ tenantId, id, leaseMs }: HeldLease): (() => void) => {
    const calls = tenants.get(tenantId) ?? new Map<string, Held>();
    tenants.set(tenantId, calls);
    const held: Held = { until: now() + leaseMs, spanMs: leaseMs, isRenewing: false };
    calls.set(id, held);
    let disarm = (): void => {};
    const watch = (): void => {
      const ms = Math.max(retryMs, held.until - now() - held.spanMs / 2);
      disarm = after(ms, () => void renew());
    };
    const renew = async (): Promise<void> => {
      await renewDue(tenantId, calls);
      if (calls.get(id) === held) watch();
    };
    watch();
    return () => {
      disarm();
      calls.delete(id);
      if (calls.size === 0 && tenants.get(tenantId) === calls) tenants.delete(tenantId);
    };
  };
}

export type HoldLease = ReturnType<typeof createLeases>;
