import type { Stores, Vault } from "../../domain/ports/stores.ts";
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
    }),
    memory: cloudGrants,
    now: clock.now,
  });
