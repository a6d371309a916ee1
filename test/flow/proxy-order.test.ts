/** A client's messages reach the server in the order in which the client sent them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { samplingModes } from "../../src/domain/servers/server.ts";

const tenant = "order";
let router: SharedRouter;
let server: RawServer;
let key = "";
let sessions = 0;
/** what the server saw, in order */
let seen: string[] = [];
let hold: PromiseWithResolvers<void>;

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer({ probes: "scripted" })]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  server.handle(async ({ method, json }, reply) => {
    if (json.method === "server/discover") return reply.json({}, { status: 400 });
    if (json.method === "initialize") {
      const serverInfo = { name: "raw", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
      sessions += 1;
      const headers = { "Mcp-Session-Id": `s${sessions}` };
      return reply.json({ jsonrpc: "2.0", id: json.id, result }, { headers });
    }
    if (method !== "GET") {
      seen.push(String(json.method));
      return reply.json({ jsonrpc: "2.0", id: json.id, result: {} });
    }
    seen.push("GET");
    await hold.promise;
    seen.push("GET is open");
    reply.stream();
  });
}, 120_000);
afterAll(async () => {
  await server?.stop();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it.each(samplingModes)(
  "%s: no request overtakes the GET that was sent before",
  async (sampling) => {
    const url = await register(router, tenant, {
      slug: `o-${sampling}`,
      url: server.url,
      sampling,
    });
    const client = await openRaw(url, key);
    seen = [];
    hold = Promise.withResolvers();
    const left = new AbortController();
    const got = client.get({}, left.signal);
    const posted = client.request(1, "tools/list", {});
    const noted = client.post('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}');
    await pause(300);
    hold.resolve();
    await Promise.all([got, posted, noted].map(async (each) => (await each).status));
    expect(seen.slice(0, 2)).toEqual(["GET", "GET is open"]);
    expect(seen.slice(2).toSorted()).toEqual(["notifications/roots/list_changed", "tools/list"]);
    left.abort();
  },
);

it("waits a second at most for a server that says nothing", async () => {
  const url = await register(router, tenant, {
    slug: "silent",
    url: server.url,
    sampling: "client",
  });
  const client = await openRaw(url, key);
  seen = [];
  hold = Promise.withResolvers();
  const left = new AbortController();
  const got = client.get({}, left.signal).catch(() => null);
  await client.request(1, "tools/list", {});
  expect(seen).toEqual(["GET", "tools/list"]);
  left.abort();
  hold.resolve();
  await got;
});
