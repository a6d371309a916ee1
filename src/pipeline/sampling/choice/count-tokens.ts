/** Counts a request's tokens at a provider that speaks its API. Nothing is admitted or recorded, since counting is free. */
import type { PassedRequest } from "../../../domain/passing.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import { speaks } from "../../../domain/wires/spoken.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Chooser, Declared } from "./choose.ts";

export interface ToCount {
  call: SamplingCall;
  passed: PassedRequest;
  declared: Declared;
  caller: Caller;
  signal: AbortSignal;
}

/** The provider's unchanged answer; `null` if no such provider serves the model or counts tokens. */
export type CountTokens = (toCount: ToCount) => Promise<string | null>;

export const createCountTokens =
  (deps: {
    chooser: Pick<Chooser, "plan">;
    providers: Pick<Providers, "countTokens">;
    providerKeys: Pick<ProviderKeys, "open">;
  }): CountTokens =>
  async ({ call, passed, declared, caller, signal }) => {
    const { snapshot } = caller;
    const plan = deps.chooser.plan(call, snapshot, declared);
    const chosen = plan.ok ? plan.value.choices[0] : undefined;
    if (chosen === undefined || !speaks(chosen.model, passed.endpoint)) return null;
    const credential = snapshot.credentials.find(({ id }) => id === chosen.credentialIds[0]);
    if (credential === undefined) return null;
    const key = await deps.providerKeys.open(credential);
    if (!key.ok) return null;
    return deps.providers.countTokens({
      credential: key.value,
      model: chosen.model,
      passed,
      signal,
    });
  };
