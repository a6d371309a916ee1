import type { AsyncResult } from "../refusals.ts";

export interface NameStore {
  of(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, string>>;
}
