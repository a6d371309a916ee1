/** Renews the token of an account: one caller at a time, and no token is used before it is stored. */
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
import { oauthContextFor, tokenOf, type SealedServer } from "../../domain/servers/server.ts";
import { grantIn, learnIssuer, unlearnScopes, type Account } from "./server-accounts.ts";
import type { ServerSecretsBox } from "./server-secrets.ts";

/** ms before expiry at which a token is renewed. */
const aheadMs = 60_000;
/** ms: longer than all tries of a renewal. */
const leaseMs = 45_000;
/** ms without a retry after a refusal. */
const afterRefusalMs = 30_000;
const afterSilenceMs = 2_000;
const pollMs = 200;
/** ms that a call without a token waits for another's renewal. */
const patienceMs = 10_000;
/** A single-use refresh token may be spent, so its successor must be stored. */
const saveTries = 4;
const saveWaitMs = 250;

export type GrantFor = (account: Account) => AsyncResult<OauthGrant | null>;

type Asked = Promise<Result<OauthGrant, OauthFault>>;

export function createTokenRenewal(deps: {
  servers: Pick<ServerStore, "byId" | "learn">;
  secrets: ServerSecretsBox;
  vault: Vault;
  oauth: Oauth;
  markFailing: (server: SealedServer, why: OauthFault) => AsyncResult<null>;
  nonce: () => string;
  now: () => number;
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
}): GrantFor {
  const { servers, secrets, vault, oauth, markFailing, now, elapsed, wait } = deps;

  const ask = async (server: SealedServer, held: OauthGrant | null): Asked => {
    const { oauth: client } = server;
    const known = await secrets.open(server);
    if (client === null || known === null) return err("not_allowed");
    const asking = oauthContextFor(server, client, known);
    if (client.grant === "client_credentials") return oauth.byClientCredentials(asking);
    return held === null || held.refreshToken === null
      ? err("no_refresh_token")
      : oauth.refresh(asking, held);
  };

  /** Requires the lease. Stores the token before anyone uses it. */
  async function renew(account: Account, row: ServerTokens): AsyncResult<OauthGrant | null> {
    const { owner, tokens } = account;
    const ids = [account.server.tenantId, account.server.id] as const;
    const held = await grantIn(deps, account, row);
    // The entry may have changed since the caller read it.
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
      // Another caller's renewal may have invalidated this one.
      const current = await tokens.get(...ids);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await grantIn(deps, account, current.value));
      // An unreachable server has refused nothing, and a person's refusal doesn't affect the entry.
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
      // Superseded or deleted; the token still works for this call.
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
        // A valid token is used even if its renewal is refused.
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
