/** Port of `home`: which tenants' own databases are sealed under which master key. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";

export interface ResealedTenants {
  /** What `release` was given last; empty at first. */
  progress(): AsyncResult<string>;
  /** null: somebody else has the turn */
  claim(now: number, until: number): AsyncResult<{ cursor: string } | null>;
  release(cursor: string): AsyncResult<null>;
  /** Tenants of which nobody noted that key yet, in the order of their ids. */
  waiting(
    keyId: string,
    page: { after: string; limit: number },
  ): AsyncResult<{ tenantId: string; database: string }[]>;
  note(keyId: string, tenantIds: readonly string[]): AsyncResult<null>;
  append(event: AdminEvent): AsyncResult<null>;
}
