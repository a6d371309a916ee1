import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /** By id. Servers have their slug, credentials provider and name. Deleted ones are omitted. */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
