import type { ServerStore, UserTokenStore } from "../../../domain/ports/server-stores.ts";
import { explain } from "../../../domain/refusal-messages.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { isPerUser, type SealedServer } from "../../../domain/servers/server.ts";
import type { OauthResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { AccountOwner } from "../../../domain/tenancy/user.ts";
import type { PersonAuthorizationStart } from "../../admin/servers/server-authorization.ts";
import { refuseUnknown, type Authenticate } from "../../callers/authenticate.ts";
import type { ConsentPeople } from "../consent-people.ts";
import type { SignInThrottle } from "../sign-in-throttle.ts";

export interface ConnectDatabase {
  authenticate: Authenticate;
  beginForPerson: (
    server: SealedServer,
    asked: { owner: AccountOwner; ownUrl: string; returnTo: string | null },
  ) => AsyncResult<PersonAuthorizationStart>;
}

/** The browser keeps `browser` and goes to the server's authorization server. */
export interface ProviderRedirect {
  kind: "provider";
  server: string;
  url: string;
  browser: string;
  seconds: number;
}

export type Connecting = ProviderRedirect | { kind: "again"; detail: string };

export interface PersonConnections {
  byKey(given: {
    tenant: string;
    server: string;
    key: string;
    address: string;
    ownUrl: string;
  }): AsyncResult<Connecting>;
}

export const noPersonsKey =
  "This key belongs to no person. Ask the router's operator for your own key, or let your client sign you in.";

export const nothingToConnect =
  "There is nothing to connect: the server knows the tenant, and no person.";

export async function redirectToProvider(
  { beginForPerson }: Pick<ConnectDatabase, "beginForPerson">,
  server: SealedServer,
  asked: { owner: AccountOwner; ownUrl: string; returnTo: string | null },
): AsyncResult<ProviderRedirect> {
  const begun = await beginForPerson(server, asked);
  if (!begun.ok) return begun;
  const { authorizationUrl: url, browser, seconds } = begun.value;
  return ok({ kind: "provider", server: server.slug, url, browser, seconds });
}

export interface ConnectionDeps extends Pick<ConnectDatabase, "beginForPerson"> {
  servers: Pick<ServerStore, "bySlug">;
  userTokens: Pick<UserTokenStore, "of">;
}

/**
 * `null` if no account is needed, it is connected, or its authorization server is unreachable, which a later
 * call reports.
 */
export async function firstConnection(
  deps: ConnectionDeps,
  asked: {
    tenantId: string;
    resource: OauthResource;
    owner: AccountOwner | null;
    ownUrl: string;
    returnTo: string;
  },
): Promise<ProviderRedirect | null> {
  const { tenantId, resource, owner, ownUrl, returnTo } = asked;
  if (resource.kind !== "server" || owner === null) return null;
  const server = await deps.servers.bySlug(tenantId, resource.server);
  if (!server.ok || server.value === null || !isPerUser(server.value)) return null;
  const known = await deps.userTokens.of(owner).get(tenantId, server.value.id);
  // Reconnects if the last refresh was refused.
  const isConnected = known.ok && known.value !== null && known.value.sealed !== null;
  if (!known.ok || (isConnected && known.value?.fault === null)) return null;
  const redirect = await redirectToProvider(deps, server.value, { owner, ownUrl, returnTo });
  return redirect.ok ? redirect.value : null;
}

export const createPersonConnections = (deps: {
  databaseOfKey: (key: string) => ConnectDatabase | null;
  databaseOfSlug: (slug: string) => AsyncResult<{ people: Pick<ConsentPeople, "noteKeyAttempt"> }>;
  throttle: SignInThrottle;
}): PersonConnections => ({
  async byKey({ tenant, server: slug, key, address, ownUrl }) {
    const again = (detail: string) => ok({ kind: "again", detail } as const);
    const attempt = deps.throttle.begin({ address, subject: `connect ${tenant}` });
    if (!attempt.ok) return again(explain(attempt.error));
    const database = deps.databaseOfKey(key);
    const through = { tenant, server: slug };
    const claim = { token: key, sessionId: null, scope: "proxy", through } as const;
    const found = await (database?.authenticate ?? refuseUnknown)(claim, "database");
    if (!found.ok) {
      const page = await deps.databaseOfSlug(tenant);
      if (!page.ok) {
        attempt.value.failedBy(page);
        return page;
      }
      await page.value.people.noteKeyAttempt(tenant, { address, outcome: found }, attempt.value);
      return again(explain(found.error));
    }
    attempt.value.succeeded();
    const { server, account } = found.value;
    if (server === null || !isPerUser(server)) return again(nothingToConnect);
    return account === undefined || database === null
      ? again(noPersonsKey)
      : redirectToProvider(database, server, { owner: account, ownUrl, returnTo: null });
  },
});
