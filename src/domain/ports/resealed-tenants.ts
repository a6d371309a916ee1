/** Which tenants' databases are sealed with which master key; in `home`. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";

export interface ResealedTenants {
  progress(): AsyncResult<string>;
  claim(now: number, until: number): AsyncResult<{ cursor: string } | null>;
  release(cursor: string): AsyncResult<null>;
  waiting(
    keyId: string,
    page: { after: string; limit: number },
  ): AsyncResult<{ tenantId: string; database: string }[]>;
  note(keyId: string, tenantIds: readonly string[]): AsyncResult<null>;
  append(event: AdminEvent): AsyncResult<null>;
}
