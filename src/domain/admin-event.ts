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

export interface EventFilter {
  from?: number;
  to?: number;
  tenant?: string;
  actor?: string;
  /** or its beginning */
  action?: string;
  target?: string;
  /** within the other members, and the detail */
  text?: string;
}
