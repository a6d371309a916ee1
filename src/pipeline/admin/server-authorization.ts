/**
 * Lets a person authorize the router at a server for the tenant. The person is sent away, and comes back once
 * with the state.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import { needsAlways, olderServerHint } from "../../domain/servers/bridging.ts";
import { actorName, type Actor } from "../../domain/tenancy/access.ts";
import type { Oauth, OauthAsking, PendingAuthorization } from "../../domain/servers/oauth.ts";
import { err, ok } from "../../domain/result.ts";
import {
  eraCorrection,
  serverCheckOf,
  type Probed,
  type ServerCheck,
} from "../../domain/servers/server-check.ts";
import type {
  AuthorizationStore,
  TokenStore,
  UserTokenStore,
} from "../../domain/ports/server-stores.ts";
import { passedSentence } from "../../domain/servers/proxied-headers.ts";
import { markedState } from "../../domain/tenancy/shards.ts";
import {
  isPerUser,
  pendingOf,
  secretsOf,
  tokenOf,
  type SealedServer,
  type ServerSecrets,
} from "../../domain/servers/server.ts";
import { unopenable, type UpstreamHeaders } from "../upstream-headers.ts";
import { connectPath } from "../authorization-needed.ts";
import { findServer, type ServerAdminDeps } from "./servers.ts";

const stateLivesMs = 10 * 60_000;
const callbackPath = "/oauth/callback";

export interface AuthorizationStart {
  /** where a person's browser has to go */
  authorizationUrl: string;
  state: string;
  /** ms since the epoch */
  expiresAt: number;
}

/** Begun by a person for their own account. */
export interface PersonAuthorizationStart {
  authorizationUrl: string;
  /** what the person's browser has to bring back: nobody else may finish what the person began, or the reverse */
  browser: string;
  seconds: number;
}

export interface FinishedAuthorization {
  /** slug */
  server: string;
  /** where the person's browser goes on to; null: nowhere */
  returnTo: string | null;
  isAuthorized: boolean;
}

/** What is kept sealed while a person is away. `browser` and `returnTo` are those of a person's own account. */
interface KeptAuthorization extends PendingAuthorization {
  browser?: string;
  returnTo?: string | null;
}

/** Speaks MCP with a server, and gives what answered. */
export type Probe = (url: string, headers: Record<string, string>) => Promise<Probed>;

const addressUnknown =
  "The router doesn't know its own address, to which the person has to come back: set PUBLIC_URL.";

const otherBrowser = err({
  reason: "forbidden",
  action: "finishing what another browser began: begin again in this one",
} as const);
const ownAccounts = `Each person connects an account of their own, at ${connectPath} of the router.`;

const notAsked = { ok: false, status: null, era: null, name: null, tools: null };

export function createServerAuthorization(
  deps: ServerAdminDeps & {
    serverTokens: TokenStore;
    userTokens: Pick<UserTokenStore, "of">;
    authorizations: AuthorizationStore;
    oauth: Oauth;
    upstream: UpstreamHeaders;
    probe: Probe;
    /** 256 random bits */
    nonce: () => string;
    sha256Hex: (text: string) => Promise<string>;
    /** compares secrets in the same time, however much of them agrees */
    isSame: (one: string, other: string) => Promise<boolean>;
  },
) {
  const { authorizations, oauth, servers, upstream, vault } = deps;

  /** No person is sent away for an entry whose secret is sealed for other endpoints. */
  const askingOf = async (server: SealedServer): Promise<OauthAsking | "unopenable" | null> => {
    const { url, oauth: client, sealed } = server;
    if (client === null) return null;
    if (sealed === null)
      return client.hasSecret ? "unopenable" : { url, client, clientSecret: null };
    const plain = await vault.open(sealed, secretsOf(server));
    if (!plain.ok) return "unopenable";
    const { clientSecret } = JSON.parse(plain.value) as ServerSecrets;
    return { url, client, clientSecret };
  };

  /** Asks the authorization server where a person has to go, and remembers what was asked. */
  const send = async (
    server: SealedServer,
    asked: {
      origin: string;
      userId: string | null;
      kept: Pick<KeptAuthorization, "browser" | "returnTo">;
      actor: string;
    },
  ): AsyncResult<AuthorizationStart> => {
    const asking = await askingOf(server);
    if (asking === "unopenable") return err({ reason: "server_unauthorized", detail: unopenable });
    if (asking?.client.grant !== "authorization_code")
      return err({ reason: "conflict", detail: "Its grant is not authorization_code." });
    const { tenantId, id: serverId, slug } = server;
    const { userId, actor } = asked;
    const state = markedState(deps.nonce(), tenantId);
    const redirectUri = `${asked.origin}${callbackPath}`;
    const redirected = await oauth.begin(asking, { redirectUri, state });
    if (!redirected.ok)
      return err({ reason: "server_unauthorized", detail: `Can't begin: ${redirected.error}.` });
    const { authorizationUrl, pending } = redirected.value;
    const id = await deps.sha256Hex(state);
    const at = deps.now();
    const expiresAt = at + stateLivesMs;
    const sealed = await vault.seal(
      JSON.stringify({ ...pending, ...asked.kept }),
      pendingOf(server, { id, userId }),
    );
    const created = await authorizations.create(
      { id, tenantId, serverId, userId, actor, sealed, expiresAt },
      {
        id: deps.ids.next("event"),
        at,
        actor,
        action: "server.authorize",
        tenantId,
        target: serverId,
        detail: { slug, issuer: pending.issuer },
      },
    );
    return created.ok ? ok({ authorizationUrl, state, expiresAt }) : created;
  };

  return {
    async begin(
      actor: Actor,
      of: { tenant: string; server: string },
      /** the router's own origin; null: unknown, and a person with a code must not be sent to a guess */
      origin: string | null,
    ): AsyncResult<AuthorizationStart> {
      const found = await findServer(deps, actor, of);
      if (!found.ok) return found;
      const server = found.value;
      if (isPerUser(server)) return err({ reason: "conflict", detail: ownAccounts });
      if (origin === null) return err({ reason: "conflict", detail: addressUnknown });
      return send(server, { origin, userId: null, kept: {}, actor: actorName(actor) });
    },

    /** For a person who has shown who they are, in the browser that is to keep `browser`. */
    async beginForPerson(
      server: SealedServer,
      asked: { userId: string; origin: string; returnTo: string | null },
    ): AsyncResult<PersonAuthorizationStart> {
      const { userId, origin, returnTo } = asked;
      const browser = deps.nonce();
      const begun = await send(server, {
        origin,
        userId,
        kept: { browser, returnTo },
        actor: userId,
      });
      if (!begun.ok) return begun;
      const { authorizationUrl } = begun.value;
      return ok({ authorizationUrl, browser, seconds: stateLivesMs / 1_000 });
    },

    /**
     * `query`: as the person's browser brought it. No key comes with the request: the state is the proof, and for a
     * person's own account what the browser kept.
     */
    async finish(query: string, browser: string): AsyncResult<FinishedAuthorization> {
      const state = new URLSearchParams(query).get("state") ?? "";
      const id = await deps.sha256Hex(state);
      const taken = await authorizations.take(id, deps.now());
      if (!taken.ok) return taken;
      const unknown = err({ reason: "bad_request", detail: "Unknown or expired state." } as const);
      if (taken.value === null) return unknown;
      const { tenantId, serverId, userId, actor, sealed } = taken.value;
      const found = await servers.byId(tenantId, serverId);
      if (!found.ok) return found;
      const server = found.value;
      const asking = server === null ? null : await askingOf(server);
      if (server === null || asking === null || asking === "unopenable") return unknown;
      const opened = await vault.open(sealed, pendingOf(server, { id, userId }));
      if (!opened.ok) return unknown;
      const {
        browser: kept,
        returnTo = null,
        ...pending
      } = JSON.parse(opened.value) as KeptAuthorization;
      if (userId !== null && !(await deps.isSame(browser, kept ?? ""))) return otherBrowser;
      const granted = await oauth.finish(asking, { pending, state, query });
      // A person who refuses here has let a program in, which waits for them.
      if (!granted.ok)
        return returnTo === null
          ? err({ reason: "bad_request", detail: `Not authorized: ${granted.error}.` })
          : ok({ server: server.slug, returnTo, isAuthorized: false });
      const now = deps.now();
      const tokens = userId === null ? deps.serverTokens : deps.userTokens.of(userId);
      const stored = await tokens.replace(
        {
          tenantId,
          serverId,
          sealed: await vault.seal(JSON.stringify(granted.value), tokenOf(server, userId)),
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

    /** Whether there is an MCP server that accepts what the router sends. */
    async check(actor: Actor, of: { tenant: string; server: string }): AsyncResult<ServerCheck> {
      const found = await findServer(deps, actor, of);
      if (!found.ok) return found;
      const server = found.value;
      const headers = await upstream.headersFor(server, null);
      if (!headers.ok)
        return headers.error.reason === "server_unauthorized"
          ? ok({ ...notAsked, detail: headers.error.detail })
          : headers;
      const seen = serverCheckOf(await deps.probe(server.url, headers.value));
      const correction = eraCorrection(server.learnt, seen);
      const { tenantId, id } = server;
      const learnt = correction === null ? ok(null) : await servers.learn(tenantId, id, correction);
      if (!learnt.ok) return learnt;
      const hints = [
        seen.status !== null && correction === null && needsAlways(server) ? olderServerHint : null,
        passedSentence(server.passHeaders),
      ].filter((hint) => hint !== null);
      const check = { ...seen, detail: [seen.detail, ...hints].join(" ") };
      if (check.status === null) return ok(check);
      const marked =
        check.status === 401
          ? await upstream.onUnauthorized(server, { caller: null, sent: headers.value })
          : server.status === "failing"
            ? await upstream.onAuthorized(server)
            : ok(null);
      return marked.ok ? ok(check) : marked;
    },
  };
}
