/**
 * The router as an OAuth 2.1 client towards a tenant's servers. One port; what it says of a fault is a
 * code from a closed list, never text of the other side.
 */
import type { Result } from "../result.ts";

export const oauthGrants = ["client_credentials", "authorization_code"] as const;

/** How a server's tokens are got. Endpoints that are null are discovered (RFC 9728, RFC 8414). */
export interface OauthClient {
  grant: (typeof oauthGrants)[number];
  clientId: string;
  /** the secret itself is sealed; false: a public client */
  hasSecret: boolean;
  tokenEndpoint: string | null;
  authorizationEndpoint: string | null;
  /** scopes, space-separated */
  scope: string | null;
  /** RFC 8707's indicator; null: what the server's metadata says, or its URL */
  resource: string | null;
}

/** What an authorization server granted, and where it is renewed: a refresh token goes nowhere else. */
export interface OauthGrant {
  accessToken: string;
  /** ms since the epoch; null: the server didn't say */
  expiresAt: number | null;
  refreshToken: string | null;
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  /** how the client shows who it is there */
  authentication: "basic" | "post" | "none";
}

/** What has to be remembered between sending a person away and their return. */
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
  // RFC 6749's own.
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "access_denied",
  "invalid_target",
  // Ours.
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
  /** Where to send the person who may authorize the router. */
  begin(
    asking: OauthAsking,
    about: { redirectUri: string; state: string },
  ): Promise<Result<{ authorizationUrl: string; pending: PendingAuthorization }, OauthFault>>;
  /** With the query that came back. */
  finish(
    asking: OauthAsking,
    came: { pending: PendingAuthorization; state: string; query: string },
  ): Promise<Result<OauthGrant, OauthFault>>;
  byClientCredentials(asking: OauthAsking): Promise<Result<OauthGrant, OauthFault>>;
  /** The new grant holds the old refresh token when the server sent no other. */
  refresh(asking: OauthAsking, grant: OauthGrant): Promise<Result<OauthGrant, OauthFault>>;
}
