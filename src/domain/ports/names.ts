/** What people call what records name by id. */
import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /** By the id of the tenant itself, an API key, a registered server or a person: the name; of a server the slug. What is gone has none. */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
