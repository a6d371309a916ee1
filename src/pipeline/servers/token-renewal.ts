/** The token of an account at a registered server: one caller of many renews it, and nobody uses what is not stored. */
import { clockSlackMs } from "../../domain/clocks.ts";
import type { ServerStore, ServerTokens } from "../../domain/ports/server-stores.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  isUnreachable,
  type Oauth,
  type OauthFault,
  type OauthGrant,
} from "../../domain/servers/oauth.ts";
import { askingFor, tokenOf, type SealedServer } from "../../domain/servers/server.ts";
import { grantIn, learnIssuer, unlearnScopes, type Account } from "./server-accounts.ts";
import type { ServerSecretsBox } from "./server-secrets.ts";

/** ms before its end at which a token is renewed, so that it is still good when the request arrives. */
const aheadMs = 60_000;
/** ms, longer than all tries of one renewal together, so that one caller asks at a time. */
const leaseMs = 45_000;
/** ms after a refusal in which no caller asks again. */
const afterRefusalMs = 30_000;
const afterSilenceMs = 2_000;
const pollMs = 200;
/** ms that a call without any token waits for the token that another caller is asking for. */
const patienceMs = 10_000;
/** Tries to store a new refresh token: the one before may be spent, so its successor must not be lost. */
const saveTries = 4;
const saveWaitMs = 250;

/** The account's grant, renewed if need be; null: there is none, and none can be had without a person. */
export type GrantFor = (account: Account) => AsyncResult<OauthGrant | null>;

type Asked = Promise<Result<OauthGrant, OauthFault>>;

export function createTokenRenewal(deps: {
  servers: Pick<ServerStore, "byId" | "learn">;
  secrets: ServerSecretsBox;
  vault: Vault;
  oauth: Oauth;
  /** The authorization server gave no token for the tenant's account. */
  markFailing: (server: SealedServer, why: OauthFault) => AsyncResult<null>;
  nonce: () => string;
  now: () => number;
  /** ms, never set back */
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
}): GrantFor {
  const { servers, secrets, vault, oauth, markFailing, now, elapsed, wait } = deps;

  /** Asks the authorization server for a token, by the entry's grant. */
  const ask = async (server: SealedServer, held: OauthGrant | null): Asked => {
    const { oauth: client } = server;
    const known = await secrets.open(server);
    if (client === null || known === null) return err("not_allowed");
    const asking = askingFor(server, client, known);
    if (client.grant === "client_credentials") return oauth.byClientCredentials(asking);
    return held === null || held.refreshToken === null
      ? err("no_refresh_token")
      : oauth.refresh(asking, held);
  };

  /** Holds the lease: asks for a token, and stores it before anybody uses it. */
  async function renew(account: Account, row: ServerTokens): AsyncResult<OauthGrant | null> {
    const { owner, tokens } = account;
    const ids = [account.server.tenantId, account.server.id] as const;
    const held = await grantIn(deps, account, row);
    // What was learnt of the server may be younger than the caller's copy of the entry.
    const read = await servers.byId(...ids);
    if (!read.ok) return read;
    const server = read.value ?? account.server;
    const asked = await ask(server, held);
    if (!asked.ok) {
      if (asked.error === "invalid_client" && held?.registered !== undefined)
        await secrets.keepRegistration(server, null);
      const unlearnt = await unlearnScopes(deps, server, asked.error);
      if (!unlearnt.ok) return unlearnt;
      const failed = await tokens.fail(...ids, {
        from: row.generation,
        fault: asked.error,
        leaseUntil: now() + (isUnreachable(asked.error) ? afterSilenceMs : afterRefusalMs),
      });
      if (!failed.ok) return failed;
      // Another caller may have got a token meanwhile, and then that made this request fail.
      const current = await tokens.get(...ids);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await grantIn(deps, account, current.value));
      // A server out of reach has refused nothing, and one person's refusal says nothing of the entry.
      const marked =
        isUnreachable(asked.error) || owner !== null
          ? ok(null)
          : await markFailing(server, asked.error);
      return marked.ok ? ok(null) : marked;
    }
    const learnt = await learnIssuer(deps, server, asked.value.issuer);
    if (!learnt.ok) return learnt;
    const sealed = await vault.seal(JSON.stringify(asked.value), tokenOf(server, owner));
    const grant = {
      from: row.generation,
      generation: deps.nonce(),
      sealed,
      expiresAt: asked.value.expiresAt,
    };
    for (let tries = 1; ; tries += 1) {
      const saved = await tokens.save(...ids, grant);
      // The token was not saved: a newer token stands there, or the server is gone. For this call
      // the token is as good.
      if (saved.ok) return ok(asked.value);
      if (tries >= saveTries) return saved;
      await wait(saveWaitMs * tries);
    }
  }

  return async function grantFor(account) {
    const { server, owner, tokens } = account;
    const ids = [server.tenantId, server.id] as const;
    const until = elapsed() + patienceMs;
    for (;;) {
      const read = await tokens.get(...ids);
      if (!read.ok) return read;
      const row = read.value;
      // Who has never been there leaves no row behind.
      if (owner !== null && (row === null || row.sealed === null)) return ok(null);
      const held = await grantIn(deps, account, row);
      const left =
        row?.expiresAt === null ? Number.POSITIVE_INFINITY : (row?.expiresAt ?? 0) - now();
      if (held !== null && left > aheadMs) return ok(held);
      const claimed = await tokens.claim(...ids, {
        from: row === null ? null : row.generation,
        lease: deps.nonce(),
        now: now(),
        leaseUntil: now() + leaseMs,
      });
      if (!claimed.ok) return claimed;
      if (claimed.value !== null) {
        const renewed = await renew(account, claimed.value);
        // A token that is still good is used, whatever the authorization server says about a new
        // one.
        return renewed.ok && renewed.value === null && held !== null && left > 0
          ? ok(held)
          : renewed;
      }
      if (held !== null && left > 0) return ok(held);
      const leftMs = (row?.leaseUntil ?? 0) - now();
      const isRefused = row !== null && row.fault !== null && leftMs > 0;
      if ((isRefused && leftMs <= leaseMs + clockSlackMs) || elapsed() >= until) return ok(null);
      await wait(pollMs);
    }
  };
}
