import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { StoredUser } from "../tenancy/user.ts";
import type { Page, PageRequest } from "./pages.ts";

export interface UserStore {
  get(tenantId: string, id: string): AsyncResult<StoredUser | null>;
  byFinder(tenantId: string, finder: string): AsyncResult<StoredUser | null>;
  /** sorted by id, independent of time */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<StoredUser>>;
  finderKey(tenantId: string): AsyncResult<string | null>;
  keepFinderKey(key: { tenantId: string; sealed: string; createdAt: number }): AsyncResult<null>;
  /** Also creates the key of the user's clients. false: created concurrently. */
  create(user: StoredUser, key: StoredKey, event: AdminEvent): AsyncResult<boolean>;
  change(
    tenantId: string,
    id: string,
    change: Partial<Pick<StoredUser, "name" | "role" | "signedInAt">>,
  ): AsyncResult<null>;
  keysOf(tenantId: string, id: string): AsyncResult<StoredKey[]>;
  /** Deletes the user and key names, revokes keys and ends all sessions, atomically. */
  forget(
    of: { tenantId: string; id: string; keys: readonly RevokedKey[] },
    event: AdminEvent,
  ): AsyncResult<null>;
}

export type RevokedKey = Pick<StoredKey, "id" | "name" | "code"> & { revokedAt: number };
