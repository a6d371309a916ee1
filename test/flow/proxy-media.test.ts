/** What a server calls its body: nothing that a client could read as a stream reaches it unread. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import {
  connectThrough,
  openRaw,
  proxyKey,
  register,
  sendModern,
  until,
} from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "media";
let router: SharedRouter;
let server: Server;
let key = "";
const urls = new Map<string, string>();

interface Said {
  status?: number;
  /** null: no header */
  type: string | null;
  body: string;
}
let answersCalls: Said | null = null;
let answersGet: Said | null = null;
let answersNotes: Said | null = null;
let answersDelete: Said | null = null;

const asksToSample =
  'data: {"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5}}\n\n';
const result = { content: [{ type: "text", text: "done" }] };

function send(response: ServerResponse, { status = 200, type, body }: Said): void {
  response.writeHead(status, type === null ? {} : { "Content-Type": type });
  response.end(body);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  if (request.method === "GET")
    return send(response, answersGet ?? { status: 405, type: null, body: "" });
  if (request.method === "DELETE") return send(response, answersDelete ?? { type: null, body: "" });
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: string };
  const json = (message: object) => ({
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", id, ...message }),
  });
  if (method === "server/discover")
    return send(response, { status: 404, ...json({ error: { code: -32601, message: "no" } }) });
  if (method === "initialize") {
    response.setHeader("Mcp-Session-Id", crypto.randomUUID());
    const said = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
    const serverInfo = { name: "raw", version: "1" };
    return send(response, json({ result: { ...said, serverInfo } }));
  }
  if (id === undefined)
    return send(response, answersNotes ?? { status: 202, type: null, body: "" });
  if (method === "tools/call" && answersCalls !== null) return send(response, answersCalls);
  return send(response, json({ result: method === "tools/list" ? { tools: [] } : result }));
}

beforeAll(async () => {
  router = await borrowRouter();
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  for (const sampling of ["router", "deny", "client", "client-then-router"])
    urls.set(sampling, await register(router, tenant, { slug: sampling, url, sampling }));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  answersCalls = answersGet = answersNotes = answersDelete = null;
});
const urlOf = (mode: string): string => urls.get(mode) ?? "";

const unread = [
  "text/event-stream2",
  "text/plain; x=text/event-stream",
  "application/json, text/event-stream",
  "text/html",
  null,
];

describe.each(["router", "deny", "client-then-router"])("in the mode %s", (mode) => {
  it.each(unread)("an answer that is called %s is refused", async (type) => {
    answersCalls = { type, body: asksToSample };
    const raw = await openRaw(urlOf(mode), key);
    const called = await raw.request(3, "tools/call", { name: "t" });
    const text = await called.text();
    expect(JSON.parse(text)).toMatchObject({
      id: 3,
      error: { code: -502, data: { reason: "server_failed", serverStatus: 200 } },
    });
    expect(text).not.toContain("createMessage");
    const modern = await sendModern(urlOf(mode), key, { id: 4, params: { name: "t" } });
    expect(await modern.text()).not.toContain("createMessage");
  });

  it("a JSON answer keeps no parameter that a client reads as another type", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 3, result });
    answersCalls = { type: 'application/json; x="text/event-stream"', body };
    const raw = await openRaw(urlOf(mode), key);
    const called = await raw.request(3, "tools/call", { name: "t" });
    expect(called.headers.get("Content-Type")).toBe("application/json");
    expect(await called.json()).toMatchObject({ id: 3, result });
  });

  it.each(["application/json", "text/plain", null])(
    "an answer to GET that is called %s is refused, since clients read it as a stream",
    async (type) => {
      answersGet = { type, body: asksToSample };
      const raw = await openRaw(urlOf(mode), key);
      const opened = await raw.get();
      expect(opened.status).toBe(502);
      expect(await opened.text()).not.toContain("createMessage");
    },
  );

  it.each([400, 404, 418, 500])("status %i passes, with its body if it is JSON", async (status) => {
    const raw = await openRaw(urlOf(mode), key);
    for (const type of ["text/event-stream", "text/html", null]) {
      answersCalls = { status, type, body: asksToSample };
      const called = await raw.request(3, "tools/call", { name: "t" });
      expect([called.status, await called.text()]).toEqual([status, ""]);
      expect(called.headers.get("Content-Type")).toBeNull();
    }
    for (const type of ["application/json", "application/problem+json"]) {
      answersCalls = { status, type, body: '{"no":1}' };
      const called = await raw.request(3, "tools/call", { name: "t" });
      expect([called.status, await called.text()]).toEqual([status, '{"no":1}']);
    }
  });

  it("an answer that nobody waits for passes without its body", async () => {
    const raw = await openRaw(urlOf(mode), key);
    answersNotes = { status: 202, type: "text/plain", body: "Accepted" };
    const noted = await raw.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([noted.status, await noted.text()]).toEqual([202, ""]);
    answersNotes = { status: 200, type: null, body: "" };
    const empty = await raw.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([empty.status, await empty.text()]).toEqual([200, ""]);
    answersDelete = { status: 200, type: "text/html", body: "OK" };
    const ended = await raw.end();
    expect([ended.status, await ended.text()]).toEqual([200, ""]);
  });
});

it("in the mode client everything passes as it came", async () => {
  const raw = await openRaw(urlOf("client"), key);
  for (const type of unread) {
    answersCalls = { type, body: asksToSample };
    const called = await raw.request(3, "tools/call", { name: "t" });
    expect([called.status, await called.text()]).toEqual([200, asksToSample]);
    expect(called.headers.get("Content-Type")).toBe(type);
  }
  answersCalls = { status: 500, type: "text/html", body: "<p>no</p>" };
  expect(await (await raw.request(3, "tools/call", { name: "t" })).text()).toBe("<p>no</p>");
});

describe("the official client behind deny", () => {
  // This client reads any answer to its GET as a stream.
  it.each(["text/event-stream2", "application/json", "text/plain"])(
    "is never asked to sample, also where the answer to its GET is called %s",
    async (type) => {
      answersGet = { type, body: asksToSample };
      const client = await connectThrough(urlOf("deny"), key, { samples: "No." });
      const opened: Promise<unknown> = new Promise((resolve) => {
        Object.assign(client.transport, { onerror: resolve });
      });
      const asked = until(() => client.asked.length > 0).then(
        () => "asked",
        () => "nothing",
      );
      // The stream that is refused is an error of the transport.
      expect(await Promise.race([asked, opened])).not.toBe("asked");
      expect(client.asked).toEqual([]);
      await client.client.close();
    },
  );
});
