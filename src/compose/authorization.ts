/** The router as an authorization server, over all databases. */
import type { AuthorizationServer } from "../domain/ports/authorization-server.ts";
import { issuersOwn } from "../domain/ports/oauth-entries.ts";
import { lazily } from "../domain/lazily.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok } from "../domain/result.ts";
import type { Stores } from "../domain/ports/stores.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Authenticate } from "../pipeline/authenticate.ts";
import type { AuthMode } from "../domain/servers/server.ts";
import { homeShard, shardOf } from "../domain/tenancy/shards.ts";
import { createAuthorizationServer } from "../oauth/provider/server.ts";
import { createAccessTokens, type AccessTokens } from "../pipeline/access-tokens.ts";
import { toHex } from "../crypto/encoding.ts";
import { createChallenges, type Challenges } from "../pipeline/challenges.ts";
import { createOauthConsents, type OauthConsents } from "../pipeline/oauth-consents.ts";
import { now, type Isolate } from "./isolate.ts";

const mostClients = 10_000;
const mostOpenConsents = 10_000;

/** What of a shard is asked here. */
interface Shard {
  stores: Pick<Stores, "oauthEntries" | "placements" | "tenants" | "servers" | "events">;
  ids: Ids;
  services: { admin: { authenticate: Authenticate } };
}

/** What of OAuth no single shard can do. `null`: OAuth is off. */
export interface Authorization {
  authorizationServer: AuthorizationServer | null;
  consents: OauthConsents | null;
  accessTokens: AccessTokens;
  challenges: Challenges;
}

interface Deps {
  isolate: Isolate;
  /** null: there is no shard of that name */
  shardNamed: (name: string) => Shard | null;
}

function serverOf({ isolate, shardNamed }: Deps): AuthorizationServer | null {
  const { issuer, refreshGraceMs } = isolate.config.issuing;
  if (!issuer.ok) return null;
  const home = (): Shard => shardNamed(homeShard) as Shard;
  const shardOfTenant = (tenantId: string): Shard =>
    tenantId === issuersOwn ? home() : (shardNamed(shardOf(tenantId)) ?? home());
  return createAuthorizationServer({
    issuer: issuer.value,
    library: isolate.oauthLibrary,
    entriesOf: (tenantId) => shardOfTenant(tenantId).stores.oauthEntries,
    now,
    graceMs: refreshGraceMs,
    mostClients,
    mostOpenConsents,
    async reused({ tenantId, keyId, grantId }) {
      const { stores, ids } = shardOfTenant(tenantId);
      isolate.host.log({ event: "oauth.reuse", tenantId, keyId });
      await stores.events.append({
        id: ids.next("event"),
        at: now(),
        actor: "unknown",
        action: "oauth.reuse",
        tenantId,
        target: keyId,
        detail: { grant: grantId },
      });
    },
  });
}

/** A slug's tenant is found as a person's sign-in finds it. */
async function authModeOf(
  { shardNamed }: Deps,
  { tenant, server }: { tenant: string; server: string },
): AsyncResult<AuthMode | null> {
  const home = shardNamed(homeShard) as Shard;
  const placed = await home.stores.placements.bySlug(tenant);
  if (!placed.ok) return placed;
  const { stores } = (placed.value === null ? null : shardNamed(placed.value.shard)) ?? home;
  const found = await stores.tenants.bySlug(tenant);
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const entry = await stores.servers.bySlug(found.value.id, server);
  return entry.ok ? ok(entry.value?.auth ?? null) : entry;
}

export function createAuthorization(deps: Deps): Authorization {
  const { isolate, shardNamed } = deps;
  const { issuer } = isolate.config.issuing;
  const parts: Authorization = lazily<Authorization>({
    authorizationServer: () => serverOf(deps),
    accessTokens: () =>
      createAccessTokens({
        server: () => parts.authorizationServer,
        sha256Hex: async (text) => toHex(await isolate.sha256(text)),
        memory: isolate.tokenMemory,
        now,
      }),
    consents() {
      const server = parts.authorizationServer;
      return server === null
        ? null
        : createOauthConsents({
            server,
            shardOfKey(key) {
              const keyId = isolate.tokens.keyIdOf(key);
              const shard = keyId === null ? null : shardNamed(shardOf(keyId));
              return shard === null
                ? null
                : {
                    authenticate: shard.services.admin.authenticate,
                    events: shard.stores.events,
                    ids: shard.ids,
                  };
            },
            throttle: isolate.signInThrottle,
            now,
          });
    },
    challenges: () =>
      createChallenges({
        issuer: issuer.ok ? issuer.value : null,
        authModeOf: (place) =>
          isolate.authModes(`${place.tenant}/${place.server}`, () => authModeOf(deps, place)),
      }),
  });
  return parts;
}
