import type { Stores, Vault } from "../../domain/ports/stores.ts";
import { createHostIdentityProblem } from "../../domain/tenancy/host-identity.ts";
import { createCloudTokens } from "../../oauth/cloud-tokens.ts";
import { createProviderKeys, type ProviderKeys } from "../../pipeline/provider-keys.ts";
import { createTokenRenewal } from "../../pipeline/token-renewal.ts";
import { clock, type Isolate } from "../isolate.ts";

export const createDatabaseKeys = (
  { config, host, openKey, cloudGrants }: Isolate,
  {
    stores,
    vault,
    nonce,
  }: { stores: Pick<Stores, "credentialTokens">; vault: Vault; nonce: () => string },
): ProviderKeys =>
  createProviderKeys({
    openKey,
    vault,
    tokens: stores.credentialTokens,
    grantFor: createTokenRenewal({ nonce, ...clock }),
    obtain: createCloudTokens({
      fetch: host.fetch,
      allowPrivate: config.allowPrivateUpstreams,
      now: clock.now,
      aws: config.operatorAws,
      hostIdentity: host.identity,
      roleIdentity: config.hostIdentity.assumesRoles ? host.identity : undefined,
    }),
    hostIdentityProblem: createHostIdentityProblem(config.hostIdentity, {
      isPresent: host.identity !== undefined,
    }),
    memory: cloudGrants,
    now: clock.now,
  });
