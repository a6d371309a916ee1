/** The port of tenants' identity providers. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { StoredSignIn } from "../tenancy/sign-in.ts";

export interface SignInStore {
  get(tenantId: string): AsyncResult<StoredSignIn | null>;
  put(row: StoredSignIn, event: AdminEvent): AsyncResult<null>;
  remove(tenantId: string, event: AdminEvent): AsyncResult<null>;
}
