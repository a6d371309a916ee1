/** A legacy session: what one client negotiated, with the router or through it. */
import type { JsonObject } from "../json.ts";

/** What the router remembers of a session whose client and server speak different eras. */
export type Bridge =
  | {
      to: "legacy";
      /** how a request of a modern client finds it: a digest of what has to be the same */
      key: string;
      /** the server's result of `initialize`, raw */
      initialized: JsonObject;
    }
  | {
      to: "modern";
      /** by tool: the arguments that travel in headers too; null: the tools have not been read yet */
      paramHeaders: Readonly<Record<string, readonly ParamHeader[]>> | null;
      /** the tools whose output is wrapped for the client; absent: not read yet */
      wrapped?: Readonly<Record<string, boolean>>;
    };

/** An argument that a modern request repeats as `Mcp-Param-{name}`. */
export interface ParamHeader {
  name: string;
  /** where it stands among the arguments */
  path: readonly string[];
}

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
  /** null: client and server speak the same era, or there is no server */
  bridge: Bridge | null;
  /** until when the client is known to hold the server's GET stream; null: it never did */
  clientStreamUntil: number | null;
  /** the same of the router, which holds one where the client has none */
  routerStreamUntil: number | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
