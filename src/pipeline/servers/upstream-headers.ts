/**
 * What the proxy adds to a request to a registered server: its static headers, and a bearer token. These
 * headers go to that server and nowhere else; no part of them is logged or recorded.
 */
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { isUnreachable, type Oauth, type OauthGrant } from "../../domain/servers/oauth.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import type { ServerStore, ServerTokens, TokenStores } from "../../domain/ports/server-stores.ts";
import { bearerChallengeIn, scopesOfBoth } from "../../domain/servers/bearer-challenge.ts";
import { explainOauthFault } from "../../domain/servers/oauth-words.ts";
import { isPerUser, type SealedServer } from "../../domain/servers/server.ts";
import { authorizationNeeded } from "./authorization-needed.ts";
import { accountOf, grantIn, noPerson, type Account, type OnBehalf } from "./server-accounts.ts";
import { createServerSecrets } from "./server-secrets.ts";
import { createTokenRenewal } from "./token-renewal.ts";

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
  /**
   * The server answered 403. `again`: there is another token by now. `pass`: the answer is the caller's. Where more
   * scopes would do, they are asked for from now on: `authorization_needed` for a person's own account.
   */
  onForbidden(
    server: SealedServer,
    about: {
      caller: OnBehalf;
      sent: Record<string, string>;
      /** `WWW-Authenticate` */
      challenge: string | null;
      isFirst: boolean;
    },
  ): AsyncResult<"again" | "pass">;
  /** The server answered 401 to a new token, too. */
  onRefusedAgain(server: SealedServer, caller: OnBehalf): AsyncResult<never>;
  /** Call it where a server that is `failing` answered something else than 401. */
  onAuthorized(server: SealedServer): AsyncResult<null>;
}

/** The router only sees that the seal does not open, and can't tell which of the causes it is. */
export const unopenable =
  "Its sealed secrets can't be opened: its URL or endpoints were changed outside of the API, or MASTER_KEY is another. Send headers and oauth anew.";

const noToken = "Its authorization server gives no token.";

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
  const { stores, now } = deps;
  const { servers } = stores;
  const secrets = createServerSecrets({ servers, vault: deps.vault });

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

  const grantFor = createTokenRenewal({ ...deps, servers, secrets, markFailing });

  /** Why there is no token. */
  async function withoutToken(
    { server, owner, tokens }: Account,
    caller: OnBehalf | null,
  ): AsyncResult<never> {
    const row = await tokens.get(server.tenantId, server.id);
    if (!row.ok) return row;
    const fault = row.value?.fault ?? null;
    if (owner === null || caller === null)
      return refused(fault === null ? noToken : explainOauthFault(fault));
    return fault !== null && isUnreachable(fault)
      ? refused(explainOauthFault(fault))
      : err(needs(server, caller, []));
  }

  /** @param scopes what the person did not allow so far; empty: nothing of the person's is good */
  const needs = (
    server: SealedServer,
    { session, snapshot }: OnBehalf,
    scopes: readonly string[],
  ): Refusal =>
    authorizationNeeded({
      server: server.slug,
      tenant: snapshot.tenant.slug,
      session,
      scopes,
      ownUrl: deps.ownUrl,
      nonce: deps.nonce,
    });

  /** The tokens of the account, if what was sent is still the current access token; null: there is another by now. */
  async function current(
    account: Account,
    sent: Record<string, string> | undefined,
  ): AsyncResult<{ row: ServerTokens; grant: OauthGrant | null } | null> {
    const { server, tokens } = account;
    const read = await tokens.get(server.tenantId, server.id);
    if (!read.ok) return read;
    const grant = await grantIn(deps, account, read.value);
    const isCurrent =
      sent === undefined || sent["Authorization"] === `Bearer ${grant?.accessToken}`;
    return ok(read.value === null || !isCurrent ? null : { row: read.value, grant });
  }

  /** The next caller gets another token. */
  const expire = ({ server, tokens }: Account, { generation }: ServerTokens) =>
    tokens.expire(server.tenantId, server.id, generation);

  /** Where more scopes are asked for from now on. */
  async function askForMore(
    account: Account,
    about: { caller: OnBehalf | null; row: ServerTokens; scopes: readonly string[] },
  ): AsyncResult<"again"> {
    const { server } = account;
    const { caller, row, scopes } = about;
    // The caller's copy of the entry may be older than what was learnt last.
    const fresh = await servers.byId(server.tenantId, server.id);
    if (!fresh.ok) return fresh;
    const wider = scopesOfBoth(fresh.value?.learnt.scopes ?? [], scopes);
    const learnt = await servers.learn(server.tenantId, server.id, { scopes: wider });
    if (!learnt.ok) return learnt;
    if (server.oauth?.grant === "client_credentials") {
      const expired = await expire(account, row);
      return expired.ok ? ok("again") : expired;
    }
    return account.owner === null || caller === null
      ? refused(
          `It wants more scopes for this: ${scopes.join(" ")}. An administrator has to authorize the router there anew.`,
        )
      : err(needs(server, caller, scopes));
  }

  return {
    async headersFor(server, caller) {
      const known = await secrets.open(server);
      if (known === null) {
        const marked = await markFailing(server, "unopenable");
        return marked.ok ? refused(unopenable) : marked;
      }
      if (server.oauth === null) return ok(known.headers);
      const account = accountOf(stores, server, caller);
      if (account === null) return refused(noPerson);
      const grant = await grantFor(account);
      if (!grant.ok) return grant;
      return grant.value === null
        ? withoutToken(account, caller)
        : ok({ ...known.headers, Authorization: `Bearer ${grant.value.accessToken}` });
    },

    async onUnauthorized(server, { caller, sent }) {
      const account = server.oauth === null ? null : accountOf(stores, server, caller);
      if (account !== null) {
        const held = await current(account, sent);
        if (!held.ok) return held;
        const expired = held.value === null ? ok(null) : await expire(account, held.value.row);
        if (!expired.ok) return expired;
      }
      return isPerUser(server) ? ok(null) : markFailing(server, "401");
    },

    async onForbidden(server, { caller, sent, challenge, isFirst }) {
      const account = server.oauth === null ? null : accountOf(stores, server, caller);
      const { error, scopes } = bearerChallengeIn(challenge);
      // Who names the scopes in the entry wants no others.
      if (account === null || server.oauth?.scope !== null) return ok("pass");
      if (error !== "insufficient_scope" || scopes === null) return ok("pass");
      const held = await current(account, sent);
      if (!held.ok) return held;
      if (held.value === null) return ok(isFirst ? "again" : "pass");
      const { row, grant } = held.value;
      const asked = new Set(grant?.scopes);
      const missing = scopes.filter((each) => !asked.has(each));
      // A machine asks by itself, so a server that names other scopes each time would be called without end.
      const isOver = server.oauth.grant === "client_credentials" && !isFirst;
      // What was asked for once, and was not given, is not asked for again and again.
      return missing.length === 0 || isOver
        ? ok("pass")
        : askForMore(account, { caller, row, scopes: missing });
    },

    onRefusedAgain: async (server, caller) =>
      isPerUser(server) && accountOf(stores, server, caller) !== null
        ? err(needs(server, caller, []))
        : refused("It answered 401."),

    onAuthorized: (server) =>
      servers.setStatus(
        server.tenantId,
        server.id,
        "active",
        eventOf(server, "server.working", { slug: server.slug }),
      ),
  };
}
