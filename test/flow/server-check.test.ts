/** What an administrator learns of the program behind a registered URL. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { serverCheckOf } from "../../src/domain/servers/server-check.ts";
import { createProbe } from "../../src/mcp/probe.ts";
import { adminOf } from "../fakes/caller.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import { startRawServer, type RawHandler, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { startSdkServer, type SdkServer } from "../fakes/sdk-server.ts";
import { startSdkSessionServer, type SdkSessionServer } from "../fakes/sdk-session-server.ts";

let router: SharedRouter;
let raw: RawServer;
let modern: SdkServer;
let legacy: SdkSessionServer;
let everything: Awaited<ReturnType<typeof startEverything>>;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  [router, raw, modern, legacy, everything] = await Promise.all([
    borrowRouter(),
    startRawServer({ probes: "scripted" }),
    startSdkServer(),
    startSdkSessionServer(),
    startEverything(),
  ]);
  admin = adminOf(router, router.adminToken);
  expect((await admin("POST", "/tenants", { slug: "checks", name: "Checks" })).status).toBe(201);
});
afterAll(() => Promise.all([raw, modern, legacy, everything].map((each) => each?.stop())));

let made = 0;
async function check(url: string): Promise<unknown> {
  made += 1;
  const slug = `s-${made}`;
  const created = await admin("POST", "/tenants/checks/servers", { slug, url, sampling: "router" });
  expect([created.status, created.text]).toEqual([201, created.text]);
  const answer = await admin("POST", `/tenants/checks/servers/${slug}/check`);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function checkRaw(handler: RawHandler): Promise<unknown> {
  raw.clear();
  raw.handle(handler);
  return check(raw.url);
}

const noServer = { ok: false, era: null, name: null, tools: null };
const saying = (part: string) => ({ detail: expect.stringContaining(part) as string });

it("a server of 2026-07-28 is named with its era and its tools", async () => {
  expect(await check(modern.url)).toEqual({
    ok: true,
    status: 200,
    era: "modern",
    name: "sdk-v2",
    tools: expect.any(Number) as number,
    detail: expect.stringMatching(
      /^An MCP server "sdk-v2", revision 2026-07-28, \d+ tools\. Not protected: /,
    ) as string,
  });
});

it("an older server is named too, and the session that was begun for it is ended", async () => {
  expect(await check(legacy.url)).toEqual({
    ok: true,
    status: 200,
    era: "legacy",
    name: "sdk-v2-sessions",
    tools: 5,
    detail: 'An MCP server "sdk-v2-sessions", revision 2025-11-25, 5 tools.',
  });
  expect(legacy.heard.at(-1)?.method).toBe("DELETE");
});

it("the official example server is named with its era and its tools", async () => {
  expect(await check(everything.url)).toMatchObject({ ok: true, era: "legacy", status: 200 });
});

it("tools are counted over all pages, and not without an end", async () => {
  const pages =
    (last: number): RawHandler =>
    ({ json }, reply) => {
      const result = (value: object) => reply.json({ jsonrpc: "2.0", id: json.id, result: value });
      if (json.method === "initialize")
        return result({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "paged\u001b[31m" },
        });
      if (json.method !== "tools/list") return reply.json({}, { status: 404 });
      const page = Number(json.params?.["cursor"] ?? 1);
      return result({
        tools: [{ name: `a${page}` }, { name: `b${page}` }],
        ...(page < last ? { nextCursor: String(page + 1) } : {}),
      });
    };
  expect(await checkRaw(pages(3))).toMatchObject({
    ok: true,
    name: "paged[31m",
    tools: 6,
    detail: 'An MCP server "paged[31m", revision 2025-06-18, 6 tools.',
  });
  expect(await checkRaw(pages(1_000))).toMatchObject({
    ok: true,
    tools: 40,
    ...saying("more than 40 tools"),
  });
});

it.each<[string, number, string, RawHandler]>([
  [
    "a wrong path",
    404,
    "not found (404)",
    (_, reply) => reply.text("", { status: 404, headers: { "Content-Type": "text/plain" } }),
  ],
  [
    "a path that takes no POST",
    405,
    "doesn't accept POST (405)",
    (_, reply) => reply.text("", { status: 405 }),
  ],
  [
    "a page",
    200,
    "A web page, not an MCP server",
    (_, reply) =>
      reply.text("<!doctype html>", { headers: { "Content-Type": "text/html; charset=utf-8" } }),
  ],
  [
    "a service of JSON that is no MCP",
    200,
    "Not an MCP server",
    (_, reply) => reply.json({ hello: "world" }),
  ],
  [
    "a service of JSON-RPC that is no MCP",
    200,
    "rejects initialize (error -32601)",
    ({ json }, reply) =>
      reply.json({ jsonrpc: "2.0", id: json.id, error: { code: -32601, message: "No." } }),
  ],
  [
    "a redirect, without what its address may hold",
    308,
    "redirects (308) to https://elsewhere.example/mcp:",
    (_, reply) =>
      reply.text("", {
        status: 308,
        headers: { Location: "https://elsewhere.example/mcp?token=secret" },
      }),
  ],
  [
    "the transport of 2024-11-05",
    404,
    "HTTP+SSE",
    ({ method }, reply) => {
      if (method === "GET") reply.stream().write("event: endpoint\ndata: /messages\n\n");
      else reply.text("", { status: 404 });
    },
  ],
  ["a failing server", 503, "failed (503)", (_, reply) => reply.text("", { status: 503 })],
  ["a server that forbids", 403, "denied access", (_, reply) => reply.text("", { status: 403 })],
])("%s is said in words", async (_, status, words, handler) => {
  const found = await checkRaw(handler);
  expect(found).toEqual({ ...noServer, status, ...saying(words) });
  expect(JSON.stringify(found)).not.toContain("secret");
});

it("an address without a server is said in words", async () => {
  expect(await check("http://127.0.0.1:1/mcp")).toEqual({
    ...noServer,
    status: null,
    ...saying("No answer"),
  });
});

it("an answer that comes in a stream which stays open is read", async () => {
  const found = await checkRaw(({ json }, reply) => {
    if (json.method !== "initialize") return reply.json({}, { status: 400 });
    const stream = reply.stream();
    stream.write(': hello\n\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\n');
    const result = { protocolVersion: "2025-03-26", capabilities: {}, serverInfo: { name: "s" } };
    stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: json.id, result })}\r\n\r\n`);
  });
  expect(found).toMatchObject({ ok: true, era: "legacy", name: "s", tools: null });
});

it.each([
  ["http://mcp.example.com/mcp", "Only https is called"],
  ["https://10.0.0.1/mcp", "Private addresses are not called"],
])(
  "%s is not asked where the router calls no such address, and the check says why",
  async (url, why) => {
    const fetch = () => Promise.reject(new Error("asked"));
    const seen = serverCheckOf(await createProbe({ fetch, allowPrivate: false })(url, {}));
    expect(seen).toEqual({ ...noServer, status: null, ...saying(`Not called. ${why}`) });
  },
);
