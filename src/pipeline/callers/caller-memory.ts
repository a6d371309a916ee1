/** What an isolate remembers of callers between requests. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import type { Snapshot } from "../../domain/ports/stores.ts";
import type { SealedServer } from "../../domain/servers/server.ts";
import type { Session } from "../../domain/tenancy/session.ts";

export interface Remembered {
  snapshot: Snapshot;
  session: Session | null;
  server: SealedServer | null;
}

/** Bounded. Holds hashes and sealed keys only. */
export interface CallerMemory {
  /** `withinMs`: only a snapshot that was read from the database no longer ago */
  get(key: string, withinMs?: number): Remembered | undefined;
  set(key: string, value: Remembered): void;
  /** What is remembered, however old it is: whose key it was. */
  last(key: string): Remembered | undefined;
  /** Marks a remembered snapshot as used. Snapshots that nobody used are forgotten first. */
  use(key: string): void;
  /** Replaces a remembered snapshot by what `change` makes of it. No remembered snapshot is changed in place. */
  amend(key: string, change: (known: Remembered) => Remembered): void;
  delete(key: string): void;
  /** Notes that no database has a key of this id. */
  noteUnknown(keyId: string): void;
  /** Whether that was noted a moment ago. */
  isUnknown(keyId: string): boolean;
}

/** ms for which an id stays unknown. Nobody holds a key before its row is written, so an id that was asked for is not made later. */
const unknownMs = 10_000;

/**
 * How long a snapshot is remembered. The admission checks it each time, so its age says only how old are the figures that
 * were measured of providers. Little is measured while few calls come, and reading a snapshot costs as much as a call. So one that
 * few calls used is kept for longer.
 */
export interface SnapshotLife {
  /** ms after which a snapshot that many calls used is read again */
  usedMs: number;
  /** calls that are many */
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

/** Under which memory holds a caller. */
export const memoryKeyOf = (
  keyId: string,
  { through, sessionId }: { through?: { server: string } | undefined; sessionId: string | null },
): string => `${keyId} ${through?.server ?? ""} ${sessionId ?? ""}`;
