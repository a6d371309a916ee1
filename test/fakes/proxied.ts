/** Clients of a registered server, through a running router. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  type ClientCapabilities,
  type CreateMessageRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";
import { adminOf, type Answered } from "./caller.ts";
import type { SharedRouter } from "./shared-router.ts";
import { patient } from "../setup/patience.ts";

/** Registers a server of a tenant; gives back the proxy's URL for it. */
export async function register(
  router: SharedRouter,
  tenant: string,
  entry: { slug: string; url: string; sampling?: string } & Record<string, unknown>,
): Promise<string> {
  const admin = adminOf(router, router.adminToken);
  const made = await admin("POST", `/tenants/${tenant}/servers`, { sampling: "router", ...entry });
  expect(made.text).toContain('"id":"srv_');
  return `${router.url}/mcp/${tenant}/${entry.slug}`;
}

/** A key that may use the proxy. */
export async function proxyKey(router: SharedRouter, tenant: string): Promise<string> {
  const admin = adminOf(router, router.adminToken);
  const made = await admin("POST", `/tenants/${tenant}/keys`, { name: "p", scopes: ["proxy"] });
  expect(made.status).toBe(201);
  return String(made.get("key"));
}

/** The audit records of a tenant, newest first. */
export async function recordsOf(router: SharedRouter, tenant: string) {
  const answer: Answered = await adminOf(router, router.adminToken)(
    "GET",
    `/tenants/${tenant}/requests?limit=200`,
  );
  return answer.get("data") as {
    outcome: string;
    reason: string | null;
    who: Record<string, unknown>;
    costMicroUsd: number | null;
  }[];
}

export interface Proxied {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** what the client itself was asked to sample */
  asked: CreateMessageRequest["params"][];
  /** The text of a tool's first block. */
  call(tool: string, text: string): Promise<string>;
}

/** The official client, v1. With `samples`, it answers sampling requests by itself. */
export async function connectThrough(
  url: string,
  key: string,
  about: { capabilities?: ClientCapabilities; samples?: string; fetch?: typeof fetch } = {},
): Promise<Proxied> {
  const capabilities = about.capabilities ?? (about.samples === undefined ? {} : { sampling: {} });
  const client = new Client({ name: "proxied", version: "7" }, { capabilities });
  const asked: CreateMessageRequest["params"][] = [];
  if (about.samples !== undefined) {
    const text = about.samples;
    client.setRequestHandler(CreateMessageRequestSchema, (request) => {
      asked.push(request.params);
      return { role: "assistant", model: "client", content: { type: "text", text } };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    ...(about.fetch === undefined ? {} : { fetch: about.fetch }),
  });
  await client.connect(transport);
  return {
    client,
    transport,
    asked,
    async call(tool, text) {
      const result = await client.callTool({ name: tool, arguments: { text } });
      const [block] = result.content as { text: string }[];
      return block?.text ?? "";
    },
  };
}

export interface RawClient {
  sessionId: string | null;
  /** Sends text as it is. */
  post(text: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  request(id: number | string, method: string, params: unknown): Promise<Response>;
  get(headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  end(): Promise<Response>;
}

/** A client that does nothing by itself: no GET stream, no `notifications/initialized`. */
export async function openRaw(
  url: string,
  key: string,
  about: { revision?: string; capabilities?: unknown } = {},
): Promise<RawClient> {
  const revision = about.revision ?? "2025-11-25";
  const session: Record<string, string> = {};
  const headers = (more: Record<string, string> = {}) => ({
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...session,
    ...more,
  });
  const post: RawClient["post"] = (text, more, signal) =>
    fetch(url, {
      method: "POST",
      headers: headers(more),
      body: text,
      ...(signal === undefined ? {} : { signal }),
    });
  const begun = await post(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "init",
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: about.capabilities ?? {},
        clientInfo: { name: "raw", version: "1" },
      },
    }),
  );
  expect(await begun.text()).toContain(`"protocolVersion":"${revision}"`);
  const sessionId = begun.headers.get("mcp-session-id");
  if (sessionId !== null) session["Mcp-Session-Id"] = sessionId;
  session["MCP-Protocol-Version"] = revision;
  return {
    sessionId,
    post,
    request: (id, method, params) => post(JSON.stringify({ jsonrpc: "2.0", id, method, params })),
    get: (more, signal) =>
      fetch(url, {
        headers: headers({ Accept: "text/event-stream", ...more }),
        ...(signal === undefined ? {} : { signal }),
      }),
    end: () => fetch(url, { method: "DELETE", headers: headers() }),
  };
}

export const modernRevision = "2026-07-28";
const ns = "io.modelcontextprotocol";
/** What a modern request says of its sender. */
export const modernMeta = (capabilities: unknown = {}) => ({
  [`${ns}/protocolVersion`]: modernRevision,
  [`${ns}/clientInfo`]: { name: "test", version: "1" },
  [`${ns}/clientCapabilities`]: capabilities,
});

export interface ModernRequest {
  id?: unknown;
  method?: string;
  /** `_meta` is that of `modernMeta()` where it isn't named */
  params?: Record<string, unknown>;
  /** beside those that an official client sends, or in their place; null: without */
  headers?: Record<string, string | null>;
  /** in place of what it would say */
  text?: string;
  signal?: AbortSignal;
}

/** One modern request, as an official client sends it. */
export function sendModern(url: string, key: string, request: ModernRequest): Promise<Response> {
  const { id = 7, method = "tools/call", params = {} } = request;
  const name = params[method === "resources/read" ? "uri" : "name"];
  const headers: Record<string, string | null> = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": modernRevision,
    "Mcp-Method": method,
    "Mcp-Name": typeof name === "string" ? name : null,
    ...request.headers,
  };
  const said = { _meta: modernMeta(), ...params };
  return fetch(url, {
    method: "POST",
    headers: Object.entries(headers).flatMap(([header, value]): [string, string][] =>
      value === null ? [] : [[header, value]],
    ),
    body: request.text ?? JSON.stringify({ jsonrpc: "2.0", id, method, params: said }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
}

/** Resolves once the condition is true. */
export async function until(what: () => boolean | Promise<boolean>, withinMs = patient(10_000)) {
  const end = performance.now() + withinMs;
  while (!(await what())) {
    if (performance.now() > end) throw new Error("It did not come true.");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
