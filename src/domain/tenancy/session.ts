/** A legacy session: what one client negotiated, with the router or through it. */
import type { JsonObject } from "../json.ts";

/** What the router remembers of a session whose client and server speak different eras. */
export type Bridge =
  | {
      to: "legacy";
      /** the digest by which a modern client's request finds the session */
      key: string;
      /** the server's result of `initialize`, raw */
      initialized: JsonObject;
    }
  | {
      to: "modern";
      /** by tool: arguments that also travel in headers; null: the tools have not been read yet */
      paramHeaders: Readonly<Record<string, readonly ParamHeader[]>> | null;
      /** which tools' output is wrapped for the client; absent: not read yet */
      wrapped?: Readonly<Record<string, boolean>>;
    };

/** An argument that a modern request repeats as `Mcp-Param-{name}`. */
export interface ParamHeader {
  name: string;
  /** path to the argument */
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
  /** the registered server that the session is with; null: `/v1/sampling` itself */
  serverId: string | null;
  /** the server's own session id, as the client knows it */
  upstreamId: string | null;
  /**
   * raw capabilities that the router advertised to the server; null: there is no server. The database's column
   * and the admin API call them `told`
   */
  told: JsonObject | null;
  /** null: client and server speak the same era, or there is no server */
  bridge: Bridge | null;
  /** until when the client is known to hold the server's GET stream; null: the client never held that stream */
  clientStreamUntil: number | null;
  /**
   * until when the router is known to hold that stream, where the client does not; null: the router never held
   * it
   */
  routerStreamUntil: number | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
