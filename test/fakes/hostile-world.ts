/**
 * A tenant in which every text that a tenant, a client, a server or a provider controls is an attack: markup, quotes, a
 * text that turns the direction of reading, and as many letters without a break as the field takes.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { adminOf, asking, callOnce, openSession } from "./caller.ts";
import type { Router } from "./router.ts";
import { sendJson, startWireServer, type WireRequest } from "./wire-server.ts";

const attack = `"'\`><img src=x onerror="window.hostile=true"></script><svg onload='window.hostile=true'>\u202egnirts\u2066=1+1`;
/** As long as a field takes. */
export const hostileText = (max = 10_000): string => attack + "W".repeat(max - attack.length);

const tenant = "hostile";
const policy = {
  capture: "full",
  providerMessages: true,
  limits: { usdPerDay: 1_000, requestsPerMinute: 500, concurrent: 50 },
  deniedModels: [hostileText(200)],
};

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;
};

/** Answers with an attack, or refuses with one. */
function provide({ wire, model }: WireRequest, response: ServerResponse): void {
  if (wire === null) return sendJson(response, 200, { object: "list", data: [{ id: "works" }] });
  if (model === "refuses") {
    const error = { message: hostileText(), type: attack, code: attack };
    return sendJson(response, 400, { error });
  }
  const message = { role: "assistant", content: hostileText() };
  sendJson(response, 200, {
    id: attack,
    object: "chat.completion",
    created: 0,
    model: attack,
    choices: [{ index: 0, message, finish_reason: attack }],
    usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  });
}

/** An MCP server of the older revisions, whose every word is an attack; a tool of it asks for sampling. */
function serverOfAttacks() {
  let calling: { id: unknown; stream: ServerResponse } | null = null;
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: hostileText(), title: attack, version: attack },
      instructions: hostileText(),
    },
    "tools/list": { tools: [{ name: attack, inputSchema: { type: "object" } }] },
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const { id, method } = body;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (method === "tools/call") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      calling = { id, stream: response };
      const asks = {
        jsonrpc: "2.0",
        id: 1,
        method: "sampling/createMessage",
        params: asking(hostileText()),
      };
      return void response.write(`data: ${JSON.stringify(asks)}\n\n`);
    }
    const result = results[String(method)];
    if (result !== undefined) {
      response.setHeader("Content-Type", "application/json");
      response.setHeader("Mcp-Session-Id", "s1");
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }
    response.writeHead(202).end();
    if (method !== undefined || calling === null) return;
    const done = { jsonrpc: "2.0", id: calling.id, result: { content: [] } };
    calling.stream.end(`data: ${JSON.stringify(done)}\n\n`);
    calling = null;
  };
}

async function listening(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** One call of a tool through the proxy, which the server answers by asking for sampling. */
async function callTool(router: Router, key: string): Promise<void> {
  const send = (body: object, more: Record<string, string> = {}) =>
    fetch(`${router.url}/mcp/${tenant}/tools`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...more,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const begun = await send({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { experimental: { [attack]: { [attack]: attack } } },
      clientInfo: { name: hostileText(1_000), version: hostileText(1_000) },
    },
  });
  expect([begun.status, await begun.text()]).toEqual([200, expect.stringContaining("2025-11-25")]);
  const session = {
    "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") ?? "",
    "MCP-Protocol-Version": "2025-11-25",
  };
  await (await send({ method: "notifications/initialized" }, session)).text();
  const called = await send(
    { id: 2, method: "tools/call", params: { name: attack, arguments: {} } },
    session,
  );
  expect([called.status, await called.text()]).toEqual([200, expect.stringContaining('"id":2')]);
}

export interface HostileWorld {
  tenant: string;
  stop(): Promise<void>;
}

export async function createHostileWorld(router: Router): Promise<HostileWorld> {
  const admin = adminOf(router, router.adminToken);
  const [provider, tools] = await Promise.all([
    startWireServer({ answers: provide }),
    listening(serverOfAttacks()),
  ]);
  const make = async (method: string, path: string, body: unknown) => {
    const answer = await admin(
      method,
      path === "" ? "/tenants" : `/tenants/${tenant}${path}`,
      body,
    );
    expect([path, answer.status, answer.text]).toEqual([
      path,
      expect.toSatisfy((status: number) => status < 300),
      answer.text,
    ]);
    return answer;
  };
  await make("POST", "", { slug: tenant, name: hostileText(200) });
  const modelOf = (id: string) => ({
    id,
    name: hostileText(200),
    contextTokens: 100_000,
    inputUsdPerMTok: 100,
    outputUsdPerMTok: 400,
  });
  await make("POST", "/credentials", {
    provider: "own",
    name: hostileText(200),
    apiKey: "provider-key",
    baseUrl: provider.url("own"),
    models: [modelOf("works"), modelOf("refuses"), modelOf(`a${attack}`)],
  });
  await make("POST", "/servers", {
    slug: "tools",
    url: `${originOf(tools)}/${encodeURIComponent(hostileText(300))}`,
    sampling: "router",
  });
  await make("PUT", "/policy", policy);
  await make("PUT", "/sign-in", {
    kind: "openid-connect",
    issuer: "https://id.example.com",
    clientId: attack,
    claim: attack,
    roles: { [attack]: "viewer" },
  });
  await make("POST", "/users", { subject: attack, name: hostileText(150) });
  const key = await make("POST", "/keys", {
    name: hostileText(200),
    scopes: ["sampling", "proxy", "tenant-admin"],
  });
  const secret = String(key.get("key"));
  const hinting = (name: string) =>
    asking(hostileText(), {
      systemPrompt: hostileText(),
      modelPreferences: { hints: [{ name }, { name: attack }] },
      metadata: { [attack]: attack },
    });
  await callOnce(router, secret, hinting("own/works"));
  await callOnce(router, secret, hinting("own/refuses"), {
    headers: { "User-Agent": attack.replaceAll(/[^\x20-\x7e]/g, "") },
  });
  const session = await openSession(router, secret, {
    capabilities: { sampling: {}, experimental: { [attack]: { [attack]: attack } } },
  });
  await session.sample(hinting("own/works"));
  await callTool(router, secret);
  // From now on calls are held, told of by webhook, and one model is stopped.
  await make("PATCH", "/policy", {
    approval: { mode: "request", webhookUrl: `${originOf(tools)}/${encodeURIComponent(attack)}` },
    stopped: { models: { [`own/a${attack}`.slice(0, 200)]: hostileText(200) } },
  });
  await make("POST", "/webhooks/secret", undefined);
  for (let held = 0; held < 2; held += 1)
    await callOnce(router, secret, hinting("own/works"), { headers: { Prefer: "wait=0" } });
  const waiting = await make("GET", "/approvals?state=waiting", undefined);
  const requestId = String(waiting.get("data.0.requestId"));
  await make("POST", `/approvals/${requestId}`, {
    decision: "deny",
    contentHash: String(waiting.get("data.0.contentHash")),
    reason: hostileText(200),
  });
  return {
    tenant,
    async stop() {
      tools.close();
      tools.closeAllConnections();
      await provider.stop();
    },
  };
}
