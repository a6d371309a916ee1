import type { JsonObject } from "./json.ts";

/** A row of the log of admin actions. */
export interface AdminEvent {
  id: string;
  at: number;
  actor: string;
  action: string;
  tenantId: string | null;
  target: string;
  /** what changed, without secrets */
  detail: JsonObject;
}
