/** What people call what records name by id. */
import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  /**
   * By the id of the tenant itself, an API key, a registered server, a credential or a person: the name. A server's is
   * its slug, and a credential's begins with its provider. What is gone has none.
   */
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
