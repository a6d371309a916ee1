/** Round state (2026-07-28) in memory: a process serves one client, so the client gets only a name for it. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import { err, ok } from "../../domain/result.ts";
import { statePrefix, type RoundStates } from "../modern/round-state.ts";

/** Oldest are dropped: clients may never come back. */
const maxStates = 1_000;

export function createStatesInMemory(nonce: () => string): RoundStates {
  const kept = createBoundedMap<string, { digest: string; carried: CarriedState }>(maxStates);
  return {
    async wrap({ digest }, carried) {
      const name = statePrefix + nonce();
      kept.set(name, { digest, carried: { ...carried, nonce: name, expiresAt: Infinity } });
      return name;
    },
    async open({ digest }, name) {
      const found = kept.get(name);
      return found?.digest === digest
        ? ok(found.carried)
        : err({
            reason: "invalid_params",
            path: "requestState",
            detail: "Not a state of this request, or expired.",
          });
    },
  };
}
