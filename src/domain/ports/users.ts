/** Where the people of a tenant are kept. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { StoredUser } from "../tenancy/user.ts";
import type { Page, PageRequest } from "./pages.ts";

export interface UserStore {
  get(tenantId: string, id: string): AsyncResult<StoredUser | null>;
  byFinder(tenantId: string, finder: string): AsyncResult<StoredUser | null>;
  /** by id, which says nothing of when */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<StoredUser>>;
  /** The key of a tenant's finders, sealed; null: there is none yet. */
  finderKey(tenantId: string): AsyncResult<string | null>;
  /** Keeps the key, unless there is one already. */
  keepFinderKey(key: { tenantId: string; sealed: string; createdAt: number }): AsyncResult<null>;
  /** With the key that programs of the person act as. false: somebody else made the person meanwhile. */
  create(user: StoredUser, key: StoredKey, event: AdminEvent): AsyncResult<boolean>;
  change(tenantId: string, id: string, change: Pick<StoredUser, "name">): AsyncResult<null>;
  /** All keys for the person, revoked ones too. */
  keysOf(tenantId: string, id: string): AsyncResult<StoredKey[]>;
  /** Removes the person and the names of the person's keys, revokes the keys, ends their sessions: all or nothing. */
  forget(
    of: { tenantId: string; id: string; keys: readonly RevokedKey[] },
    event: AdminEvent,
  ): AsyncResult<null>;
}

export type RevokedKey = Pick<StoredKey, "id" | "name" | "code"> & { revokedAt: number };
