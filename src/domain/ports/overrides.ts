import type { AdminEvent } from "../admin-event.ts";
import type { ModelOverride } from "../models/model.ts";
import type { AsyncResult } from "../refusals.ts";

export interface OverrideStore {
  put(tenantId: string, override: ModelOverride, now: number, event: AdminEvent): AsyncResult<null>;
  list(tenantId: string): AsyncResult<ModelOverride[]>;
  remove(tenantId: string, provider: string, id: string, event: AdminEvent): AsyncResult<null>;
}
