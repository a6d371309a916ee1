/**
 * The router's own `requestState`: what must come back with the client's answers, sealed. Bound to
 * tenant, key, server and request, so that a state carried elsewhere opens for nobody.
 */
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** How ours begin. A state that doesn't is the server's, and is never looked at. */
export const statePrefix = "srs1.";
/** How long a person may take to answer. */
const lifetimeMs = 24 * 3_600_000;

/** Whose state it is, and for what. */
export interface StateOwner {
  tenantId: string;
  keyId: string;
  serverId: string;
  /** of method, name and arguments */
  digest: string;
}

const refused: Result<never, Refusal> = err({
  reason: "invalid_params",
  path: "requestState",
  // One sentence for all: whoever tries states on us learns nothing from the answer.
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
      // What is in it goes back to the client, or to the server that it names.
      destination: serverId,
    }) as const;
  return {
    /** A state to hand to the client. */
    async wrap(
      owner: StateOwner,
      carried: Pick<CarriedState, "state" | "answers" | "rounds">,
    ): Promise<string> {
      const whole: CarriedState = { ...carried, nonce: nonce(), expiresAt: now() + lifetimeMs };
      return statePrefix + (await vault.seal(JSON.stringify(whole), sealedFor(owner)));
    },
    /** `-32602` for whatever is not a live state of this request. */
    async open(owner: StateOwner, state: string): Promise<Result<CarriedState, Refusal>> {
      const text = await vault.open(state.slice(statePrefix.length), sealedFor(owner));
      if (!text.ok) return refused;
      // Nobody else can have sealed it, so its shape is ours.
      const carried = JSON.parse(text.value) as CarriedState;
      return carried.expiresAt <= now() ? refused : ok(carried);
    },
  };
}

export type RoundStates = ReturnType<typeof createRoundStates>;
