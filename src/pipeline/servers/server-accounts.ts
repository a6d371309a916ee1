import type { Vault } from "../../domain/ports/stores.ts";
import type {
  ServerStore,
  ServerTokens,
  TokenStore,
  TokenStores,
} from "../../domain/ports/server-stores.ts";
import type { OauthFault, OauthGrant } from "../../domain/servers/oauth.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import {
  isPerUser,
  issuerToLearn,
  tokenOf,
  type SealedServer,
} from "../../domain/servers/server.ts";
import type { AccountOwner } from "../../domain/tenancy/user.ts";
import type { Caller } from "../callers/authenticate.ts";

export type OnBehalf = Pick<Caller, "account" | "session"> & {
  snapshot: { tenant: Pick<Caller["snapshot"]["tenant"], "slug"> };
};

export interface Account {
  server: SealedServer;
  owner: AccountOwner | null;
  tokens: TokenStore;
}

export const noPerson =
  "People have their own accounts there, and this caller isn't a person: call with an access token of a person's, or with an API key that was issued for one.";

/** `null` if the caller isn't a person and each person needs an account. */
export function accountOf(
  { serverTokens, userTokens }: TokenStores,
  server: SealedServer,
  caller: Pick<OnBehalf, "account"> | null,
): Account | null {
  if (!isPerUser(server)) return { server, owner: null, tokens: serverTokens };
  const owner = caller?.account;
  return owner === undefined ? null : { server, owner, tokens: userTokens.of(owner) };
}

/** A client registration belongs to the first issuer. */
export async function learnIssuer(
  { servers }: { servers: Pick<ServerStore, "learn"> },
  server: SealedServer,
  issuer: string,
): AsyncResult<null> {
  const learned = server.oauth === null ? null : issuerToLearn(server, server.oauth, issuer);
  return learned === null
    ? ok(null)
    : servers.learn(server.tenantId, server.id, { issuer: learned });
}

export const unlearnScopes = async (
  { servers }: { servers: Pick<ServerStore, "learn"> },
  { tenantId, id, learned }: SealedServer,
  fault: OauthFault,
): AsyncResult<null> =>
  fault === "invalid_scope" && learned.scopes !== undefined
    ? servers.learn(tenantId, id, { scopes: null })
    : ok(null);

export async function grantIn(
  { vault }: { vault: Vault },
  { server, owner }: Account,
  row: ServerTokens | null,
): Promise<OauthGrant | null> {
  if (row === null || row.sealed === null) return null;
  const plain = await vault.open(row.sealed, tokenOf(server, owner));
  return plain.ok ? (JSON.parse(plain.value) as OauthGrant) : null;
}
