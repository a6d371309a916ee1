/** The library, set up for the one resource that a request names. */
import type { AuthorizationServer as Provider, Library, Env } from "#oauth-provider";
import type { OauthEntryStore } from "../../domain/ports/oauth-entries.ts";
import { resourceAt } from "../../domain/tenancy/oauth-resources.ts";
import type { AssertionRules } from "../../domain/ports/authorization-server.ts";
import { libraryRulesOf } from "./assertions.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { HeldGrant } from "../../domain/tenancy/grant-ids.ts";
import { createStorage, type Lens } from "./storage.ts";

export const daySeconds = 86_400;
export const endpoints = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
} as const;

export interface ProviderDeps {
  /** an origin */
  issuer: string;
  library: () => Library;
  entriesOf: (tenantId: string) => OauthEntryStore;
  now: () => number;
  /** ms for which a replaced refresh token still answers */
  graceMs: number;
  /** clients that may be registered in all */
  mostClients: number;
  /** consents that may stand open in all */
  mostOpenConsents: number;
  /** for which a request makes or renews the client's registration; absent: it does neither */
  registrationSeconds?: number;
  /** absent: no identity assertion counts */
  assertions?: AssertionRules;
  /** Whether the person may still come, as the identity provider says; absent: nobody is asked. */
  stands?: (grant: HeldGrant) => AsyncResult<boolean>;
  /** Told of a refresh token that was copied. The family is revoked by then. */
  reused: (of: { tenantId: string; keyId: string; grantId: string }) => Promise<void>;
}

const accessTokenSeconds = 3_600;
const grantSeconds = 30 * daySeconds;
/** Until a program has its first token. Anybody can register, so this is all that costs nothing. */
export const unusedRegistrationSeconds = 3_600;
/** From a token on. The library renews a registration half of this later, with another token. */
export const usedRegistrationSeconds = 90 * daySeconds;

/** A path of a resource that nobody has: for requests that name none, such as registrations. */
const noResource = "/mcp/none/none";

export function providerFor(
  { issuer, library, assertions, registrationSeconds }: ProviderDeps,
  /** a resource's path; null: the request names none */
  path: string | null,
): Provider {
  const { OAuthAuthorizationServer } = library();
  return new OAuthAuthorizationServer({
    issuer,
    resources: [`${issuer}${path ?? noResource}`],
    authorizeEndpoint: `${issuer}${endpoints.authorize}`,
    tokenEndpoint: `${issuer}${endpoints.token}`,
    clientRegistrationEndpoint: `${issuer}${endpoints.register}`,
    clientRegistrationTTL: registrationSeconds,
    scopesSupported: ["proxy", "sampling", "models", "offline_access"],
    clientIdMetadataDocumentEnabled: true,
    accessTokenTTL: accessTokenSeconds,
    refreshTokenTTL: grantSeconds,
    cookiePrefix: "__Host-sr-oauth-",
    onError: () => {},
    ...(assertions !== undefined && {
      enterpriseManagedAuthorization: libraryRulesOf(
        assertions,
        path === null ? null : resourceAt(path),
      ),
    }),
  });
}

export const envOf = ({ entriesOf, now }: ProviderDeps, lens?: Lens): Env => ({
  OAUTH_KV: createStorage({ entriesOf, now, ...(lens !== undefined && { lens }) }),
});

/** The request at the router's public address, whatever address its `Host` names. */
export function atIssuer(
  { issuer }: Pick<ProviderDeps, "issuer">,
  request: Request,
  body?: string,
): Request {
  const { pathname, search } = new URL(request.url);
  return new Request(`${issuer}${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    ...(body !== undefined && { body }),
  });
}
