import type { JsonObject } from "../json.ts";

/** For sessions whose client and server are of different eras. */
export type Bridge =
  | {
      to: "legacy";
      /** digest that identifies the session in modern requests */
      key: string;
      initialized: JsonObject;
      /** the session of one call, whose client can be asked */
      parks?: true;
    }
  | {
      to: "modern";
      /** per tool, arguments that are also headers; null: tools not loaded */
      paramHeaders: Readonly<Record<string, readonly ParamHeader[]>> | null;
      /** tools with wrapped output; absent: not loaded */
      wrapped?: Readonly<Record<string, boolean>>;
      /** of the log messages that the client wants; absent: the default */
      logLevel?: string;
      /** capabilities of the server that a client of the older era can use */
      offers: JsonObject;
      /** resources that the client subscribed to, by URI */
      subscribed?: Readonly<Record<string, true>>;
      /** id of the GET request whose stream listens; a newer one ends the others */
      listener?: string;
    };

/** Members that change while the session lasts. */
export type BridgeChange = Partial<
  Omit<Extract<Bridge, { to: "modern" }>, "offers" | "subscribed" | "to">
> & {
  /** merged; null: no longer subscribed */
  subscribed?: Readonly<Record<string, true | null>>;
};

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
  /** ms; until then, the process that keeps the session's parked call is alive. null: no call was parked */
  parkedUntil: number | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}
