/** Keys of providers that need no token. */
import type { OpenKey } from "../../src/pipeline/opened-keys.ts";
import { createGrantMemory, createProviderKeys } from "../../src/pipeline/provider-keys.ts";

export const plainKeys = (openKey: OpenKey) =>
  createProviderKeys({
    openKey,
    vault: undefined as never,
    tokens: undefined as never,
    grantFor: undefined as never,
    obtain: undefined as never,
    memory: createGrantMemory(),
    hostIdentityProblem: () => null,
    now: () => 0,
  });
