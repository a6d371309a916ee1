/**
 * The router as an OAuth 2.1 client of a tenant's servers. One port. A fault is a code from a closed list, and
 * never text of the other side.
 */
import type { Result } from "../result.ts";

export const oauthGrants = ["client_credentials", "authorization_code"] as const;

export const oauthOwners = ["tenant", "user"] as const;
/** Whose account at the server a token is for: one that everybody of the tenant shares, or each person's own. */
export type OauthOwner = (typeof oauthOwners)[number];

/** How tokens for a server are obtained. Endpoints that are null are discovered (RFC 9728, RFC 8414). */
export interface OauthClient {
  grant: (typeof oauthGrants)[number];
  clientId: string;
  /** whether there is a secret, which itself is sealed; false: a public client */
  hasSecret: boolean;
  tokenEndpoint: string | null;
  authorizationEndpoint: string | null;
  /** scopes, space-separated */
  scope: string | null;
  /** value of RFC 8707's resource indicator; null: what the server's metadata says, or its URL */
  resource: string | null;
  /** absent: `tenant` */
  per?: OauthOwner;
}

/** What an authorization server granted, and where the grant is renewed: a refresh token is sent nowhere else. */
export interface OauthGrant {
  accessToken: string;
  /** ms since the epoch; null: the server named no end */
  expiresAt: number | null;
  refreshToken: string | null;
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  /** how the client authenticates at the token endpoint */
  authentication: "basic" | "post" | "none";
}

/** What the router has to remember while a person is away to authorize it. */
export interface PendingAuthorization {
  verifier: string;
  redirectUri: string;
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  authentication: OauthGrant["authentication"];
  /** the authorization server says that it always sends `iss` */
  sendsIssuer: boolean;
}

export const oauthFaults = [
  // Error codes of RFC 6749.
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "access_denied",
  "invalid_target",
  // Codes of our own.
  "not_discovered",
  "not_allowed",
  "no_pkce",
  "no_refresh_token",
  "malformed",
  "unreachable",
] as const;
export type OauthFault = (typeof oauthFaults)[number];

export interface OauthAsking {
  /** of the MCP server */
  url: string;
  client: OauthClient;
  clientSecret: string | null;
}

/** Never throws. */
export interface Oauth {
  /** Begins an authorization: gives the URL to which the person is sent. */
  begin(
    asking: OauthAsking,
    redirect: { redirectUri: string; state: string },
  ): Promise<Result<{ authorizationUrl: string; pending: PendingAuthorization }, OauthFault>>;
  /** Ends an authorization, with the query that the person came back with. */
  finish(
    asking: OauthAsking,
    came: { pending: PendingAuthorization; state: string; query: string },
  ): Promise<Result<OauthGrant, OauthFault>>;
  byClientCredentials(asking: OauthAsking): Promise<Result<OauthGrant, OauthFault>>;
  /** The new grant keeps the old refresh token where the server sent no new one. */
  refresh(asking: OauthAsking, grant: OauthGrant): Promise<Result<OauthGrant, OauthFault>>;
}
