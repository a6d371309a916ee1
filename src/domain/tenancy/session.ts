import type { JsonObject } from "../json.ts";

/** For sessions whose client and server are of different eras. */
export type Bridge =
  | {
      to: "legacy";
      /** digest that identifies the session in modern requests */
      key: string;
      initialized: JsonObject;
    }
  | {
      to: "modern";
      /** per tool, arguments that are also headers; null: tools not loaded */
      paramHeaders: Readonly<Record<string, readonly ParamHeader[]>> | null;
      /** tools with wrapped output; absent: not loaded */
      wrapped?: Readonly<Record<string, boolean>>;
      /** of the log messages that the client wants; absent: the server sends none */
      logLevel?: string;
    };

export type BridgeChange = Partial<Omit<Extract<Bridge, { to: "modern" }>, "to">>;

/** An argument that is repeated as `Mcp-Param-{name}`. */
export interface ParamHeader {
  name: string;
  path: readonly string[];
}

export interface Session {
  id: string;
  tenantId: string;
  keyId: string;
  revision: string;
  capabilities: JsonObject;
  clientInfo: JsonObject;
  serverId: string | null;
  /** the server's session id, as the client knows it */
  upstreamId: string | null;
  /** raw capabilities advertised to the server; null: no server */
  advertisedCapabilities: JsonObject | null;
  bridge: Bridge | null;
  /** ms; null: the client never held the server's GET stream */
  clientStreamUntil: number | null;
  /** ms; null: the router never held the stream */
  routerStreamUntil: number | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
