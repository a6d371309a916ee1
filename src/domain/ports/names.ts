import type { AsyncResult } from "../refusals.ts";

type Names = AsyncResult<Record<string, string>>;

export interface NameStore {
  of(tenantId: string, ids: readonly string[]): Names;
}

/** For the operator. */
export interface AllNameStore extends NameStore {
  ofAll(wanted: readonly (readonly [tenantId: string, id: string])[]): Names;
}
