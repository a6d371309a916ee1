import type { JsonObject } from "./json.ts";

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
