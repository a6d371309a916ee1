/** What people call what records name by id. */
import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /** By the id of an API key, a registered server or a person: the name, the slug, the name. What is gone has none. */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
