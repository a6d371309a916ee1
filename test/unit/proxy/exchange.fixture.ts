/** One exchange with a server that a tenant registered, and the session that the exchange may belong to. */
import { ok } from "../../../src/domain/result.ts";
import type { SealedServer } from "../../../src/domain/servers/server.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import { bodyIn } from "../../../src/mcp/message.ts";
import type { Exchange } from "../../../src/proxy/exchange.ts";
import { callerWith } from "../pipeline/callers/callers.fixture.ts";

export const server = (fields: Partial<SealedServer> = {}): SealedServer => ({
  id: "srv_1",
  tenantId: "ten_1",
  slug: "search",
  url: "https://search.example/mcp",
  headerNames: [],
  passHeaders: [],
  forwardAuthorization: false,
  sampling: "router",
  supportedModalities: false,
  auth: "keys",
  bridge: "fallback",
  parking: false,
  policy: {},
  oauth: null,
  learned: {},
  status: "active",
  createdAt: 0,
  updatedAt: 0,
  sealed: null,
  ...fields,
});

export const session = (fields: Partial<Session> = {}): Session => ({
  id: "ses_1",
  tenantId: "ten_1",
  keyId: "key_1",
  revision: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "client", version: "1" },
  serverId: "srv_1",
  upstreamId: "upstream-1",
  advertisedCapabilities: { sampling: {} },
  bridge: null,
  clientStreamUntil: null,
  routerStreamUntil: null,
  parkedUntil: null,
  createdAt: 0,
  lastUsedAt: 0,
  expiresAt: 1e12,
  ...fields,
});

export function exchange(fields: Partial<Exchange> & { session?: Session | null } = {}): Exchange {
  const { session: given = session(), server: entry = server(), ...rest } = fields;
  const caller = { ...callerWith(), session: given, server: entry };
  const text = rest.text ?? "";
  return {
    caller,
    server: entry,
    current: async () => ok(caller),
    reauthenticate: async () => ok(caller),
    method: "POST",
    headers: new Headers({ "MCP-Protocol-Version": "2025-11-25" }),
    authorization: null,
    bytes: new TextEncoder().encode(text),
    text,
    body: bodyIn(text),
    requestId: "req_exchange",
    startedAt: 0,
    left: new AbortController().signal,
    owner: null,
    ...rest,
  };
}
