import type { AsyncResult, Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { Holder } from "../tenancy/grant-ids.ts";
import type { OauthResource } from "../tenancy/oauth-resources.ts";
import type { PendingSignIn } from "../tenancy/sign-in.ts";
import type { Claims } from "../tenancy/sign-in.ts";
import type { User } from "../tenancy/user.ts";

export type ConsentFault =
  | { kind: "redirect"; to: string }
  | { kind: "page"; detail: string }
  | { kind: "refusal"; refusal: Refusal };

export interface ConsentFacts {
  clientName: string;
  clientDomain: string | null;
  redirectUri: string;
  redirectHost: string;
  redirectIsLoopback: boolean;
  resource: OauthResource;
}

export interface OpenConsent {
  facts: ConsentFacts;
  /** single use, ten minutes, only in the browser with these headers */
  handle: string;
  headers: Headers;
}

export interface ApprovedConsent {
  facts: ConsentFacts;
  request: unknown;
  headers: Headers;
}

export type SignInSecretsKept = Pick<PendingSignIn, "nonce" | "verifier">;

export interface GrantFor {
  holder: Holder;
  user: User | null;
}

export interface Grant {
  id: string;
  clientId: string;
  clientName: string;
  redirectHost: string;
  resource: string;
  scopes: string[];
  keyId: string;
  createdAt: number;
  expiresAt: number | null;
}

export interface TokenRights {
  holder: Holder;
  scopes: string[];
  user: User | null;
  grantedAt: number;
  expiresAt: number;
}

/** A verified assertion of an identity provider (signature and times). */
export interface Assertion {
  resource: OauthResource;
  issuer: string;
  claims: Claims;
  /** `domain`: of the client's metadata document; null: registered dynamically */
  client: { id: string; name: string; domain: string | null };
}

export interface AssertionRules {
  /** JWKS location of a trusted issuer; null: not trusted */
  keysOf(of: { resource: OauthResource; issuer: string }): AsyncResult<string | null>;
  /** null: the tenant does not allow the client */
  grantFor(assertion: Assertion): AsyncResult<GrantFor | null>;
}

export type ConsentResult<T> = Promise<Result<T, ConsentFault>>;

export interface AuthorizationServer {
  issuer: string;
  metadata(): Promise<Response>;
  register(request: Request, body: string): Promise<Response>;
  token(request: Request, body: string): Promise<Response>;
  open(request: Request): ConsentResult<OpenConsent>;
  approve(request: Request, handle: string): ConsentResult<ApprovedConsent>;
  deny(request: Request, handle: string): ConsentResult<{ to: string; headers: Headers }>;
  /** Redirects to an identity provider. The state is valid once, for ten minutes, in this browser. */
  beginSignIn(
    approved: ApprovedConsent,
    secrets: SignInSecretsKept,
  ): ConsentResult<{ state: string; headers: Headers }>;
  finishSignIn(
    request: Request,
  ): ConsentResult<{ approved: ApprovedConsent; secrets: SignInSecretsKept }>;
  /** Reopens an approved consent for a user who could not sign in. */
  reopen(approved: ApprovedConsent): ConsentResult<OpenConsent>;
  complete(approved: ApprovedConsent, to: GrantFor): ConsentResult<string>;
  check(token: string, path: string): AsyncResult<TokenRights | null>;
  grantsOf(tenantId: string): AsyncResult<Grant[]>;
  revoke(tenantId: string, grantId: string): AsyncResult<boolean>;
}
