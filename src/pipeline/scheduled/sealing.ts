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
  /** Creates the first state of a new master key. */
  current(): AsyncResult<SealingState>;
  beginsAt(state: SealingState): number;
  advance(
    state: SealingState,
    step: SealingStep,
    event: AdminEvent | null,
  ): AsyncResult<SealingState>;
}

export interface SealingDeps {
  store: () => SealingStore;
  keyIds: readonly string[];
  rolloutMs: number;
  now: () => number;
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
      // The master key was reverted, and the one in between has resealed everything.
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
