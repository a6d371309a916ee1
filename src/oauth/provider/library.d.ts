/** The used part of `@cloudflare/workers-oauth-provider`: see `start/oauth-provider-build.js`. */
declare module "#oauth-provider" {
  export interface Surroundings {
    fetch: (input: string, init?: RequestInit) => Promise<Response>;
    Cloudflare: { compatibilityFlags: Record<string, boolean> };
    caches: { open(name: string): Promise<DocumentCache> };
    console: { warn(...said: unknown[]): void };
  }

  export interface DocumentCache {
    match(url: string): Promise<Response | undefined>;
    put(url: string, response: Response): Promise<void>;
    delete(url: string): Promise<boolean>;
  }

  export interface Storage {
    get(key: string, options?: { type: "json" }): Promise<unknown>;
    put(
      key: string,
      value: string,
      options?: { expirationTtl?: number; expiration?: number; metadata?: unknown },
    ): Promise<void>;
    delete(key: string): Promise<void>;
    list(options: { prefix: string; limit?: number; cursor?: string }): Promise<{
      keys: { name: string; metadata?: unknown }[];
      list_complete: boolean;
      cursor?: string;
    }>;
  }

  export interface Env {
    OAUTH_KV: Storage;
  }

  export interface AuthRequest {
    responseType: string;
    clientId: string;
    redirectUri: string;
    scope: string[];
    state: string;
    codeChallenge?: string;
    codeChallengeMethod?: string;
    resource?: string | string[];
    issuer?: string;
  }

  export interface ConsentDescription {
    clientId: string;
    clientName: string;
    clientDomain?: string;
    redirectUri: string;
    redirectHost: string;
    redirectIsLoopback: boolean;
    scope: string[];
  }

  export interface Helpers {
    parseAuthRequest(request: Request): Promise<AuthRequest>;
    describeConsent(request: AuthRequest): Promise<ConsentDescription>;
    beginConsent(request: AuthRequest): Promise<{ handle: string; headers: Headers }>;
    approveConsent(
      request: Request,
      handle: string,
      options?: { scope?: string[] },
    ): Promise<{ request: AuthRequest; headers: Headers }>;
    denyConsent(
      request: Request,
      handle: string,
    ): Promise<{ redirectTo: string; headers: Headers }>;
    beginUpstream(
      request: AuthRequest,
      options: { data: unknown; headers: Headers },
    ): Promise<{ state: string; headers: Headers }>;
    finishUpstream(
      request: Request,
    ): Promise<{ request: AuthRequest; data: unknown; headers: Headers }>;
    completeAuthorization(options: {
      request: AuthRequest;
      userId: string;
      metadata: unknown;
      scope: string[];
      props: unknown;
      revokeExistingGrants?: boolean;
    }): Promise<{ redirectTo: string }>;
    revokeGrant(grantId: string, userId: string): Promise<void>;
  }

  export interface Assertions {
    trustedIssuers: (asked: {
      iss: string;
    }) => Promise<{ issuer: string; jwksUri: string; algorithms: string[] } | null>;
    mapClaims: (asserted: {
      claims: { iss: string; sub: string; [claim: string]: unknown };
      clientInfo: { clientId: string; clientName?: string };
    }) => Promise<{ userId: string; scope: string[]; metadata: unknown; props: unknown } | null>;
  }

  export interface Options {
    enterpriseManagedAuthorization?: Assertions;
    issuer: string;
    resources: readonly string[];
    authorizeEndpoint: string;
    tokenEndpoint: string;
    clientRegistrationEndpoint: string;
    clientRegistrationTTL: number | undefined;
    scopesSupported: readonly string[];
    clientIdMetadataDocumentEnabled: boolean;
    accessTokenTTL: number;
    refreshTokenTTL: number;
    cookiePrefix?: string;
    tokenExchangeCallback?: (options: {
      userId: string;
      grantId: string;
      clientId: string;
      props: unknown;
    }) => Promise<{ newProps?: unknown; refreshTokenTTL?: number } | undefined>;
    onError?: (error: {
      code: string;
      status: number;
      internal?: { category: string; reason: string };
    }) => void;
  }

  export class AuthorizationServer {
    constructor(options: Options);
    fetch(request: Request, env: Env, context: object): Promise<Response>;
    getOAuthApi(env: Env): Helpers;
    validateToken(
      resource: string,
      token: string,
      env: Env,
    ): Promise<{
      props: unknown;
      audience: string;
      expiresAt: number;
      scope: string[];
      userId: string;
      clientId: string;
    } | null>;
  }

  export class AuthorizationError extends Error {
    code: string;
    description: string;
    redirectUri?: string;
    redirectTo?: string;
  }

  export class CimdFetchError extends Error {
    readonly metadataUrl: string;
  }

  export interface Library {
    OAuthAuthorizationServer: typeof AuthorizationServer;
    OAuthError: new (code: string, options: { description: string }) => Error;
    AuthorizationError: typeof AuthorizationError;
    CimdFetchError: typeof CimdFetchError;
    authorizationErrorRedirect(request: AuthRequest, code: string, description?: string): string;
  }

  export function loadProvider(surroundings: Surroundings): Library;
}
