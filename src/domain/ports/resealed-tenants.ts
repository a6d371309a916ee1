/** Which tenants' databases are sealed with which master key; in `home`. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";

export interface ResealedTenants {
  /** The last released cursor. */
  cursor(): AsyncResult<string>;
  claim(now: number, until: number): AsyncResult<{ cursor: string } | null>;
  release(cursor: string): AsyncResult<null>;
  notResealed(
    keyId: string,
    page: { after: string; limit: number },
  ): AsyncResult<{ tenantId: string; database: string }[]>;
  markResealed(keyId: string, tenantIds: readonly string[]): AsyncResult<null>;
  appendEvent(event: AdminEvent): AsyncResult<null>;
}
