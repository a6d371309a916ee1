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

/** The router as a client of identity providers. */
export interface IdentityClient {
  begin(
    signIn: SignIn,
    redirectUri: string,
  ): Promise<Result<{ url: string; pending: PendingSignIn }, OauthFault>>;
  /** `query`: what the browser brought back */
  finish(
    signIn: SignInSecrets,
    came: { pending: PendingSignIn; redirectUri: string; query: string },
  ): Promise<Result<Claims, OauthFault>>;
  /** The claims of a gateway's token. */
  verify(signIn: SignIn, token: string): Promise<Result<Claims, OauthFault>>;
}
