import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /**
   * Names of tenants, keys, servers (slug), credentials (provider and name) and users by id. Deleted ones are
   * omitted.
   */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
