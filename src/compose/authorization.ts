/** The built-in authorization server over all databases. */
import type { AuthorizationServer } from "../domain/ports/authorization-server.ts";
import { issuersOwn } from "../domain/ports/oauth-entries.ts";
import { lazily } from "../domain/lazily.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { mapped, ok } from "../domain/result.ts";
import type { Stores, Tenant } from "../domain/ports/stores.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Authenticate } from "../pipeline/callers/authenticate.ts";
import type { AuthMode } from "../domain/servers/server.ts";
import { homeDatabase, databaseOf } from "../domain/tenancy/database-names.ts";
import { createAuthorizationServer } from "../oauth/provider/server.ts";
import { createAccessTokens, type AccessTokens } from "../pipeline/callers/access-tokens.ts";
import { toBase64Url, toHex } from "../crypto/encoding.ts";
import { createChallenges, type Challenges } from "../pipeline/servers/challenges.ts";
import { createAssertions } from "../pipeline/people/consent/assertions.ts";
import type { ConsentDeps, ConsentDatabase } from "../pipeline/people/consent/consent-grants.ts";
import {
  createOauthConsents,
  type ClientPolicyOf,
  type OauthConsents,
} from "../pipeline/people/consent/oauth-consents.ts";
import type { KeyCodes } from "../pipeline/callers/key-codes.ts";
import {
  createPersonConnections,
  type ConnectDatabase,
  type PersonConnections,
} from "../pipeline/people/consent/person-connections.ts";
import type { PersonPages } from "../pipeline/people/consent/person-pages.ts";
import { createPeoplesPages } from "./person-pages.ts";
import { now, randomBytesOf, type Isolate } from "./isolate.ts";

const maxClients = 10_000;
const maxOpenConsents = 10_000;

interface DatabaseParts {
  stores: Pick<
    Stores,
    | "oauthEntries"
    | "placements"
    | "tenants"
    | "servers"
    | "events"
    | "userTokens"
    | "keys"
    | "users"
  >;
  keyCodes: Pick<KeyCodes, "isKnown">;
  ids: Ids;
  consenting: () => Pick<ConsentDatabase, "people" | "checks">;
  services: { admin: { authenticate: Authenticate } };
  admin: { authorizations: Pick<ConnectDatabase, "beginForPerson"> };
}

/** OAuth across databases. `null` without OAuth. */
export interface Authorization {
  authorizationServer: AuthorizationServer | null;
  consents: OauthConsents | null;
  accessTokens: AccessTokens;
  challenges: Challenges;
  connections: PersonConnections;
  people: PersonPages;
}

interface Deps {
  isolate: Isolate;
  databaseNamed: (name: string) => DatabaseParts | null;
}

function serverOf(deps: Deps): AuthorizationServer | null {
  const { isolate, databaseNamed } = deps;
  const { issuer, refreshGraceMs } = isolate.config.issuing;
  if (!issuer.ok) return null;
  const home = (): DatabaseParts => databaseNamed(homeDatabase) as DatabaseParts;
  const databaseOfTenant = (tenantId: string): DatabaseParts =>
    tenantId === issuersOwn ? home() : (databaseNamed(databaseOf(tenantId)) ?? home());
  return createAuthorizationServer({
    issuer: issuer.value,
    library: isolate.oauthLibrary,
    entriesOf: (tenantId) => databaseOfTenant(tenantId).stores.oauthEntries,
    now,
    graceMs: refreshGraceMs,
    maxClients,
    maxOpenConsents,
    assertions: createAssertions({
      databaseOfSlug: consentDatabaseOfSlug(deps),
      issuerKeys: isolate.issuerKeys,
      now,
    }),
    async stands(grant) {
      const { stores, ids, consenting } = databaseOfTenant(grant.tenantId);
      const stands = await consenting().checks.stands(grant);
      if (!stands.ok || stands.value) return stands;
      const { tenantId, keyId, grantId } = grant;
      const noted = await stores.events.append({
        id: ids.next("event"),
        at: now(),
        actor: "router",
        action: "oauth.end",
        tenantId,
        target: keyId,
        detail: { grant: grantId },
      });
      return noted.ok ? stands : noted;
    },
    async reused({ tenantId, keyId, grantId }) {
      const { stores, ids } = databaseOfTenant(tenantId);
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

async function databaseOfSlug({ databaseNamed }: Deps, slug: string): AsyncResult<DatabaseParts> {
  const home = databaseNamed(homeDatabase) as DatabaseParts;
  const placed = await home.stores.placements.bySlug(slug);
  if (!placed.ok) return placed;
  return ok((placed.value === null ? null : databaseNamed(placed.value.database)) ?? home);
}

async function tenantOf(
  deps: Deps,
  slug: string,
): AsyncResult<{ database: DatabaseParts; tenant: Tenant } | null> {
  const database = await databaseOfSlug(deps, slug);
  if (!database.ok) return database;
  const found = await database.value.stores.tenants.bySlug(slug);
  if (!found.ok) return found;
  return ok(found.value === null ? null : { database: database.value, tenant: found.value });
}

async function authModeOf(
  deps: Deps,
  { tenant, server }: { tenant: string; server: string },
): AsyncResult<AuthMode | null> {
  const found = await tenantOf(deps, tenant);
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const { stores } = found.value.database;
  const entry = await stores.servers.bySlug(found.value.tenant.id, server);
  return entry.ok ? ok(entry.value?.auth ?? null) : entry;
}

const clientPolicyOf =
  (deps: Deps): ClientPolicyOf =>
  (slug) =>
    mapped(tenantOf(deps, slug), (found) => found?.tenant.policy.oauthClients ?? null);

const consentDatabaseOf = ({
  services,
  stores,
  ids,
  consenting,
  admin,
}: DatabaseParts): ConsentDatabase => ({
  authenticate: services.admin.authenticate,
  events: stores.events,
  ids,
  ...consenting(),
  connections: {
    servers: stores.servers,
    userTokens: stores.userTokens,
    beginForPerson: (server, asked) => admin.authorizations.beginForPerson(server, asked),
  },
});

function connectDatabaseOf({ isolate, databaseNamed }: Deps, key: string): ConnectDatabase | null {
  const keyId = isolate.tokens.keyIdOf(key);
  const database = keyId === null ? null : databaseNamed(databaseOf(keyId));
  return database === null
    ? null
    : {
        authenticate: database.services.admin.authenticate,
        beginForPerson: (server, asked) =>
          database.admin.authorizations.beginForPerson(server, asked),
      };
}

const consentDatabaseOfSlug =
  (deps: Deps): ConsentDeps["databaseOfSlug"] =>
  (slug) =>
    mapped(databaseOfSlug(deps, slug), consentDatabaseOf);

export function createAuthorization(deps: Deps): Authorization {
  const { isolate, databaseNamed } = deps;
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
            databaseOfKey(key) {
              const keyId = isolate.tokens.keyIdOf(key);
              const database = keyId === null ? null : databaseNamed(databaseOf(keyId));
              return database === null ? null : consentDatabaseOf(database);
            },
            clientPolicyOf: clientPolicyOf(deps),
            databaseOfSlug: consentDatabaseOfSlug(deps),
            randomText: () => toBase64Url(randomBytesOf(32)),
            throttle: isolate.signInThrottle,
            now,
          });
    },
    connections: () =>
      createPersonConnections({
        databaseOfKey: (key) => connectDatabaseOf(deps, key),
        databaseOfSlug: consentDatabaseOfSlug(deps),
        throttle: isolate.signInThrottle,
      }),
    people: () =>
      createPeoplesPages(isolate, {
        databaseOfKey: (key) => {
          const keyId = isolate.tokens.keyIdOf(key);
          return keyId === null ? null : databaseNamed(databaseOf(keyId));
        },
        databaseOfSlug: (slug) => databaseOfSlug(deps, slug),
        databaseOfTenant: (tenantId) =>
          databaseNamed(databaseOf(tenantId)) ?? (databaseNamed(homeDatabase) as DatabaseParts),
        grants: () => parts.authorizationServer,
      }),
    challenges: () =>
      createChallenges({
        issuer: issuer.ok ? issuer.value : null,
        authModeOf: (place) =>
          isolate.authModes(`${place.tenant}/${place.server}`, () => authModeOf(deps, place)),
      }),
  });
  return parts;
}
