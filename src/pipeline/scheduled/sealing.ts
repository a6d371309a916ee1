/** How far the current master key has come in one database. Only sealing anew asks. */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import { err, ok } from "../../domain/result.ts";
import {
  firstState,
  type ForeignSeals,
  type SealingState,
  type SealingStep,
  type SealingStore,
} from "../../domain/tenancy/sealing.ts";

export interface Sealing {
  /** The state in the database now. Where the master key has none yet, its first state is written. */
  current(): AsyncResult<SealingState>;
  /** ms since the epoch, when sealing anew may begin: processes with the key before have ended by then. */
  beginsAt(state: SealingState): number;
  /** Goes on to a step, with the event for the log. */
  advance(
    state: SealingState,
    step: SealingStep,
    event: AdminEvent | null,
  ): AsyncResult<SealingState>;
}

export interface SealingDeps {
  store: () => SealingStore;
  /** ids of the master keys at hand, the current one first */
  keyIds: readonly string[];
  /** ms for which processes with the key before may run beside this one */
  rolloutMs: number;
  now: () => number;
  /** writes one line for the operator */
  note: (entry: Record<string, unknown>) => void;
}

const isForeign = ({ credentials, servers }: ForeignSeals): boolean =>
  credentials.foreign + servers.foreign > 0;

export function createSealing({ store, keyIds, rolloutMs, now, note }: SealingDeps): Sealing {
  const [keyId = "", previousId] = keyIds;

  async function begin(
    own: SealingState | undefined,
    isFirst: boolean,
  ): AsyncResult<SealingState[]> {
    const others = isFirst ? await store().hasOthers(keyId) : ok(true);
    if (!others.ok) return others;
    const state = firstState(keyId, { hasOthers: others.value, now: now() });
    const states = await store().begin(state, own?.since ?? null);
    if (!states.ok) return states;
    const foreign = await store().foreign(keyIds);
    if (foreign.ok && isForeign(foreign.value))
      note({ event: "master_key", fault: "seals of another MASTER_KEY", keyId, ...foreign.value });
    return states;
  }

  return {
    async current() {
      const found = await store().states();
      if (!found.ok) return found;
      const stateOf = (id: string | undefined) => found.value.find((each) => each.keyId === id);
      const [own, previous] = [stateOf(keyId), stateOf(previousId)];
      // The master key is a former one again, so the key between has sealed everything anew.
      const isFormer = own !== undefined && (previous?.since ?? 0) > own.since;
      if (own !== undefined && !isFormer) return ok(own);
      const states = await begin(own, found.value.length === 0);
      if (!states.ok) return states;
      const state = states.value.find((each) => each.keyId === keyId);
      return state === undefined ? err({ reason: "internal" }) : ok(state);
    },
    beginsAt: ({ since }) => since + rolloutMs,
    async advance(state, step, event) {
      const next = { ...state, step };
      const written = await store().advance(next, state.step, event);
      return written.ok ? ok(next) : written;
    },
  };
}
