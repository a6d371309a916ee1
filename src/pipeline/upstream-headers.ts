/**
 * What the proxy adds to a request to a registered server: its static headers, and a bearer token. What
 * comes back from here goes to that server and nowhere else; no part of it is logged or recorded.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import { clockSlackMs } from "../domain/clocks.ts";
import type { AdminEvent } from "../domain/admin-event.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Oauth, OauthGrant } from "../domain/servers/oauth.ts";
import type { Vault } from "../domain/ports/stores.ts";
import { err, ok } from "../domain/result.ts";
import type { ServerStore, ServerTokens, TokenStore } from "../domain/ports/server-stores.ts";
import {
  secretsOf,
  tokenOf,
  type SealedServer,
  type ServerSecrets,
} from "../domain/servers/server.ts";

/** A token is renewed this long before it ends: a request on its way must still find it good. */
const aheadMs = 60_000;
/** Longer than every try of one asking together, so that one asks at a time. */
const leaseMs = 45_000;
/** After a refusal, nobody asks for this long. */
const afterRefusalMs = 30_000;
const afterSilenceMs = 2_000;
const pollMs = 200;
/** How long a call without any token waits for the one that another is asking for. */
const patienceMs = 10_000;
/** A refresh token that was spent must not be lost: its successor is stored in one of these tries. */
const saveTries = 4;
const saveWaitMs = 250;

export interface UpstreamHeaders {
  /** Static headers, then the token. `server_unauthorized` when there is none to be had. */
  headersFor(server: SealedServer): AsyncResult<Record<string, string>>;
  /**
   * The server answered 401. Its access token is forgotten (if it is the one that was `sent`) and the
   * server marked failing: one event, until `onAuthorized`.
   */
  onUnauthorized(server: SealedServer, sent?: Record<string, string>): AsyncResult<null>;
  /** It answered something else than 401: call it when the entry says `failing`. */
  onAuthorized(server: SealedServer): AsyncResult<null>;
}

/** Which of the causes it is, the router can't tell: it only sees that the seal does not open. */
export const unopenable =
  "Its sealed secrets can't be opened: its URL or endpoints were changed outside of the API, or MASTER_KEY is another. Send headers and oauth anew.";

const refused = (detail: string) => err({ reason: "server_unauthorized", detail } as const);

export function createUpstreamHeaders(deps: {
  servers: ServerStore;
  serverTokens: TokenStore;
  vault: Vault;
  oauth: Oauth;
  ids: Ids;
  nonce: () => string;
  now: () => number;
  /** ms, never set back */
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
}): UpstreamHeaders {
  const { servers, serverTokens, vault, oauth, now, elapsed, wait } = deps;

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
  const grantIn = async (
    server: SealedServer,
    row: ServerTokens | null,
  ): Promise<OauthGrant | null> => {
    if (row === null || row.sealed === null) return null;
    const plain = await vault.open(row.sealed, tokenOf(server));
    return plain.ok ? (JSON.parse(plain.value) as OauthGrant) : null;
  };

  /** What the authorization server has to say, by the entry's grant. */
  const ask = (server: SealedServer, clientSecret: string | null, held: OauthGrant | null) => {
    const client = server.oauth;
    if (client === null) return err("not_allowed" as const);
    const asking = { url: server.url, client, clientSecret };
    if (client.grant === "client_credentials") return oauth.byClientCredentials(asking);
    return held === null || held.refreshToken === null
      ? err("no_refresh_token" as const)
      : oauth.refresh(asking, held);
  };

  /** Alone with the lease: asks, and stores what came before anybody uses it. */
  async function renew(
    server: SealedServer,
    clientSecret: string | null,
    row: ServerTokens,
  ): AsyncResult<OauthGrant | null> {
    const its = [server.tenantId, server.id] as const;
    const asked = await ask(server, clientSecret, await grantIn(server, row));
    if (!asked.ok) {
      const failed = await serverTokens.fail(...its, {
        from: row.generation,
        fault: asked.error,
        leaseUntil: now() + (asked.error === "unreachable" ? afterSilenceMs : afterRefusalMs),
      });
      if (!failed.ok) return failed;
      // Somebody else may have got one meanwhile, and then it was that which spoiled this asking.
      const current = await serverTokens.get(...its);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await grantIn(server, current.value));
      // Out of reach is not refused: the entry may be right.
      const marked =
        asked.error === "unreachable" ? ok(null) : await markFailing(server, asked.error);
      return marked.ok ? ok(null) : marked;
    }
    const sealed = await vault.seal(JSON.stringify(asked.value), tokenOf(server));
    const about = {
      from: row.generation,
      generation: deps.nonce(),
      sealed,
      expiresAt: asked.value.expiresAt,
    };
    for (let tries = 1; ; tries += 1) {
      const saved = await serverTokens.save(...its, about);
      // Not saved: a newer one stands there, or the server is gone. This one is as good for this call.
      if (saved.ok) return ok(asked.value);
      if (tries >= saveTries) return saved;
      await wait(saveWaitMs * tries);
    }
  }

  async function grantFor(
    server: SealedServer,
    clientSecret: string | null,
  ): AsyncResult<OauthGrant | null> {
    const its = [server.tenantId, server.id] as const;
    const until = elapsed() + patienceMs;
    for (;;) {
      const read = await serverTokens.get(...its);
      if (!read.ok) return read;
      const row = read.value;
      const held = await grantIn(server, row);
      const left =
        row?.expiresAt === null ? Number.POSITIVE_INFINITY : (row?.expiresAt ?? 0) - now();
      if (held !== null && left > aheadMs) return ok(held);
      const claimed = await serverTokens.claim(...its, {
        from: row === null ? null : row.generation,
        lease: deps.nonce(),
        now: now(),
        leaseUntil: now() + leaseMs,
      });
      if (!claimed.ok) return claimed;
      if (claimed.value !== null) {
        const renewed = await renew(server, clientSecret, claimed.value);
        // What is still good is used, whatever the authorization server says of another.
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

  return {
    async headersFor(server) {
      const secrets = await secretsIn(server);
      if (secrets === null) {
        const marked = await markFailing(server, "unopenable");
        return marked.ok ? refused(unopenable) : marked;
      }
      if (server.oauth === null) return ok(secrets.headers);
      const grant = await grantFor(server, secrets.clientSecret);
      if (!grant.ok) return grant;
      return grant.value === null
        ? refused("Its authorization server gives no token.")
        : ok({ ...secrets.headers, Authorization: `Bearer ${grant.value.accessToken}` });
    },

    async onUnauthorized(server, sent) {
      if (server.oauth !== null) {
        const read = await serverTokens.get(server.tenantId, server.id);
        if (!read.ok) return read;
        const held = await grantIn(server, read.value);
        const isCurrent =
          sent === undefined || sent["Authorization"] === `Bearer ${held?.accessToken}`;
        if (read.value !== null && isCurrent) {
          const { generation } = read.value;
          const expired = await serverTokens.expire(server.tenantId, server.id, generation);
          if (!expired.ok) return expired;
        }
      }
      return markFailing(server, "401");
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
