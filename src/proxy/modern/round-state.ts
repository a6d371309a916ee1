/**
 * The router's own `requestState`: what must come back with the client's answers, sealed. It is bound to its owner and
 * to the request, so that no other caller can continue with it.
 */
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** The beginning of the router's own states. Any other state is the server's, and is never looked at. */
export const statePrefix = "srs1.";
/** ms that a person may take to answer. */
const ownLifetimeMs = 24 * 3_600_000;
/** ms after which a client can't come back with a server's own state. */
export const foreignLifetimeMs = 10 * 60_000;
/** Characters of a server's own state, as JSON. The client sends the state back in each request. */
export const mostForeignCharacters = 256 * 1024;

/** The owner of a state, and the request that the state is for. */
export interface StateOwner {
  tenantId: string;
  keyId: string;
  /** of the access token; null: the caller shows the API key itself */
  grantId: string | null;
  /** the person on whose behalf the caller calls; null: nobody says */
  userId: string | null;
  serverId: string;
  /** digest of the request's method, name and arguments */
  digest: string;
}

/** One sentence for every fault, so that a caller who tries states learns nothing. */
export const stateRefused: Refusal = {
  reason: "invalid_params",
  path: "requestState",
  detail: "Not a state of this request, or expired.",
};

/** Whether a request has a state, or a result gives one. @param state JSON text; null: the member is absent */
export const isState = (state: string | null): state is string =>
  state !== null && state !== "null";

/** @param state JSON text; null: there is none */
export const isOwnState = (state: string | null): boolean =>
  state !== null && String(JSON.parse(state)).startsWith(statePrefix);

export function createRoundStates(deps: { vault: Vault; nonce: () => string; now: () => number }) {
  const { vault, nonce, now } = deps;
  const sealedFor = ({ tenantId, keyId, grantId, userId, serverId, digest }: StateOwner) =>
    ({
      purpose: "round",
      tenantId,
      provider: serverId,
      id: JSON.stringify([keyId, grantId, userId, digest]),
      // What a state holds goes back to the client, or to the server that it names.
      destination: serverId,
    }) as const;
  return {
    /** Makes a state for the client. */
    async wrap(
      owner: StateOwner,
      carried: Omit<CarriedState, "nonce" | "expiresAt">,
      lifetimeMs: number = ownLifetimeMs,
    ): Promise<string> {
      const whole: CarriedState = { ...carried, nonce: nonce(), expiresAt: now() + lifetimeMs };
      return statePrefix + (await vault.seal(JSON.stringify(whole), sealedFor(owner)));
    },
    /** `-32602` for anything that is not a live state of this request. */
    async open(owner: StateOwner, state: string): Promise<Result<CarriedState, Refusal>> {
      const text = await vault.open(state.slice(statePrefix.length), sealedFor(owner));
      if (!text.ok) return err(stateRefused);
      // Only this router can have sealed the state, so the state has our shape.
      const carried = JSON.parse(text.value) as CarriedState;
      return carried.expiresAt <= now() ? err(stateRefused) : ok(carried);
    },
  };
}

export type RoundStates = ReturnType<typeof createRoundStates>;
