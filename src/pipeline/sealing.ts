/**
 * Which seals and codes count. The state is read from the database once and then remembered. A call needs the
 * state only to seal before it has opened anything of version 2, or to open something older. So a warm call
 * reads nothing.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import type { AdminEvent } from "../domain/admin-event.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { SealVersions } from "../domain/ports/stores.ts";
import { err, ok } from "../domain/result.ts";
import {
  acceptsFirst,
  acceptsUncoded,
  firstState,
  sealingText,
  type ForeignSeals,
  type SealingRow,
  type SealingState,
  type SealingStep,
  type SealingStore,
} from "../domain/tenancy/sealing.ts";

/** ms for which a remembered state counts where something of version 1 is to be opened. */
const recentMs = 60_000;

/** What an isolate remembers of one database. */
export interface SealingMemory {
  known: { row: SealingRow; at: number } | null;
  /** a seal of version 2 was opened here, so no process is left that reads version 1 alone */
  isSecond: boolean;
}

export const createSealingMemory = (): SealingMemory => ({ known: null, isSecond: false });

export interface Sealing extends SealVersions {
  /** The state in the database now. Where the master key has none yet, its first state is written. */
  current(): AsyncResult<SealingRow>;
  /** ms since the epoch, when sealing anew may begin: older processes have ended by then. */
  beginsAt(state: SealingState): number;
  /** Goes on to a step, with the event for the log. */
  advance(row: SealingRow, step: SealingStep, event: AdminEvent | null): AsyncResult<SealingRow>;
  /** Whether an API key without a code still counts. */
  acceptsUncoded(): Promise<boolean>;
  /**
   * Called before anything of version 2 is written. A database with something of version 2 and without a state
   * has had its state deleted, and takes nothing of version 1 over.
   */
  begun(): AsyncResult<null>;
}

export interface SealingDeps {
  store: () => SealingStore;
  mac: Mac;
  /** ids of the master keys at hand, the current one first */
  keyIds: readonly string[];
  memory: SealingMemory;
  /** ms for which processes of the version before, or with the key before, may run beside this one */
  rolloutMs: number;
  now: () => number;
  /** writes one line for the operator */
  note: (entry: Record<string, unknown>) => void;
}

const isForeign = ({ credentials, servers }: ForeignSeals): boolean =>
  credentials.foreign + servers.foreign > 0;

export function createSealing(deps: SealingDeps): Sealing {
  const { store, mac, memory, now, note } = deps;
  const [keyId = "", previousId] = deps.keyIds;
  const beginsAt = ({ since }: SealingState): number => since + deps.rolloutMs;
  const coded = async (state: SealingState): Promise<SealingRow> => ({
    ...state,
    code: await mac.code(sealingText(state)),
  });
  const isGenuine = (row: SealingRow): Promise<boolean> => mac.check(sealingText(row), row.code);
  const remember = (row: SealingRow): SealingRow => {
    memory.known = { row, at: now() };
    return row;
  };

  /**
   * `own`: a state that stands there and does not count. If several processes write at once, one of the rows
   * stands.
   */
  async function begin(found: {
    own: SealingRow | undefined;
    previous: SealingRow | "forged" | null;
    isForged: boolean;
  }) {
    const { own, isForged } = found;
    const traces = await store().traces(deps.keyIds);
    if (!traces.ok) return traces;
    const previous = isForged ? "forged" : found.previous;
    const state = firstState(keyId, { previous, traces: traces.value, now: now() });
    const rows = await store().begin(await coded(state), own?.code ?? null);
    if (!rows.ok) return rows;
    const foreign = await store().foreign(deps.keyIds);
    if (foreign.ok && isForeign(foreign.value))
      note({ event: "master_key", fault: "seals of another MASTER_KEY", keyId, ...foreign.value });
    if (previous === "forged") note({ event: "tampered", what: "sealing", keyId });
    return rows;
  }

  async function current(): AsyncResult<SealingRow> {
    const found = await store().states();
    if (!found.ok) return found;
    const own = found.value.find((row) => row.keyId === keyId);
    const before = found.value.find((row) => row.keyId === previousId);
    const previous =
      before === undefined || (await isGenuine(before)) ? (before ?? null) : "forged";
    const isForged = own !== undefined && !(await isGenuine(own));
    // The master key is a former one again, so what it had done was undone by the key between.
    const isOld = previous !== "forged" && (previous?.since ?? 0) > (own?.since ?? 0);
    if (own !== undefined && !isForged && !isOld) return ok(remember(own));
    const rows = await begin({ own, previous, isForged });
    if (!rows.ok) return rows;
    const row = rows.value.find((each) => each.keyId === keyId);
    return row !== undefined && (await isGenuine(row))
      ? ok(remember(row))
      : err({ reason: "internal" });
  }

  /**
   * From memory, if the state is young enough; a finished state stays finished. null: the database is out of
   * reach.
   */
  async function known(withinMs: number): Promise<SealingRow | null> {
    const held = memory.known;
    if (held !== null && (held.row.step === "done" || held.at + withinMs > now())) return held.row;
    const read = await current();
    return read.ok ? read.value : null;
  }

  return {
    current,
    beginsAt,
    async advance(row, step, event) {
      const { code, ...state } = row;
      const next = await coded({ ...state, step });
      const written = await store().advance(next, code, event);
      return written.ok ? ok(remember(next)) : written;
    },
    async written() {
      if (memory.isSecond) return 2;
      const state = await known(Number.POSITIVE_INFINITY);
      // Where the database is out of reach, nothing of version 2 may be written before it has a
      // state.
      return state === null || (state.adopts && now() < beginsAt(state)) ? 1 : 2;
    },
    async acceptsFirst(purpose) {
      const state = await known(recentMs);
      return (
        state !== null && acceptsFirst(state, purpose, { now: now(), beginsAt: beginsAt(state) })
      );
    },
    async begun() {
      if (memory.isSecond || memory.known !== null) return ok(null);
      const read = await current();
      return read.ok ? ok(null) : read;
    },
    opened(version) {
      if (version === 2) memory.isSecond = true;
    },
    async acceptsUncoded() {
      const state = await known(recentMs);
      return state !== null && acceptsUncoded(state);
    },
  };
}
