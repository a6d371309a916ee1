/** What people call what records name by id. */
import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /** By the id of an API key or of a registered server: its name, its slug. What is deleted has none. */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
