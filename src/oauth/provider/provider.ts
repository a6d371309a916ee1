/** Configures the library for the resource of a request. */
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
  /** ms for which a replaced refresh token works */
  graceMs: number;
  maxClients: number;
  maxOpenConsents: number;
  /** lifetime to set on the client's registration */
  registrationSeconds?: number;
  assertions?: AssertionRules;
  stands?: (grant: HeldGrant) => AsyncResult<boolean>;
  /** A refresh token was reused; its family is already revoked. */
  reused: (of: { tenantId: string; keyId: string; grantId: string }) => Promise<void>;
}

const accessTokenSeconds = 3_600;
const grantSeconds = 30 * daySeconds;
/** Until the first token. Registration is open, so it must stay cheap. */
export const unusedRegistrationSeconds = 3_600;
/** From the first token on. The library renews it after half of this. */
export const usedRegistrationSeconds = 90 * daySeconds;

/** For requests without a resource, such as registrations. */
const noResource = "/mcp/none/none";

export function providerFor(
  { issuer, library, assertions, registrationSeconds }: ProviderDeps,
  /** a resource's path */
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

/** Uses the public address, whatever `Host` says. */
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
