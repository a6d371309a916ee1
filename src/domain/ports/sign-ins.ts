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
  /** of any tenant */
  areSet(): AsyncResult<boolean>;
  get(tenantId: string): AsyncResult<StoredSignIn | null>;
  put(row: StoredSignIn, event: AdminEvent): AsyncResult<null>;
  remove(tenantId: string, event: AdminEvent): AsyncResult<null>;
}

export interface VerifiedPerson {
  claims: Claims;
  refreshToken: string | null;
}

export interface RecheckedIdentity {
  /** null: the provider confirms the user without claims */
  claims: Claims | null;
  refreshToken: string | null;
}

export interface IdentityClient {
  begin(
    signIn: SignIn,
    to: {
      redirectUri: string;
      /** absent: created by `begin` */
      pending?: PendingSignIn;
      /** `lasting`: the router re-checks the user later; absent: once */
      asks?: "once" | "lasting";
    },
  ): Promise<Result<{ url: string; pending: PendingSignIn }, OauthFault>>;
  /** @param came `query`: of the redirect */
  finish(
    signIn: SignInSecrets,
    came: { pending: PendingSignIn; redirectUri: string; query: string },
  ): Promise<Result<VerifiedPerson, OauthFault>>;
  keysOf(signIn: Pick<SignIn, "issuer">): Promise<Result<string, OauthFault>>;
  recheck(
    signIn: SignInSecrets,
    refreshToken: string,
  ): Promise<Result<RecheckedIdentity, OauthFault>>;
  verify(signIn: SignIn, token: string): Promise<Result<Claims, OauthFault>>;
}
