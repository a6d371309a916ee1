/**
 * What the proxy adds to a request to a registered server: its static headers, and a bearer token. These
 * headers go to that server and nowhere else; no part of them is logged or recorded.
 */
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import { clockSlackMs } from "../domain/clocks.ts";
import type { AdminEvent } from "../domain/admin-event.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Oauth, OauthGrant } from "../domain/servers/oauth.ts";
import type { Vault } from "../domain/ports/stores.ts";
import { err, ok } from "../domain/result.ts";
import type { ServerStore, ServerTokens, TokenStores } from "../domain/ports/server-stores.ts";
import {
  isPerUser,
  secretsOf,
  tokenOf,
  type SealedServer,
  type ServerSecrets,
} from "../domain/servers/server.ts";
import { authorizationNeeded } from "./authorization-needed.ts";
import { accountOf, grantIn, noPerson, type Account, type OnBehalf } from "./server-accounts.ts";

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

export interface UpstreamHeaders {
  /**
   * Static headers and the token. `server_unauthorized`: no token can be had. `authorization_needed`: the person has to
   * authorize the router first.
   * @param caller null: the tenant's administrators, and no person
   */
  headersFor(server: SealedServer, caller: OnBehalf | null): AsyncResult<Record<string, string>>;
  /**
   * The server answered 401. If the access token is the one that was `sent`, it is forgotten. Unless the token is one
   * person's, the server becomes `failing`, with one event, until `onAuthorized`.
   */
  onUnauthorized(
    server: SealedServer,
    about: { caller: OnBehalf | null; sent?: Record<string, string> },
  ): AsyncResult<null>;
  /** Call it where a server that is `failing` answered something else than 401. */
  onAuthorized(server: SealedServer): AsyncResult<null>;
}

/** The router only sees that the seal does not open, and can't tell which of the causes it is. */
export const unopenable =
  "Its sealed secrets can't be opened: its URL or endpoints were changed outside of the API, or MASTER_KEY is another. Send headers and oauth anew.";

const refused = (detail: string) => err({ reason: "server_unauthorized", detail } as const);

export function createUpstreamHeaders(deps: {
  stores: TokenStores & { servers: ServerStore };
  vault: Vault;
  oauth: Oauth;
  ids: Ids;
  nonce: () => string;
  now: () => number;
  /** ms, never set back */
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
  /** the router's own address; null: unknown */
  ownUrl: string | null;
}): UpstreamHeaders {
  const { stores, vault, oauth, now, elapsed, wait } = deps;
  const { servers } = stores;

  const eventOf = (server: SealedServer, action: string, detail: AdminEvent["detail"]) => ({
    now: now(),
    event: {
      id: deps.ids.next("event"),
      at: now(),
      actor: "router",
      action,
      tenantId: server.tenantId,
      target: server.id,
      detail,
    },
  });
  const markFailing = (server: SealedServer, why: string): AsyncResult<null> =>
    servers.setStatus(
      server.tenantId,
      server.id,
      "failing",
      eventOf(server, "server.unauthorized", { slug: server.slug, why }),
    );

  const secretsIn = async (server: SealedServer): Promise<ServerSecrets | null> => {
    if (server.sealed === null) return { headers: {}, clientSecret: null };
    const plain = await vault.open(server.sealed, secretsOf(server));
    return plain.ok ? (JSON.parse(plain.value) as ServerSecrets) : null;
  };
  /** Asks the authorization server for a token, by the entry's grant. */
  const ask = (server: SealedServer, clientSecret: string | null, held: OauthGrant | null) => {
    const client = server.oauth;
    if (client === null) return err("not_allowed" as const);
    const asking = { url: server.url, client, clientSecret };
    if (client.grant === "client_credentials") return oauth.byClientCredentials(asking);
    return held === null || held.refreshToken === null
      ? err("no_refresh_token" as const)
      : oauth.refresh(asking, held);
  };

  /** Holds the lease: asks for a token, and stores it before anybody uses it. */
  async function renew(
    account: Account,
    clientSecret: string | null,
    row: ServerTokens,
  ): AsyncResult<OauthGrant | null> {
    const { server, userId, tokens } = account;
    const ids = [server.tenantId, server.id] as const;
    const asked = await ask(server, clientSecret, await grantIn(deps, account, row));
    if (!asked.ok) {
      const failed = await tokens.fail(...ids, {
        from: row.generation,
        fault: asked.error,
        leaseUntil: now() + (asked.error === "unreachable" ? afterSilenceMs : afterRefusalMs),
      });
      if (!failed.ok) return failed;
      // Another caller may have got a token meanwhile, and then that made this request fail.
      const current = await tokens.get(...ids);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await grantIn(deps, account, current.value));
      // A server out of reach has refused nothing, and one person's refusal says nothing of the entry.
      const marked =
        asked.error === "unreachable" || userId !== null
          ? ok(null)
          : await markFailing(server, asked.error);
      return marked.ok ? ok(null) : marked;
    }
    const sealed = await vault.seal(JSON.stringify(asked.value), tokenOf(server, userId));
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

  async function grantFor(
    account: Account,
    clientSecret: string | null,
  ): AsyncResult<OauthGrant | null> {
    const { server, userId, tokens } = account;
    const ids = [server.tenantId, server.id] as const;
    const until = elapsed() + patienceMs;
    for (;;) {
      const read = await tokens.get(...ids);
      if (!read.ok) return read;
      const row = read.value;
      // Who has never been there leaves no row behind.
      if (userId !== null && (row === null || row.sealed === null)) return ok(null);
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
        const renewed = await renew(account, clientSecret, claimed.value);
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
  }

  /** Why there is no token. */
  async function withoutToken(
    { server, userId, tokens }: Account,
    caller: OnBehalf | null,
  ): AsyncResult<never> {
    if (userId === null || caller === null)
      return refused("Its authorization server gives no token.");
    const row = await tokens.get(server.tenantId, server.id);
    if (!row.ok) return row;
    return row.value?.fault === "unreachable"
      ? refused("Its authorization server can't be reached.")
      : err(needs(server, caller));
  }

  const needs = (server: SealedServer, { session, snapshot }: OnBehalf): Refusal =>
    authorizationNeeded({
      server: server.slug,
      tenant: snapshot.tenant.slug,
      session,
      ownUrl: deps.ownUrl,
      nonce: deps.nonce,
    });

  return {
    async headersFor(server, caller) {
      const secrets = await secretsIn(server);
      if (secrets === null) {
        const marked = await markFailing(server, "unopenable");
        return marked.ok ? refused(unopenable) : marked;
      }
      if (server.oauth === null) return ok(secrets.headers);
      const account = accountOf(stores, server, caller);
      if (account === null) return refused(noPerson);
      const grant = await grantFor(account, secrets.clientSecret);
      if (!grant.ok) return grant;
      return grant.value === null
        ? withoutToken(account, caller)
        : ok({ ...secrets.headers, Authorization: `Bearer ${grant.value.accessToken}` });
    },

    async onUnauthorized(server, { caller, sent }) {
      const account = server.oauth === null ? null : accountOf(stores, server, caller);
      if (account !== null) {
        const { tokens } = account;
        const read = await tokens.get(server.tenantId, server.id);
        if (!read.ok) return read;
        const held = await grantIn(deps, account, read.value);
        const isCurrent =
          sent === undefined || sent["Authorization"] === `Bearer ${held?.accessToken}`;
        if (read.value !== null && isCurrent) {
          const { generation } = read.value;
          const expired = await tokens.expire(server.tenantId, server.id, generation);
          if (!expired.ok) return expired;
        }
      }
      return isPerUser(server) ? ok(null) : markFailing(server, "401");
    },

    onAuthorized: (server) =>
      servers.setStatus(
        server.tenantId,
        server.id,
        "active",
        eventOf(server, "server.working", { slug: server.slug }),
      ),
  };
}
