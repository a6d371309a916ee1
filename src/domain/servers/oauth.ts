/** Port of the OAuth 2.1 client. Faults are codes of a closed list, never foreign text. */
import type { Result } from "../result.ts";

export const oauthGrants = ["client_credentials", "authorization_code"] as const;

export const oauthOwners = ["tenant", "user"] as const;
/** Whose account the token belongs to: shared by the tenant, or each user's own. */
export type OauthOwner = (typeof oauthOwners)[number];

/** Null endpoints are discovered (RFC 9728, RFC 8414). */
export interface OauthClient {
  grant: (typeof oauthGrants)[number];
  clientId: string | null;
  hasSecret: boolean;
  tokenEndpoint: string | null;
  authorizationEndpoint: string | null;
  /** space-separated; null: as requested by the server */
  scope: string | null;
  /** RFC 8707; null: from the server's metadata, or its URL */
  resource: string | null;
  per?: OauthOwner;
}

export interface OauthIdentity {
  clientId: string;
  clientSecret: string | null;
}

/** Known before the grant exists. Secrets are only sent to their issuer. */
export interface OauthTerms {
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  authentication: "basic" | "post" | "none";
  scopes: string[];
  registered?: OauthIdentity;
}

/** A refresh token is only sent to the endpoint of its grant. */
export interface OauthGrant extends OauthTerms {
  accessToken: string;
  expiresAt: number | null;
  refreshToken: string | null;
}

/** The router's dynamic registration (RFC 7591), shared by all accounts at the server. */
export interface OauthRegistration extends OauthIdentity {
  issuer: string;
  redirectUri: string;
  authentication: OauthTerms["authentication"];
  at: number;
}

export interface PendingAuthorization extends OauthTerms {
  verifier: string;
  redirectUri: string;
  /** the authorization server always sends `iss` */
  sendsIssuer: boolean;
}

export const oauthFaults = [
  // RFC 6749
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "access_denied",
  "invalid_target",
  // RFC 7591
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "not_discovered",
  "not_allowed",
  "no_pkce",
  "no_refresh_token",
  "issuer_changed",
  "not_registered",
  "malformed",
  // of clouds
  "wrong_clock",
  "role_refused",
  "no_aws_identity",
  "no_host_identity",
] as const;
/** `unreachable` is stored and shown, so its reason has no paths, queries or error texts. */
export type OauthFault = (typeof oauthFaults)[number] | `unreachable: ${string}`;

export const unreachable = (why: string): OauthFault => `unreachable: ${why}`;

export const unreachableReason = (fault: OauthFault): string | null =>
  fault.startsWith("unreachable: ") ? fault.slice("unreachable: ".length) : null;

export const isUnreachable = (fault: OauthFault): boolean => unreachableReason(fault) !== null;

export interface OauthContext {
  url: string;
  client: OauthClient;
  clientSecret: string | null;
  registration: OauthRegistration | null;
  /** the only issuer that may receive the entry's client credentials; null: unknown */
  issuer: string | null;
  scopes: readonly string[];
}

export interface OauthRedirect {
  redirectUri: string;
  state: string;
  /** URL of the client metadata; null: not public */
  describedAt: string | null;
}

export interface BegunAuthorization {
  authorizationUrl: string;
  pending: PendingAuthorization;
  registration: OauthRegistration | null;
}

export interface Oauth {
  begin(
    asking: OauthContext,
    redirect: OauthRedirect,
  ): Promise<Result<BegunAuthorization, OauthFault>>;
  finish(
    asking: OauthContext,
    came: { pending: PendingAuthorization; state: string; query: string },
  ): Promise<Result<OauthGrant, OauthFault>>;
  byClientCredentials(asking: OauthContext): Promise<Result<OauthGrant, OauthFault>>;
  /** Keeps the old refresh token unless the server sends a new one. */
  refresh(asking: OauthContext, grant: OauthGrant): Promise<Result<OauthGrant, OauthFault>>;
}
