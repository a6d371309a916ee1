/**
 * Which webhook messages are sent next, where a process sends only so many at once. Tenants take turns. An address that timed out
 * waits behind all others, and holds one place at most, until it answers. Pure: the caller passes the time.
 */

const atOnce = 6;
const ofTenantAtOnce = 2;
/** of all addresses that timed out together */
const silentAtOnce = 3;
/** ms after which the place of an invocation that ended without a word is free */
const heldMs = 60_000;
/** ms for which an address counts as silent after a time-out */
const silentMs = 3_600_000;
const addressesKept = 1_000;

export interface DueMessage {
  tenantId: string;
  id: string;
  /** scheme, host and port of its URL */
  address: string;
}

export function createWebhookPlaces() {
  const held = new Map<string, DueMessage & { at: number }>();
  const silent = new Map<string, number>();
  /** the tenant that was served last stands last */
  const served = new Map<string, true>();

  const keyOf = ({ tenantId, id }: DueMessage): string => `${tenantId} ${id}`;
  const isSilent = (address: string, now: number): boolean =>
    now - (silent.get(address) ?? Number.NEGATIVE_INFINITY) < silentMs;
  const countHeld = (matches: (each: DueMessage) => boolean): number => {
    let count = 0;
    for (const each of held.values()) if (matches(each)) count += 1;
    return count;
  };

  const mayBegin = (message: DueMessage, now: number): boolean => {
    if (held.has(keyOf(message))) return false;
    if (countHeld(({ tenantId }) => tenantId === message.tenantId) >= ofTenantAtOnce) return false;
    if (!isSilent(message.address, now)) return true;
    return (
      countHeld(({ address }) => address === message.address) === 0 &&
      countHeld(({ address }) => isSilent(address, now)) < silentAtOnce
    );
  };

  /** Lower goes first: answering addresses, then tenants with fewer places, then those served longest ago. */
  const rankOf = (message: DueMessage, now: number): number[] => [
    isSilent(message.address, now) ? 1 : 0,
    countHeld(({ tenantId }) => tenantId === message.tenantId),
    [...served.keys()].indexOf(message.tenantId),
  ];

  const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
  };

  return {
    /** Takes a place for each message that is sent now. `due`: the oldest of a tenant first. */
    take(due: readonly DueMessage[], now: number): DueMessage[] {
      for (const [key, { at }] of held) if (now - at >= heldMs) held.delete(key);
      const taken: DueMessage[] = [];
      while (held.size < atOnce) {
        let next: { message: DueMessage; rank: number[] } | null = null;
        for (const message of due) {
          if (!mayBegin(message, now)) continue;
          const rank = rankOf(message, now);
          if (next === null || isBefore(rank, next.rank)) next = { message, rank };
        }
        if (next === null) break;
        const { message } = next;
        held.set(keyOf(message), { ...message, at: now });
        served.delete(message.tenantId);
        served.set(message.tenantId, true);
        taken.push(message);
      }
      for (const [oldest] of served) {
        if (served.size <= addressesKept) break;
        served.delete(oldest);
      }
      return taken;
    },
    /** @param answered whether the address answered; null: it wasn't asked, or there was no connection */
    end(message: DueMessage, answered: boolean | null, now: number): void {
      held.delete(keyOf(message));
      if (answered === null) return;
      silent.delete(message.address);
      if (!answered) silent.set(message.address, now);
      const [oldest] = silent.keys();
      if (silent.size > addressesKept && oldest !== undefined) silent.delete(oldest);
    },
  };
}

export type WebhookPlaces = ReturnType<typeof createWebhookPlaces>;
