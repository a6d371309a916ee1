/** Sent to that server only, never logged or recorded. */
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { isUnreachable, type Oauth, type OauthGrant } from "../../domain/servers/oauth.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import type { ServerStore, ServerTokens, TokenStores } from "../../domain/ports/server-stores.ts";
import { bearerChallengeIn, scopesOfBoth } from "../../domain/servers/bearer-challenge.ts";
import { explainOauthFault } from "../../domain/servers/oauth-messages.ts";
import { isPerUser, type SealedServer } from "../../domain/servers/server.ts";
import { authorizationNeeded } from "./authorization-needed.ts";
import { accountOf, grantIn, noPerson, type Account, type OnBehalf } from "./server-accounts.ts";
import { createServerSecrets } from "./server-secrets.ts";
import { createTokenRenewal } from "../token-renewal.ts";
import { createAccountTokens } from "./account-tokens.ts";

export interface UpstreamHeaders {
  /** @param caller `null` for administrators' checks */
  headersFor(server: SealedServer, caller: OnBehalf | null): AsyncResult<Record<string, string>>;
  /** Forgets the token if it is the one `sent`. Unless it is a person's, marks the server as `failing`. */
  onUnauthorized(
    server: SealedServer,
    about: { caller: OnBehalf | null; sent?: Record<string, string> },
  ): AsyncResult<null>;
  /** `again`: there is a newer token. `pass`: return the answer to the caller. */
  onForbidden(
    server: SealedServer,
    about: {
      caller: OnBehalf;
      sent: Record<string, string>;
      challenge: string | null;
      isFirst: boolean;
    },
  ): AsyncResult<"again" | "pass">;
  onRefusedAgain(server: SealedServer, caller: OnBehalf): AsyncResult<never>;
  /** Call when a `failing` server answers anything but 401. */
  onAuthorized(server: SealedServer): AsyncResult<null>;
}

/** The cause is unknown: the seal doesn't open. */
export const unopenable =
  "Its sealed secrets can't be opened: its URL or endpoints were changed outside of the API, or MASTER_KEY has changed. Send headers and oauth again.";

const noToken = "Its authorization server gives no token.";

const refused = (detail: string) => err({ reason: "server_unauthorized", detail } as const);

export function createUpstreamHeaders(deps: {
  stores: TokenStores & { servers: ServerStore };
  vault: Vault;
  oauth: Oauth;
  ids: Ids;
  nonce: () => string;
  now: () => number;
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
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

  const grantFor = createAccountTokens({
    ...deps,
    servers,
    secrets,
    markFailing,
    grantFor: createTokenRenewal(deps),
  });

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

  /** @param scopes not yet granted; empty if the person has no usable token */
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

  const expire = ({ server, tokens }: Account, { generation }: ServerTokens) =>
    tokens.expire(server.tenantId, server.id, generation);

  async function askForMore(
    account: Account,
    about: { caller: OnBehalf | null; row: ServerTokens; scopes: readonly string[] },
  ): AsyncResult<"again"> {
    const { server } = account;
    const { caller, row, scopes } = about;
    // The entry may have changed since the caller read it.
    const fresh = await servers.byId(server.tenantId, server.id);
    if (!fresh.ok) return fresh;
    const wider = scopesOfBoth(fresh.value?.learned.scopes ?? [], scopes);
    const learned = await servers.learn(server.tenantId, server.id, { scopes: wider });
    if (!learned.ok) return learned;
    if (server.oauth?.grant === "client_credentials") {
      const expired = await expire(account, row);
      return expired.ok ? ok("again") : expired;
    }
    return account.owner === null || caller === null
      ? refused(
          `It wants more scopes for this: ${scopes.join(" ")}. An administrator must authorize the router there again.`,
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
      // Explicitly configured scopes are final.
      if (account === null || server.oauth?.scope !== null) return ok("pass");
      if (error !== "insufficient_scope" || scopes === null) return ok("pass");
      const held = await current(account, sent);
      if (!held.ok) return held;
      if (held.value === null) return ok(isFirst ? "again" : "pass");
      const { row, grant } = held.value;
      const asked = new Set(grant?.scopes);
      const missing = scopes.filter((each) => !asked.has(each));
      // Bounded: a server that names new scopes each time would be called forever.
      const isOver = server.oauth.grant === "client_credentials" && !isFirst;
      // Scopes that were requested and not granted are not requested again.
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
