/**
 * The router's own `requestState`: what must come back with the client's answers, sealed. Bound to
 * tenant, key, server and request, so that a state carried elsewhere opens for nobody.
 */
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** The beginning of the router's own states. Any other state is the server's, and is never looked at. */
export const statePrefix = "srs1.";
/** ms that a person may take to answer. */
const lifetimeMs = 24 * 3_600_000;

/** The owner of a state, and the request that the state is for. */
export interface StateOwner {
  tenantId: string;
  keyId: string;
  serverId: string;
  /** digest of the request's method, name and arguments */
  digest: string;
}

const refused: Result<never, Refusal> = err({
  reason: "invalid_params",
  path: "requestState",
  // One sentence for every fault, so that a caller who tries states learns nothing.
  detail: "Not a state of this request, or expired.",
});

export function createRoundStates(deps: { vault: Vault; nonce: () => string; now: () => number }) {
  const { vault, nonce, now } = deps;
  const sealedFor = ({ tenantId, keyId, serverId, digest }: StateOwner) =>
    ({
      purpose: "round",
      tenantId,
      provider: serverId,
      id: `${keyId} ${digest}`,
      // What a state holds goes back to the client, or to the server that it names.
      destination: serverId,
    }) as const;
  return {
    /** Makes a state for the client. */
    async wrap(
      owner: StateOwner,
      carried: Omit<CarriedState, "nonce" | "expiresAt">,
    ): Promise<string> {
      const whole: CarriedState = { ...carried, nonce: nonce(), expiresAt: now() + lifetimeMs };
      return statePrefix + (await vault.seal(JSON.stringify(whole), sealedFor(owner)));
    },
    /** `-32602` for anything that is not a live state of this request. */
    async open(owner: StateOwner, state: string): Promise<Result<CarriedState, Refusal>> {
      const text = await vault.open(state.slice(statePrefix.length), sealedFor(owner));
      if (!text.ok) return refused;
      // Only this router can have sealed the state, so the state has our shape.
      const carried = JSON.parse(text.value) as CarriedState;
      return carried.expiresAt <= now() ? refused : ok(carried);
    },
  };
}

export type RoundStates = ReturnType<typeof createRoundStates>;
