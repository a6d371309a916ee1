/** A legacy session: what one client negotiated, with the router or through it. */
import type { JsonObject } from "./json.ts";

export interface Session {
  id: string;
  tenantId: string;
  keyId: string;
  revision: string;
  /** raw, as declared */
  capabilities: JsonObject;
  clientInfo: JsonObject;
  /** the registered server it was begun with; null: `/v1/sampling` itself */
  serverId: string | null;
  /** the server's own session id, as the client knows it */
  upstreamId: string | null;
  /** raw capabilities that the server was told; null: no server */
  told: JsonObject | null;
  /** until when the client is known to hold the server's GET stream; null: it never did */
  clientStreamUntil: number | null;
  /** the same of the router, which holds one where the client has none */
  routerStreamUntil: number | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
