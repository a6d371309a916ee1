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
  /** null: the router makes itself known to the authorization server that the server names */
  clientId: string | null;
  /** whether there is a secret, which itself is sealed; false: a public client */
  hasSecret: boolean;
  tokenEndpoint: string | null;
  authorizationEndpoint: string | null;
  /** scopes, space-separated; null: those that the server asks for */
  scope: string | null;
  /** value of RFC 8707's resource indicator; null: what the server's metadata says, or its URL */
  resource: string | null;
  /** absent: `tenant` */
  per?: OauthOwner;
}

/** As whom the router is known to an authorization server. */
export interface OauthIdentity {
  clientId: string;
  /** null: a public client */
  clientSecret: string | null;
}

/** Everything about a grant that is known before the grant exists. A secret is sent to nobody but its issuer. */
export interface OauthTerms {
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  /** how the client authenticates at the token endpoint */
  authentication: "basic" | "post" | "none";
  /** what was asked for */
  scopes: string[];
  /** absent: the entry names the client */
  registered?: OauthIdentity;
}

/** What an authorization server granted, and where the grant is renewed: a refresh token is sent nowhere else. */
export interface OauthGrant extends OauthTerms {
  accessToken: string;
  /** ms since the epoch; null: the server named no end */
  expiresAt: number | null;
  refreshToken: string | null;
}

/** A registration that the router made of itself (RFC 7591), for all who connect an account at the server. */
export interface OauthRegistration extends OauthIdentity {
  issuer: string;
  redirectUri: string;
  authentication: OauthTerms["authentication"];
  /** ms since the epoch, when it was made */
  at: number;
}

/** What the router has to remember while a person is away to authorize it. */
export interface PendingAuthorization extends OauthTerms {
  verifier: string;
  redirectUri: string;
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
  // Error codes of RFC 7591.
  "invalid_redirect_uri",
  "invalid_client_metadata",
  // Codes of our own.
  "not_discovered",
  "not_allowed",
  "no_pkce",
  "no_refresh_token",
  "issuer_changed",
  "not_registered",
  "malformed",
] as const;
/** `unreachable` has why: words without paths, queries or texts of errors, because it is stored and shown. */
export type OauthFault = (typeof oauthFaults)[number] | `unreachable: ${string}`;

export const unreachable = (why: string): OauthFault => `unreachable: ${why}`;

/** Why a server gave no answer; null: it answered. */
export const whyUnreachable = (fault: OauthFault): string | null =>
  fault.startsWith("unreachable: ") ? fault.slice("unreachable: ".length) : null;

/** A server that gave no answer has refused nothing. */
export const isUnreachable = (fault: OauthFault): boolean => whyUnreachable(fault) !== null;

export interface OauthAsking {
  /** of the MCP server */
  url: string;
  client: OauthClient;
  clientSecret: string | null;
  /** the last that the router made of itself; null: it made none, or the entry names the client */
  registration: OauthRegistration | null;
  /** the only one for which the entry's client is meant; null: not known yet */
  issuer: string | null;
  /** what the server asked for in answer to single requests, beside what it asks of everybody */
  scopes: readonly string[];
}

export interface OauthRedirect {
  redirectUri: string;
  state: string;
  /** where a document describes the router as a client; null: nowhere that others could read */
  describedAt: string | null;
}

/** `registration`: a new one, to be kept; null: there is nothing new. */
export interface BegunAuthorization {
  authorizationUrl: string;
  pending: PendingAuthorization;
  registration: OauthRegistration | null;
}

/** Never throws. */
export interface Oauth {
  /** Begins an authorization: gives the URL to which the person is sent. */
  begin(
    asking: OauthAsking,
    redirect: OauthRedirect,
  ): Promise<Result<BegunAuthorization, OauthFault>>;
  /** Ends an authorization, with the query that the person came back with. */
  finish(
    asking: OauthAsking,
    came: { pending: PendingAuthorization; state: string; query: string },
  ): Promise<Result<OauthGrant, OauthFault>>;
  byClientCredentials(asking: OauthAsking): Promise<Result<OauthGrant, OauthFault>>;
  /** The new grant keeps the old refresh token where the server sent no new one. */
  refresh(asking: OauthAsking, grant: OauthGrant): Promise<Result<OauthGrant, OauthFault>>;
}
