import type { AsyncResult } from "../refusals.ts";
import type { Session } from "../tenancy/session.ts";

export interface SessionCounts {
  /** Among the newest records. Sessions without records are left out. */
  countBySession(
    tenantId: string,
    sessions: readonly Pick<Session, "id" | "createdAt">[],
  ): AsyncResult<ReadonlyMap<string, number>>;
}
