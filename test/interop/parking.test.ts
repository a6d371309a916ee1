/** Modern clients that a legacy server asks, through an entry with `parking`: official SDKs on both sides. */
import { randomUUID } from "node:crypto";
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { gates, startLegacyServer } from "../fakes/era-servers.ts";
import { proxyKey, register, sendModern, modernMeta, until } from "../fakes/proxied.ts";
import { startScriptedServer } from "../fakes/mcp-servers.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { messagesOf, type Message } from "../fakes/sse-messages.ts";

const modern = "2026-07-28";
const tenant = "parking";
let router: SharedRouter;
let server: Awaited<ReturnType<typeof startLegacyServer>>;
let key = "";
let url = "";

beforeAll(async () => {
  router = await borrowRouter();
  server = await startLegacyServer();
  await createTenant(router, tenant, { provider: "openai", baseUrl: "http://127.0.0.1:9" });
  key = await proxyKey(router, tenant);
  url = await register(router, tenant, {
    slug: "parks",
    url: server.url,
    bridge: "always",
    parking: true,
  });
});
afterAll(() => server?.stop());

const everything = { elicitation: { form: {}, url: {} } };
async function connect(capabilities: ClientCapabilities = everything): Promise<Client> {
  const client = new Client(
    { name: "parked", version: "1" },
    { versionNegotiation: { mode: { pin: modern } }, capabilities },
  );
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return client;
}
const textOf = (result: object): string =>
  (result as { content?: { text: string }[] }).content?.[0]?.text ?? "";

describe("the official client", () => {
  it("fills in a form, and its call goes on", async () => {
    const client = await connect();
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { name: "Ada" } };
    });
    const call = (name: string) => client.callTool({ name, arguments: { q: "q" } });
    expect(JSON.parse(textOf(await call("form")))).toMatchObject({
      action: "accept",
      content: { name: "Ada" },
    });
    expect(asked).toMatchObject([{ message: "q", requestedSchema: { type: "object" } }]);
    await client.close();
  });

  it("opens a page, of which its revision knows no id", async () => {
    const client = await connect();
    const asked: object[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return { action: "decline" };
    });
    const result = await client.callTool({ name: "url", arguments: { q: "q" } });
    expect(JSON.parse(textOf(result))).toEqual({ action: "decline" });
    expect(asked).toMatchObject([{ mode: "url", url: "https://example.com/open" }]);
    expect(Object.keys(asked[0] ?? {})).not.toContain("elicitationId");
    await client.close();
  });

  it("is asked several times in one call, and the server's sessions end with their calls", async () => {
    const client = await connect();
    let asked = 0;
    client.setRequestHandler("elicitation/create", () => {
      asked += 1;
      return { action: "accept", content: { name: String(asked) } };
    });
    const result = await client.callTool({ name: "twice", arguments: { q: "q" } });
    expect(JSON.parse(textOf(result))).toMatchObject([
      { content: { name: "1" } },
      { content: { name: "2" } },
    ]);
    await client.close();
    await until(() => server.sessions() <= 1);
  });

  it("shares a session, as before, if it takes no questions", async () => {
    const client = await connect({});
    const begun = () => server.heard.filter(({ body }) => body?.["method"] === "initialize").length;
    await client.callTool({ name: "logs", arguments: { q: "q" } });
    const before = begun();
    await client.callTool({ name: "logs", arguments: { q: "q" } });
    expect(begun()).toBe(before);
    await client.close();
  });
});

interface Asked {
  token?: string;
  at?: string;
  name?: string;
  q?: string;
  state?: unknown;
  responses?: object;
  signal?: AbortSignal;
}
const send = async (asked: Asked): Promise<Message> => {
  const { token = key, at = url, name = "form", q = "q", state, responses, signal } = asked;
  const response = await sendModern(at, token, {
    method: "tools/call",
    params: {
      name,
      arguments: { q },
      ...(state !== undefined && { requestState: state }),
      ...(responses !== undefined && { inputResponses: responses }),
      _meta: modernMeta(everything),
    },
    ...(signal !== undefined && { signal }),
  });
  return (await messagesOf(response).next()).value ?? {};
};
const accepted = (name: string) => ({
  "sampling-router/question": { action: "accept", content: { name } },
});
const begin = async (name: string) => {
  const q = randomUUID();
  const { result } = await send({ q, name });
  expect(result).toMatchObject({ resultType: "input_required" });
  return { q, name, state: result?.["requestState"] };
};

describe("a parked call", () => {
  it("goes on for its caller alone, once, and identical answers join", async () => {
    const { q, name, state } = await begin("gated");
    const otherKey = await proxyKey(router, tenant);
    const otherUrl = await register(router, tenant, {
      slug: "parks-too",
      url: server.url,
      bridge: "always",
      parking: true,
    });
    const given = { q, name, state, responses: accepted("Ada") };
    const crossed = await Promise.all([
      send({ ...given, token: otherKey }),
      send({ ...given, at: otherUrl }),
      send({ ...given, q: "another" }),
      send({ ...given, name: "url" }),
      send({ ...given, state: `${String(state)}x` }),
      send({ ...given, state: "forged" }),
    ]);
    const [first] = crossed;
    expect(first?.error).toMatchObject({ code: -32602 });
    for (const { error } of crossed) expect(error?.["message"]).toBe(first?.error?.["message"]);
    // Without an answer, the question is asked once more.
    expect((await send({ q, name, state })).result).toMatchObject({ resultType: "input_required" });
    const one = send(given);
    await until(() => gates.has(q));
    const different = await send({ ...given, responses: accepted("Mallory") });
    expect(different.error?.["message"]).toBe(first?.error?.["message"]);
    const same = send(given);
    gates.get(q)?.();
    expect(JSON.stringify((await one).result)).toContain("Ada");
    // It joined the first one, or was too late to.
    expect(JSON.stringify(await same)).toMatch(/Ada|may have taken effect/);
    // It has ended: nothing runs again.
    const calls = () =>
      server.heard.filter(({ text }) => text.includes(q) && text.includes("tools/call")).length;
    expect(calls()).toBe(1);
    expect((await send(given)).error?.["message"]).toContain("may have taken effect");
    expect(calls()).toBe(1);
  });

  it("is limited for each key", async () => {
    const own = await proxyKey(router, tenant);
    const parked = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send({ token: own, q: `n${at}` })),
    );
    for (const { result } of parked) expect(result).toMatchObject({ resultType: "input_required" });
    expect((await send({ token: own, q: "more" })).error).toMatchObject({
      message: "Rate limit exceeded: key.parkedCalls; try again in 60 s",
      data: { reason: "rate_limited", limit: "key.parkedCalls" },
    });
    const finish = ({ result }: Message, q: string) =>
      send({ token: own, q, state: result?.["requestState"], responses: accepted("Ada") });
    await Promise.all(parked.map((one, at) => finish(one, `n${at}`)));
    const more = await send({ token: own, q: "more" });
    expect((await finish(more, "more")).result).toMatchObject({ resultType: "complete" });
  });

  it("ends with its client before the first question", async () => {
    const left = new AbortController();
    const asked = send({ name: "waits", signal: left.signal }).catch(() => null);
    const call = () => server.heard.find(({ text }) => text.includes('"waits"'));
    await until(() => call() !== undefined);
    left.abort();
    await asked;
    const session = call()?.headers["mcp-session-id"];
    await until(() =>
      server.heard.some(
        ({ method, headers }) => method === "DELETE" && headers["mcp-session-id"] === session,
      ),
    );
  });
});

const event = (message: object): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const question = { method: "elicitation/create", params: { mode: "form", message: "q" } };

/** @param about `asks`: what it sends in a call; `takes`: its status for answers */
async function startAsking({ slug, asks, takes }: { slug: string; asks: object[]; takes: number }) {
  const asking = await startScriptedServer(({ method, body }, response) => {
    const { method: called, id } = body ?? {};
    const session = slug === "sessionless" ? {} : { "Mcp-Session-Id": randomUUID() };
    if (method === "GET") response.writeHead(405).end();
    else if (called === "initialize") {
      const serverInfo = { name: "asking", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
      response.writeHead(200, { "Content-Type": "application/json", ...session });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    } else if (called === "tools/call") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const [at, message] of asks.entries()) response.write(event({ id: at, ...message }));
    } else response.writeHead(called === undefined && method === "POST" ? takes : 202).end();
  });
  const entry = { slug, url: asking.url, bridge: "always", parking: true };
  return { asking, at: await register(router, tenant, entry) };
}

describe("a server", () => {
  const maybe = "The request may have taken effect, and isn't repeated.";

  it("that forgets the session of a parked call: its client hears it, and the session ends", async () => {
    const { asking, at } = await startAsking({ slug: "forgets", asks: [question], takes: 404 });
    const { result } = await send({ at });
    const state = result?.["requestState"];
    expect((await send({ at, state, responses: accepted("Ada") })).error).toMatchObject({
      message: `The MCP server failed: It didn't take the client's answer. ${maybe}`,
      data: { reason: "server_failed", serverStatus: 404, retryable: false },
    });
    await until(() => asking.heard.some(({ method }) => method === "DELETE"));
    await asking.stop();
  });

  it("that dies while a call is parked: its client hears that the call may have run", async () => {
    const { asking, at } = await startAsking({ slug: "dies", asks: [question], takes: 202 });
    const { result } = await send({ at });
    await asking.stop();
    const state = result?.["requestState"];
    expect((await send({ at, state, responses: accepted("Ada") })).error).toMatchObject({
      message: `The MCP server failed: It didn't take the client's answer. ${maybe}`,
      data: { serverStatus: null, retryable: false },
    });
  });

  it("without sessions that asks for anything else is answered by the router", async () => {
    const asks = [{ method: "ping" }, { method: "roots/list" }, question];
    const { asking, at } = await startAsking({ slug: "sessionless", asks, takes: 202 });
    const { result } = await send({ at });
    expect(JSON.stringify(result)).toContain('"message":"q"');
    const answers = asking.heard
      .map(({ body }) => body)
      .filter((body) => !("method" in (body ?? {})));
    expect(answers.filter((body) => body !== null)).toMatchObject([
      { id: 0, result: {} },
      { id: 1, error: { data: { reason: "capability_missing" } } },
    ]);
    await asking.stop();
  });
});

it("an entry says so, and the default is not to park", async () => {
  const admin = adminOf(router, router.adminToken);
  const path = `/tenants/${tenant}/servers/parks`;
  expect((await admin("GET", path)).get("parking")).toBe(true);
  expect((await admin("PATCH", path, { parking: null })).get("parking")).toBe(false);
});
