/**
 * What must come back with the client's answers in 2026-07-28. One process serves one client, so the process keeps it,
 * and the client gets a name for it.
 */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import { err, ok } from "../../domain/result.ts";
import { statePrefix, type RoundStates } from "../modern/round-state.ts";

/** A client that never comes back leaves its state behind; the oldest goes first. */
const mostStates = 1_000;

export function createStatesInMemory(nonce: () => string): RoundStates {
  const kept = createBoundedMap<string, { digest: string; carried: CarriedState }>(mostStates);
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
