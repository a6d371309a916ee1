/** The ports of signing in by an identity provider. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { OauthFault } from "../servers/oauth.ts";
import type {
  Claims,
  PendingSignIn,
  SignIn,
  SignInSecrets,
  StoredSignIn,
} from "../tenancy/sign-in.ts";

export interface SignInStore {
  get(tenantId: string): AsyncResult<StoredSignIn | null>;
  put(row: StoredSignIn, event: AdminEvent): AsyncResult<null>;
  remove(tenantId: string, event: AdminEvent): AsyncResult<null>;
}

export interface VerifiedPerson {
  claims: Claims;
  /** null: the provider gave none */
  refreshToken: string | null;
}

export interface KnownAgain {
  /** null: the provider knows the person and says no more */
  claims: Claims | null;
  /** null: the one from before goes on */
  refreshToken: string | null;
}

/** The router as a client of identity providers. */
export interface IdentityClient {
  begin(
    signIn: SignIn,
    to: {
      redirectUri: string;
      /** absent: made here */
      pending?: PendingSignIn;
      /** `lasting`: the router asks again later whether the person may still come; absent: once */
      asks?: "once" | "lasting";
    },
  ): Promise<Result<{ url: string; pending: PendingSignIn }, OauthFault>>;
  /** `query`: what the browser brought back */
  finish(
    signIn: SignInSecrets,
    came: { pending: PendingSignIn; redirectUri: string; query: string },
  ): Promise<Result<VerifiedPerson, OauthFault>>;
  /** Where the provider's keys are. */
  keysOf(signIn: Pick<SignIn, "issuer">): Promise<Result<string, OauthFault>>;
  /** Asks whether the provider still knows the person. */
  again(signIn: SignInSecrets, refreshToken: string): Promise<Result<KnownAgain, OauthFault>>;
  /** The claims of a gateway's token. */
  verify(signIn: SignIn, token: string): Promise<Result<Claims, OauthFault>>;
}
