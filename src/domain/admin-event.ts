import type { JsonObject } from "./json.ts";

/** An entry in the log of admin actions. */
export interface AdminEvent {
  id: string;
  at: number;
  actor: string;
  action: string;
  tenantId: string | null;
  target: string;
  /** the change, without secrets */
  detail: JsonObject;
}
