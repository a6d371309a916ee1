/**
 * Lets a person authorize the router at a server for the tenant. The person is sent away, and comes back once
 * with the state.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import { needsAlways, olderServerHint } from "../../domain/servers/bridging.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { Oauth, OauthAsking, PendingAuthorization } from "../../domain/servers/oauth.ts";
import { err, ok } from "../../domain/result.ts";
import {
  eraCorrection,
  serverCheckOf,
  type Probed,
  type ServerCheck,
} from "../../domain/servers/server-check.ts";
import type { AuthorizationStore, TokenStore } from "../../domain/ports/server-stores.ts";
import { passedSentence } from "../../domain/servers/proxied-headers.ts";
import { markedState } from "../../domain/tenancy/shards.ts";
import {
  pendingOf,
  secretsOf,
  tokenOf,
  type SealedServer,
  type ServerSecrets,
} from "../../domain/servers/server.ts";
import { unopenable, type UpstreamHeaders } from "../upstream-headers.ts";
import { eventOf } from "./access.ts";
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

/** Speaks MCP with a server, and gives what answered. */
export type Probe = (url: string, headers: Record<string, string>) => Promise<Probed>;

const addressUnknown =
  "The router doesn't know its own address, to which the person has to come back: set PUBLIC_URL.";

const notAsked = { ok: false, status: null, era: null, name: null, tools: null };

export function createServerAuthorization(
  deps: ServerAdminDeps & {
    serverTokens: TokenStore;
    authorizations: AuthorizationStore;
    oauth: Oauth;
    upstream: UpstreamHeaders;
    probe: Probe;
    /** 256 random bits */
    nonce: () => string;
    sha256Hex: (text: string) => Promise<string>;
  },
) {
  const { authorizations, oauth, servers, serverTokens, upstream, vault } = deps;

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
      const asking = await askingOf(server);
      if (asking === "unopenable")
        return err({ reason: "server_unauthorized", detail: unopenable });
      if (asking?.client.grant !== "authorization_code")
        return err({ reason: "conflict", detail: "Its grant is not authorization_code." });
      if (origin === null) return err({ reason: "conflict", detail: addressUnknown });
      const state = markedState(deps.nonce(), server.tenantId);
      const redirected = await oauth.begin(asking, {
        redirectUri: `${origin}${callbackPath}`,
        state,
      });
      if (!redirected.ok)
        return err({ reason: "server_unauthorized", detail: `Can't begin: ${redirected.error}.` });
      const { authorizationUrl, pending } = redirected.value;
      const id = await deps.sha256Hex(state);
      const expiresAt = deps.now() + stateLivesMs;
      const event = eventOf(deps, actor, {
        action: "server.authorize",
        tenantId: server.tenantId,
        target: server.id,
        detail: { slug: server.slug, issuer: pending.issuer },
      });
      const created = await authorizations.create(
        {
          id,
          tenantId: server.tenantId,
          serverId: server.id,
          actor: event.actor,
          sealed: await vault.seal(JSON.stringify(pending), pendingOf(server, id)),
          expiresAt,
        },
        event,
      );
      return created.ok ? ok({ authorizationUrl, state, expiresAt }) : created;
    },

    /** `query`: as the person's browser brought it. No key comes with the request: the state is the proof. */
    async finish(query: string): AsyncResult<{ server: string }> {
      const state = new URLSearchParams(query).get("state") ?? "";
      const id = await deps.sha256Hex(state);
      const taken = await authorizations.take(id, deps.now());
      if (!taken.ok) return taken;
      const unknown = err({ reason: "bad_request", detail: "Unknown or expired state." } as const);
      if (taken.value === null) return unknown;
      const { tenantId, serverId, actor, sealed } = taken.value;
      const found = await servers.byId(tenantId, serverId);
      if (!found.ok) return found;
      const server = found.value;
      const asking = server === null ? null : await askingOf(server);
      if (server === null || asking === null || asking === "unopenable") return unknown;
      const opened = await vault.open(sealed, pendingOf(server, id));
      if (!opened.ok) return unknown;
      const pending = JSON.parse(opened.value) as PendingAuthorization;
      const granted = await oauth.finish(asking, { pending, state, query });
      if (!granted.ok)
        return err({ reason: "bad_request", detail: `Not authorized: ${granted.error}.` });
      const now = deps.now();
      const stored = await serverTokens.replace(
        {
          tenantId,
          serverId,
          sealed: await vault.seal(JSON.stringify(granted.value), tokenOf(server)),
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
      return stored.ok ? ok({ server: server.slug }) : stored;
    },

    /** Whether there is an MCP server that accepts what the router sends. */
    async check(actor: Actor, of: { tenant: string; server: string }): AsyncResult<ServerCheck> {
      const found = await findServer(deps, actor, of);
      if (!found.ok) return found;
      const server = found.value;
      const headers = await upstream.headersFor(server);
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
        correction === null && needsAlways(server) ? olderServerHint : null,
        passedSentence(server.passHeaders),
      ].filter((hint) => hint !== null);
      const check = { ...seen, detail: [seen.detail, ...hints].join(" ") };
      if (check.status === null) return ok(check);
      const marked =
        check.status === 401
          ? await upstream.onUnauthorized(server, headers.value)
          : server.status === "failing"
            ? await upstream.onAuthorized(server)
            : ok(null);
      return marked.ok ? ok(check) : marked;
    },
  };
}
