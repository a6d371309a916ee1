/** A legacy session: what one client negotiated. */
import type { JsonObject } from "./json.ts";

export interface Session {
  id: string;
  tenantId: string;
  keyId: string;
  revision: string;
  /** raw, as declared */
  capabilities: JsonObject;
  clientInfo: JsonObject;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
