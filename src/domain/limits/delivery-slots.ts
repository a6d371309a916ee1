/** Fair scheduling. An address that timed out comes last, one delivery at a time, until it answers. */

const atOnce = 6;
const ofTenantAtOnce = 2;
const silentAtOnce = 3;
/** ms after which a killed invocation's slot is reclaimed */
const heldMs = 60_000;
/** ms for which an address counts as silent after a timeout */
const silentMs = 3_600_000;
const addressesKept = 1_000;

export interface DueMessage {
  tenantId: string;
  id: string;
  address: string;
}

export function createDeliverySlots() {
  const held = new Map<string, DueMessage & { at: number }>();
  const silent = new Map<string, number>();
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
    /** @param answered null: not sent, or no connection */
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

export type DeliverySlots = ReturnType<typeof createDeliverySlots>;
