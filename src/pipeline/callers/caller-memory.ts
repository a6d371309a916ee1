import { createBoundedMap } from "../../domain/bounded-map.ts";
import type { Snapshot } from "../../domain/ports/stores.ts";
import type { SealedServer } from "../../domain/servers/server.ts";
import type { Session } from "../../domain/tenancy/session.ts";

export interface Remembered {
  snapshot: Snapshot;
  session: Session | null;
  server: SealedServer | null;
}

export interface CallerMemory {
  /** `withinMs`: only if read from the database this recently */
  get(key: string, withinMs?: number): Remembered | undefined;
  set(key: string, value: Remembered): void;
  last(key: string): Remembered | undefined;
  use(key: string): void;
  /** Entries are replaced, never changed in place. */
  amend(key: string, change: (known: Remembered) => Remembered): void;
  delete(key: string): void;
  noteUnknown(keyId: string): void;
  isUnknown(keyId: string): boolean;
}

/** ms. An id that was asked for isn't issued later: a key is known only after its row is written. */
const unknownMs = 10_000;

/**
 * Admissions verify a snapshot, so its age only delays provider measurements. Reading one costs as much as a
 * call.
 */
export interface SnapshotLife {
  /** ms after which a frequently used snapshot is read again */
  usedMs: number;
  /** uses that count as frequent */
  manyUses: number;
  /** ms after which any snapshot is read again */
  longestMs: number;
}

export function createCallerMemory(deps: {
  capacity: number;
  life: SnapshotLife;
  now: () => number;
}): CallerMemory {
  const { capacity, life, now } = deps;
  const entries = createBoundedMap<string, { value: Remembered; since: number; uses: number }>(
    capacity,
  );
  const unknownSince = createBoundedMap<string, number>(capacity);
  const lifetimeOf = (uses: number): number =>
    uses < life.manyUses ? life.longestMs : life.usedMs;
  return {
    get(key, withinMs) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const { value, since, uses } = entry;
      return now() - since > (withinMs ?? lifetimeOf(uses)) ? undefined : value;
    },
    last: (key) => entries.get(key)?.value,
    set: (key, value) => entries.set(key, { value, since: now(), uses: 0 }),
    use(key) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entries.set(key, { ...entry, uses: entry.uses + 1 });
    },
    amend(key, change) {
      const entry = entries.get(key);
      if (entry !== undefined) entries.set(key, { ...entry, value: change(entry.value) });
    },
    delete: (key) => void entries.delete(key),
    noteUnknown: (keyId) => unknownSince.set(keyId, now()),
    isUnknown(keyId) {
      const since = unknownSince.get(keyId);
      return since !== undefined && now() - since <= unknownMs;
    },
  };
}

export const memoryKeyOf = (
  keyId: string,
  { through, sessionId }: { through?: { server: string } | undefined; sessionId: string | null },
): string => `${keyId} ${through?.server ?? ""} ${sessionId ?? ""}`;
