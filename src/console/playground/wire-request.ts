/** Requests to the router, and their text for a terminal. Pure, for tests. */
import { keyVariable } from "../../domain/servers/install.ts";

export type WireRequest = { path: string; headers: Record<string, string>; body: object };

const modern = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "sampling/createMessage" };
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { sampling: { tools: {}, context: {} } },
};

export const routeRequest = (params: object): WireRequest => ({
  path: "/v1/route",
  headers: modern,
  body: { ...params, _meta: meta },
});

/** @param params whose own `_meta` stays, for example tags */
export const samplingRequest = (params: object): WireRequest => ({
  path: "/v1/sampling",
  headers: modern,
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: modern["Mcp-Method"],
    params: { ...params, _meta: { ...meta, ...(params as { _meta?: object })._meta } },
  },
});

/** In place of the key, for people who have it in their environment. */
export const ownKey = `$${keyVariable}`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param shown the router's URL, and a key */
export const curlOf = (
  { path, headers, body }: WireRequest,
  { url, key = ownKey }: { url: string; key?: string | undefined },
): string =>
  [
    `curl -sS ${url}${path} \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
