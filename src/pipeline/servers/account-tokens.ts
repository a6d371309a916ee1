/** Renews the token of an account at a registered server. */
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  isUnreachable,
  type Oauth,
  type OauthFault,
  type OauthGrant,
} from "../../domain/servers/oauth.ts";
import { oauthContextFor, tokenOf, type SealedServer } from "../../domain/servers/server.ts";
import type { GrantFor } from "../token-renewal.ts";
import { grantIn, learnIssuer, unlearnScopes, type Account } from "./server-accounts.ts";
import type { ServerSecretsBox } from "./server-secrets.ts";

/** `null` if none can be obtained without a person. */
export type AccountGrantFor = (account: Account) => AsyncResult<OauthGrant | null>;

export function createAccountTokens(deps: {
  servers: Pick<ServerStore, "byId" | "learn">;
  secrets: ServerSecretsBox;
  vault: Vault;
  oauth: Oauth;
  markFailing: (server: SealedServer, why: OauthFault) => AsyncResult<null>;
  grantFor: GrantFor;
}): AccountGrantFor {
  const { servers, secrets, vault, oauth, markFailing, grantFor } = deps;

  const answered = async (
    server: SealedServer,
    held: OauthGrant | null,
  ): Promise<Result<OauthGrant, OauthFault>> => {
    const { oauth: client } = server;
    const known = await secrets.open(server);
    if (client === null || known === null) return err("not_allowed");
    const asking = oauthContextFor(server, client, known);
    if (client.grant === "client_credentials") return oauth.byClientCredentials(asking);
    return held === null || held.refreshToken === null
      ? err("no_refresh_token")
      : oauth.refresh(asking, held);
  };

  return (account) => {
    const { owner, tokens } = account;
    const { tenantId, id } = account.server;
    /** The entry may have changed since the caller read it. */
    let { server } = account;
    return grantFor<OauthGrant>({
      tokens,
      tenantId,
      id,
      canObtainFirst: owner === null,
      open: (row) => grantIn(deps, account, row),
      seal: (grant) => vault.seal(JSON.stringify(grant), tokenOf(server, owner)),
      async ask(held) {
        const read = await servers.byId(tenantId, id);
        if (!read.ok) return read;
        server = read.value ?? server;
        const asked = await answered(server, held);
        if (asked.ok) {
          const learned = await learnIssuer(deps, server, asked.value.issuer);
          return learned.ok ? ok(asked) : learned;
        }
        if (asked.error === "invalid_client" && held?.registered !== undefined)
          await secrets.keepRegistration(server, null);
        const unlearned = await unlearnScopes(deps, server, asked.error);
        return unlearned.ok ? ok(asked) : unlearned;
      },
      // An unreachable server has refused nothing, and a person's refusal doesn't affect the entry.
      onRefused: async (fault) =>
        isUnreachable(fault) || owner !== null ? ok(null) : markFailing(server, fault),
    });
  };
}
