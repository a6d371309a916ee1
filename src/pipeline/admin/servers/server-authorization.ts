/** The browser goes to the authorization server and returns once with the state. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { actorName, type Actor } from "../../../domain/tenancy/access.ts";
import { callbackPath, clientDescriptionPath } from "../../../domain/servers/client-description.ts";
import { explainOauthFault } from "../../../domain/servers/oauth-messages.ts";
import type {
  BegunAuthorization,
  Oauth,
  OauthContext,
  PendingAuthorization,
} from "../../../domain/servers/oauth.ts";
import { err, ok } from "../../../domain/result.ts";
import type {
  AuthorizationStore,
  TokenStore,
  UserTokenStore,
} from "../../../domain/ports/server-stores.ts";
import { markedState } from "../../../domain/tenancy/database-names.ts";
import {
  isPerUser,
  pendingOf,
  oauthContextFor,
  tokenOf,
  type SealedServer,
} from "../../../domain/servers/server.ts";
import { unopenable } from "../../servers/upstream-headers.ts";
import { learnIssuer, unlearnScopes } from "../../servers/server-accounts.ts";
import { createServerSecrets } from "../../servers/server-secrets.ts";
import { connectPath } from "../../servers/authorization-needed.ts";
import type { AccountOwner } from "../../../domain/tenancy/user.ts";
import { findServer, type ServerAdminDeps } from "./servers.ts";

const stateLivesMs = 10 * 60_000;

export interface AuthorizationStart {
  authorizationUrl: string;
  state: string;
  expiresAt: number;
}

export interface PersonAuthorizationStart {
  authorizationUrl: string;
  /** must come back from the same browser, so that no other person can start or finish the flow */
  browser: string;
  seconds: number;
}

export interface FinishedAuthorization {
  server: string;
  returnTo: string | null;
  isAuthorized: boolean;
}

interface KeptAuthorization extends PendingAuthorization {
  browser?: string;
  returnTo?: string | null;
}

const addressUnknown =
  "The router doesn't know its own address, to which the person has to come back: set PUBLIC_URL.";

const otherBrowser = err({
  reason: "forbidden",
  action: "finishing what another browser began: begin again in this one",
} as const);
const ownAccounts = `Each person connects an account of their own, at ${connectPath} of the router.`;

export function createServerAuthorization(
  deps: ServerAdminDeps & {
    serverTokens: TokenStore;
    userTokens: Pick<UserTokenStore, "of">;
    authorizations: AuthorizationStore;
    oauth: Oauth;
    nonce: () => string;
    sha256Hex: (text: string) => Promise<string>;
    isSame: (one: string, other: string) => Promise<boolean>;
  },
) {
  const { authorizations, oauth, servers, vault } = deps;
  const secrets = createServerSecrets(deps);

  /** Rejects entries whose secret is sealed for other endpoints. */
  const askingOf = async (server: SealedServer): Promise<OauthContext | "unopenable" | null> => {
    const { oauth: client, sealed } = server;
    if (client === null) return null;
    if (sealed === null && client.hasSecret) return "unopenable";
    const known = await secrets.open(server);
    return known === null ? "unopenable" : oauthContextFor(server, client, known);
  };

  const remember = async (
    server: SealedServer,
    { pending: { issuer }, registration }: BegunAuthorization,
  ): AsyncResult<null> => {
    const learned = await learnIssuer(deps, server, issuer);
    return !learned.ok || registration === null
      ? learned
      : secrets.keepRegistration(server, registration);
  };

  const send = async (
    server: SealedServer,
    asked: {
      ownUrl: string;
      owner: AccountOwner | null;
      kept: Pick<KeptAuthorization, "browser" | "returnTo">;
      actor: string;
    },
  ): AsyncResult<AuthorizationStart> => {
    const asking = await askingOf(server);
    if (asking === "unopenable") return err({ reason: "server_unauthorized", detail: unopenable });
    if (asking?.client.grant !== "authorization_code")
      return err({ reason: "conflict", detail: "Its grant is not authorization_code." });
    const { tenantId, id: serverId, slug } = server;
    const { owner, actor } = asked;
    const state = markedState(deps.nonce(), tenantId);
    const redirectUri = `${asked.ownUrl}${callbackPath}`;
    const redirected = await oauth.begin(asking, {
      redirectUri,
      state,
      // Plain HTTP is acceptable on this machine only.
      describedAt: asked.ownUrl.startsWith("https:")
        ? `${asked.ownUrl}${clientDescriptionPath}`
        : null,
    });
    if (!redirected.ok)
      return err({ reason: "server_unauthorized", detail: explainOauthFault(redirected.error) });
    const { authorizationUrl, pending, registration } = redirected.value;
    const kept = await remember(server, redirected.value);
    if (!kept.ok) return kept;
    const id = await deps.sha256Hex(state);
    const at = deps.now();
    const expiresAt = at + stateLivesMs;
    const sealed = await vault.seal(
      JSON.stringify({ ...pending, ...asked.kept }),
      pendingOf(server, { id, owner, expiresAt }),
    );
    const created = await authorizations.create(
      { id, tenantId, serverId, owner, actor, sealed, expiresAt },
      {
        id: deps.ids.next("event"),
        at,
        actor,
        action: "server.authorize",
        tenantId,
        target: serverId,
        detail: {
          slug,
          issuer: pending.issuer,
          ...(registration !== null && { registered: registration.clientId }),
        },
      },
    );
    return created.ok ? ok({ authorizationUrl, state, expiresAt }) : created;
  };

  return {
    async begin(
      actor: Actor,
      of: { tenant: string; server: string },
      /** `null` if unknown: a code must not be sent to a guessed address */
      ownUrl: string | null,
    ): AsyncResult<AuthorizationStart> {
      const found = await findServer(deps, actor, of);
      if (!found.ok) return found;
      const server = found.value;
      if (isPerUser(server)) return err({ reason: "conflict", detail: ownAccounts });
      if (ownUrl === null) return err({ reason: "conflict", detail: addressUnknown });
      return send(server, { ownUrl, owner: null, kept: {}, actor: actorName(actor) });
    },

    /** For an authenticated person, in the browser that keeps `browser`. */
    async beginForPerson(
      server: SealedServer,
      asked: { owner: AccountOwner; ownUrl: string; returnTo: string | null },
    ): AsyncResult<PersonAuthorizationStart> {
      const { owner, ownUrl, returnTo } = asked;
      const browser = deps.nonce();
      const begun = await send(server, {
        ownUrl,
        owner,
        kept: { browser, returnTo },
        actor: owner.userId,
      });
      if (!begun.ok) return begun;
      const { authorizationUrl } = begun.value;
      return ok({ authorizationUrl, browser, seconds: stateLivesMs / 1_000 });
    },

    /**
     * `query` comes without a key: the state is the proof, and for a person's own account also the browser's
     * value.
     */
    async finish(query: string, browser: string): AsyncResult<FinishedAuthorization> {
      const state = new URLSearchParams(query).get("state") ?? "";
      const id = await deps.sha256Hex(state);
      const taken = await authorizations.take(id, deps.now());
      if (!taken.ok) return taken;
      const unknown = err({ reason: "bad_request", detail: "Unknown or expired state." } as const);
      if (taken.value === null) return unknown;
      const { tenantId, serverId, owner, actor, sealed } = taken.value;
      const found = await servers.byId(tenantId, serverId);
      if (!found.ok) return found;
      const server = found.value;
      const asking = server === null ? null : await askingOf(server);
      if (server === null || asking === null || asking === "unopenable") return unknown;
      const opened = await vault.open(sealed, pendingOf(server, taken.value));
      if (!opened.ok) return unknown;
      const {
        browser: kept,
        returnTo = null,
        ...pending
      } = JSON.parse(opened.value) as KeptAuthorization;
      if (owner !== null && !(await deps.isSame(browser, kept ?? ""))) return otherBrowser;
      const granted = await oauth.finish(asking, { pending, state, query });
      // The authorization server dropped the registration: the next flow registers again.
      if (!granted.ok && granted.error === "invalid_client" && pending.registered !== undefined)
        await secrets.keepRegistration(server, null);
      const unlearned = granted.ok ? ok(null) : await unlearnScopes(deps, server, granted.error);
      if (!unlearned.ok) return unlearned;
      // A refusal still returns to the waiting program, which was already authorized.
      if (!granted.ok)
        return returnTo === null
          ? err({ reason: "bad_request", detail: explainOauthFault(granted.error) })
          : ok({ server: server.slug, returnTo, isAuthorized: false });
      const now = deps.now();
      const tokens = owner === null ? deps.serverTokens : deps.userTokens.of(owner);
      const stored = await tokens.replace(
        {
          tenantId,
          serverId,
          sealed: await vault.seal(JSON.stringify(granted.value), tokenOf(server, owner)),
          generation: deps.nonce(),
          expiresAt: granted.value.expiresAt,
          leaseUntil: 0,
          fault: null,
        },
        {
          now,
          event: {
            id: deps.ids.next("event"),
            at: now,
            actor,
            action: "server.authorized",
            tenantId,
            target: serverId,
            detail: { slug: server.slug, issuer: pending.issuer },
          },
        },
      );
      return stored.ok ? ok({ server: server.slug, returnTo, isAuthorized: true }) : stored;
    },
  };
}
