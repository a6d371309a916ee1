/** Keys of providers as requests need them: opened, and for clouds exchanged for access tokens. */
import type { FaultCode, ProviderFault } from "../domain/attempts.ts";
import {
  externalIdOf,
  type AwsKeys,
  type CloudAuth,
  type CloudPlace,
} from "../domain/models/cloud-place.ts";
import type { CloudGrant, ObtainToken } from "../domain/ports/cloud-tokens.ts";
import type { RenewedTokens } from "../domain/ports/server-stores.ts";
import type { SealedCredential, Vault } from "../domain/ports/stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProviderCredential } from "../domain/sampling/providers.ts";
import { isUnreachable, type OauthFault } from "../domain/servers/oauth.ts";
import { readSecret } from "../domain/tenancy/credential-secret.ts";
import type { HostIdentityProblem } from "../domain/tenancy/host-identity.ts";
import { cloudTokenOf } from "../domain/tenancy/sealing.ts";
import type { OpenKey } from "./opened-keys.ts";
import { isFresh, type GrantFor } from "./token-renewal.ts";

export interface ProviderKeys {
  open(credential: SealedCredential): Promise<Result<ProviderCredential, ProviderFault>>;
  /** Forgets a token that the provider rejected. Returns whether another may be obtained. */
  rejected(credential: SealedCredential): Promise<boolean>;
  hostIdentityProblem: HostIdentityProblem;
}

const fault = (kind: ProviderFault["kind"], code?: FaultCode): ProviderFault => ({
  kind,
  status: null,
  retryable: true,
  retryAfterMs: null,
  billed: "no",
  reach: "credential",
  usage: null,
  ...(code !== undefined && { code }),
});

const codes: Partial<Record<OauthFault, FaultCode>> = {
  wrong_clock: "wrong_clock",
  role_refused: "role_refused",
  no_aws_identity: "no_aws_identity",
  no_host_identity: "no_host_identity",
};

const codeOf = (why: OauthFault): FaultCode =>
  isUnreachable(why) ? "token_unreachable" : (codes[why] ?? "token_refused");

interface HeldGrant extends CloudGrant {
  /** the sealed secret that obtained it: a changed credential needs another token */
  from: string;
}

const isExchanged = ({ auth }: CloudPlace): boolean => auth !== "apiKey" && auth !== "accessKey";

/** How requests authenticate with a secret that needs no exchange. */
const keyIn = (auth: CloudAuth): Pick<ProviderCredential, "apiKey" | "aws"> =>
  "apiKey" in auth
    ? { apiKey: auth.apiKey }
    : { apiKey: "", ...("accessKeyId" in auth && { aws: auth }) };

const keyOfGrant = ({ cloud }: CloudPlace, { token }: CloudGrant) =>
  cloud === "bedrock" ? { apiKey: "", aws: JSON.parse(token) as AwsKeys } : { apiKey: token };

/** Grants by the snapshot's credential, so that most calls read no token from the database. */
export const createGrantMemory = () => new WeakMap<SealedCredential, HeldGrant>();

export function createProviderKeys(deps: {
  openKey: OpenKey;
  vault: Vault;
  tokens: RenewedTokens;
  grantFor: GrantFor;
  obtain: ObtainToken;
  memory: ReturnType<typeof createGrantMemory>;
  hostIdentityProblem: HostIdentityProblem;
  now: () => number;
}): ProviderKeys {
  const { openKey, vault, tokens, grantFor, obtain, memory, hostIdentityProblem, now } = deps;

  const grantOf = async (
    credential: SealedCredential,
    { place, secret }: { place: CloudPlace; secret: string },
  ): AsyncResult<HeldGrant | null> => {
    const known = memory.get(credential);
    if (known !== undefined && isFresh(known, now())) return ok(known);
    const { tenantId, id, sealed } = credential;
    const granted = await grantFor<HeldGrant>({
      tokens,
      tenantId,
      id,
      canObtainFirst: true,
      async open(row) {
        if (row === null || row.sealed === null) return null;
        const plain = await vault.open(row.sealed, cloudTokenOf(credential));
        const grant = plain.ok ? (JSON.parse(plain.value) as HeldGrant) : null;
        return grant?.from === sealed ? grant : null;
      },
      seal: (grant) => vault.seal(JSON.stringify(grant), cloudTokenOf(credential)),
      async ask() {
        const asked = await obtain({
          auth: JSON.parse(secret) as CloudAuth,
          place,
          externalId: externalIdOf(tenantId),
        });
        return ok(asked.ok ? ok({ ...asked.value, from: sealed }) : asked);
      },
      onRefused: async () => ok(null),
    });
    if (granted.ok && granted.value !== null) memory.set(credential, granted.value);
    return granted;
  };

  return {
    hostIdentityProblem,

    async open(credential) {
      const { id, tenantId, provider, baseUrl, place } = credential;
      const opened = await openKey(credential, vault);
      if (!opened.ok) return err(fault("unopenable"));
      const { secret, headers } = readSecret(opened.value, credential);
      const its = { id, provider, baseUrl, headers, ...(place && { place }) };
      if (!place) return ok({ ...its, apiKey: secret });
      if (!isExchanged(place)) return ok({ ...its, ...keyIn(JSON.parse(secret) as CloudAuth) });
      // Also for stored tokens: the operator may have removed the tenant from the setting.
      if (place.auth === "hostIdentity" && hostIdentityProblem(tenantId) !== null)
        return err(fault("auth", "no_host_identity"));
      const grant = await grantOf(credential, { place, secret });
      if (!grant.ok) return err(fault("server"));
      if (grant.value !== null) return ok({ ...its, ...keyOfGrant(place, grant.value) });
      const row = await tokens.get(tenantId, id);
      const why = row.ok ? (row.value?.fault ?? null) : null;
      return err(fault("auth", why === null ? "token_unreachable" : codeOf(why)));
    },

    async rejected(credential) {
      const { tenantId, id, place } = credential;
      if (!place || !isExchanged(place)) return false;
      memory.delete(credential);
      const row = await tokens.get(tenantId, id);
      if (!row.ok || row.value === null) return false;
      const expired = await tokens.expire(tenantId, id, row.value.generation);
      return expired.ok;
    },
  };
}
