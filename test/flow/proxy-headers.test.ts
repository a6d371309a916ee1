/** Headers that cross the proxy, in every mode and every family of revisions: those of the lists. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samplingModes } from "../../src/domain/servers/server.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { startScriptedServer, type FakeServer, type Heard } from "../fakes/mcp-servers.ts";
import { openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "headers";
let router: SharedRouter;
let older: FakeServer;
let newer: RawServer;
let key = "";
/** whether the servers answer by a stream */
let streams = false;
let status = 200;

/** A server that means harm, or knows nothing of the router. */
const said = {
  "Accept-CH": "Sec-CH-UA",
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": "public, max-age=60, s-maxage=900",
  "Clear-Site-Data": '"*"',
  "Content-Disposition": "attachment",
  "Content-Language": "de",
  ETag: '"1"',
  "Last-Modified": "Wed, 21 Oct 2026 07:28:00 GMT",
  Link: "<https://elsewhere.test>; rel=preload",
  "Mcp-Own": "1",
  RateLimit: '"forged";r=0;t=1',
  "RateLimit-Policy": '"forged";q=1;w=1',
  "Retry-After": "3",
  "Server-Timing": "forged;dur=1",
  "Set-Cookie": "a=b",
  "Surrogate-Control": "max-age=900",
  Vary: "*",
  "WWW-Authenticate": "Bearer",
  "X-Accel-Redirect": "/etc/passwd",
  "X-Own": "1",
  "X-Request-Id": "forged",
  "X-Sendfile": "/etc/passwd",
};
const returned = {
  "content-language": "de",
  "last-modified": said["Last-Modified"],
  "mcp-own": "1",
  "retry-after": "3",
};
/** Of the runtime, and of the body that it writes. */
const framing =
  /^(connection|content-encoding|content-length|content-type|date|keep-alive|transfer-encoding)$/;

/** What comes of the client that is the list's, and what is not. */
const listed = {
  "Accept-Language": "de",
  baggage: "a=b",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "a=b",
};
const others = {
  "Remote-User": "root",
  "User-Agent": "client/1",
  "X-Forwarded-User": "root",
  "X-Remote-User": "root",
  "X-Request-Id": "1",
  "X-Workspace": "w",
  Cookie: "a=b",
  X_Workspace: "u",
};

const result = (id: unknown, value: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } });

function answer({ body }: Heard, response: ServerResponse): void {
  const id = body?.["id"];
  if (body?.["method"] === "initialize") {
    const serverInfo = { name: "s", version: "1" };
    const begun = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
    response.writeHead(200, {
      ...said,
      "Content-Type": "application/json",
      "Mcp-Session-Id": "s-1",
    });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: begun }));
    return;
  }
  if (id === undefined) return void response.writeHead(202).end();
  const text = result(id, { tools: [] });
  response.writeHead(status, {
    ...said,
    "Content-Type": streams ? "text/event-stream" : "application/json",
  });
  response.end(streams ? `data: ${text}\n\n` : text);
}

beforeAll(async () => {
  [router, older, newer] = await Promise.all([
    borrowRouter(),
    startScriptedServer(answer),
    startRawServer(),
  ]);
  newer.handle(({ json }, reply) => {
    if (json.method === "initialize") return reply.text("", { status: 404, headers: said });
    const text = result(json.id, { tools: [], ttlMs: 0, cacheScope: "private" });
    if (!streams) return reply.text(text, { status, headers: said });
    const stream = reply.stream(said);
    stream.write(`data: ${text}\n\n`);
    stream.end();
  });
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
});
afterAll(async () => {
  await Promise.all([older?.stop(), newer?.stop()]);
});

const list = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });

type Way = "older, directly" | "newer, directly" | "newer to older" | "older to newer";
const ways: Way[] = ["older, directly", "newer, directly", "newer to older", "older to newer"];
const isOldServer = (way: Way): boolean => way === "older, directly" || way === "newer to older";

let slugs = 0;
async function asked(way: Way, entry: Record<string, unknown>) {
  const slug = `h${(slugs += 1)}`;
  const url = await register(router, tenant, {
    slug,
    url: isOldServer(way) ? older.url : newer.url,
    ...entry,
  });
  const headers = { ...listed, ...others };
  older.heard.length = 0;
  newer.clear();
  const response =
    way === "newer, directly" || way === "newer to older"
      ? await sendModern(url, key, { method: "tools/list", headers })
      : await (await openRaw(url, key)).post(list(7), headers);
  const text = await response.text();
  const heard = (isOldServer(way) ? older.heard : newer.requests()).map(
    (request) => request.headers,
  );
  return { response, text, last: heard.at(-1) ?? {} };
}

const shown = (response: Response): Record<string, string> =>
  Object.fromEntries([...response.headers].filter(([name]) => !framing.test(name)));

describe.each(samplingModes)("in the mode %s", (sampling) => {
  it.each(
    ways.flatMap((way) => [
      [way, false, 200] as const,
      [way, true, 200] as const,
      ...(way.endsWith("directly") ? [[way, false, 503] as const] : []),
    ]),
  )("only listed headers cross: %s, stream %s, status %i", async (way, isStream, answered) => {
    [streams, status] = [isStream, answered];
    const { response, text, last } = await asked(way, { sampling });
    expect(response.status).toBe(status);
    expect(text).toContain('"tools":[]');
    const bridged = !way.endsWith("directly");
    const { "cache-control": rules, "x-accel-buffering": __, ...rest } = shown(response);
    expect(rest).toEqual({
      ...(bridged ? {} : returned),
      "x-content-type-options": "nosniff",
      vary: "Authorization, X-Sampling-Router-Key, Origin",
    });
    expect(rules?.split(", ")).toContain("private");
    expect(rules).not.toMatch(/public|s-maxage/);

    for (const [name, value] of Object.entries(listed))
      expect(last[name.toLowerCase()]).toBe(value);
    for (const name of Object.keys(others))
      if (name !== "User-Agent") expect(last).not.toHaveProperty(name.toLowerCase());
    expect(last).toMatchObject({
      "user-agent": "sampling-router",
      "x-sampling-router-hops": "1",
      "mcp-protocol-version": isOldServer(way) ? "2025-11-25" : "2026-07-28",
      ...(isOldServer(way) ? { "mcp-session-id": "s-1" } : { "mcp-method": "tools/list" }),
    });
  });

  it.each(ways)("headers that the entry names cross too: %s", async (way) => {
    [streams, status] = [false, 200];
    const passHeaders = ["x-workspace", "Remote-User", "User-Agent"];
    const { last } = await asked(way, { sampling, passHeaders });
    expect(last).toMatchObject({
      "x-workspace": "w",
      "remote-user": "root",
      "user-agent": "client/1",
    });
    expect(last).not.toHaveProperty("x-request-id");
    expect(last).not.toHaveProperty("x_workspace");
  });
});

it("a stream on GET is private too", async () => {
  const server = await startScriptedServer((heard, response) => {
    if (heard.method !== "GET") return answer(heard, response);
    response.writeHead(200, { ...said, "Content-Type": "text/event-stream" });
    response.end(": hello\n\n");
    return undefined;
  });
  const url = await register(router, tenant, { slug: "get", url: server.url, sampling: "client" });
  const response = await (await openRaw(url, key)).get({ ...others });
  expect(await response.text()).toContain("hello");
  const { "x-accel-buffering": _, ...rest } = shown(response);
  expect(rest).toEqual({
    ...returned,
    "cache-control": "private, max-age=60",
    "x-content-type-options": "nosniff",
    vary: "Authorization, X-Sampling-Router-Key, Origin",
  });
  await server.stop();
});

it("the router's own refusals are private too, and have the router's request id", async () => {
  const response = await fetch(`${router.url}/mcp/${tenant}/none`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "X-Request-Id": "forged" },
    body: list(1),
  });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "private",
    "x-content-type-options": "nosniff",
    vary: "Authorization, X-Sampling-Router-Key, Origin",
    "x-request-id": expect.stringMatching(/^req_/) as string,
  });
});

it("what a browser of the router's own origin gets varies by it as well, once", async () => {
  const url = await register(router, tenant, { slug: "cors", url: older.url });
  const headers = { Authorization: `Bearer ${key}`, Origin: router.url };
  const response = await fetch(url, { method: "POST", headers, body: list(1) });
  expect(response.headers.get("vary")).toBe("Authorization, X-Sampling-Router-Key, Origin");
  expect(response.headers.get("access-control-allow-origin")).toBe(router.url);
});

it("a check names what an entry lets through", async () => {
  const admin = adminOf(router, router.adminToken);
  const path = `/tenants/${tenant}/servers`;
  for (const [slug, passHeaders, words] of [
    ["c-none", [], null],
    ["c-some", ["X-Workspace", "Remote-User"], "X-Workspace, Remote-User"],
  ] as const) {
    await register(router, tenant, { slug, url: older.url, passHeaders });
    const detail = String((await admin("POST", `${path}/${slug}/check`)).get("detail"));
    expect(detail).toContain('An MCP server "s"');
    if (words === null) expect(detail).not.toContain("passHeaders");
    else expect(detail).toContain(words);
  }
});
