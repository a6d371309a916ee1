/** The router as an authorization server: what its pages and its door need from the library behind. */
import type { AsyncResult, Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { Holder } from "../tenancy/grant-ids.ts";
import type { OauthResource } from "../tenancy/oauth-resources.ts";
import type { PendingSignIn } from "../tenancy/sign-in.ts";
import type { Claims } from "../tenancy/sign-in.ts";
import type { User } from "../tenancy/user.ts";

/** Why no consent goes on. */
export type ConsentFault =
  /** the browser goes back to the client, whose address is known to be the client's */
  | { kind: "redirect"; to: string }
  /** a person is told, and nothing is sent anywhere */
  | { kind: "page"; detail: string }
  | { kind: "refusal"; refusal: Refusal };

export interface ConsentFacts {
  clientName: string;
  /** whose metadata document describes the client; null: the client registered itself */
  clientDomain: string | null;
  redirectUri: string;
  redirectHost: string;
  redirectIsLoopback: boolean;
  resource: OauthResource;
}

/** A consent that stands open in one browser. */
export interface OpenConsent {
  facts: ConsentFacts;
  /** good once, for ten minutes, in the browser that gets the headers */
  handle: string;
  headers: Headers;
}

/** What a person approved, not yet granted to anybody. `request` belongs to the library. */
export interface ApprovedConsent {
  facts: ConsentFacts;
  request: unknown;
  headers: Headers;
}

/** What the router keeps of a sign-in while the person is at the identity provider. */
export type SignInSecretsKept = Pick<PendingSignIn, "nonce" | "verifier">;

/** Whom a grant is for. */
export interface GrantFor {
  holder: Holder;
  user: User | null;
}

/** A grant as people see it. */
export interface Grant {
  id: string;
  clientId: string;
  clientName: string;
  redirectHost: string;
  resource: string;
  scopes: string[];
  keyId: string;
  /** ms since the epoch */
  createdAt: number;
  expiresAt: number | null;
}

/** What a token opens, if it opens anything. */
export interface TokenRights {
  holder: Holder;
  scopes: string[];
  user: User | null;
  /** ms since the epoch: when the grant was made, and when the token ends */
  grantedAt: number;
  expiresAt: number;
}

/** What an identity provider says of a person and a program, its signature and its times already checked. */
export interface Assertion {
  resource: OauthResource;
  issuer: string;
  /** of the person, as the provider has them */
  claims: Claims;
  /** `domain`: of the document that describes the program; null: the program registered itself */
  client: { id: string; name: string; domain: string | null };
}

/** Whose word counts in the place of a consent. */
export interface AssertionRules {
  /** where the keys of an issuer are that the resource's tenant trusts; null: the tenant does not trust the issuer */
  keysOf(of: { resource: OauthResource; issuer: string }): AsyncResult<string | null>;
  /** null: the tenant does not let the program in */
  grantFor(assertion: Assertion): AsyncResult<GrantFor | null>;
}

export type ConsentResult<T> = Promise<Result<T, ConsentFault>>;

export interface AuthorizationServer {
  issuer: string;
  metadata(): Promise<Response>;
  /** @param body of the request, as text; of `token` too */
  register(request: Request, body: string): Promise<Response>;
  token(request: Request, body: string): Promise<Response>;
  open(request: Request): ConsentResult<OpenConsent>;
  approve(request: Request, handle: string): ConsentResult<ApprovedConsent>;
  deny(request: Request, handle: string): ConsentResult<{ to: string; headers: Headers }>;
  /** A person leaves for an identity provider, with a state that is good once, for ten minutes, in this browser. */
  beginSignIn(
    approved: ApprovedConsent,
    secrets: SignInSecretsKept,
  ): ConsentResult<{ state: string; headers: Headers }>;
  /** The person is back, with that state. */
  finishSignIn(
    request: Request,
  ): ConsentResult<{ approved: ApprovedConsent; secrets: SignInSecretsKept }>;
  /** Opens a consent again that was approved, for a person who could not say who they are. */
  reopen(approved: ApprovedConsent): ConsentResult<OpenConsent>;
  /** @returns where the browser goes */
  complete(approved: ApprovedConsent, to: GrantFor): ConsentResult<string>;
  /** null: the token opens nothing there. */
  check(token: string, path: string): AsyncResult<TokenRights | null>;
  grantsOf(tenantId: string): AsyncResult<Grant[]>;
  /** @returns whether there was such a grant */
  revoke(tenantId: string, grantId: string): AsyncResult<boolean>;
}
