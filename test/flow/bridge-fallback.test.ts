/** Nothing is translated where client and server find a revision that both speak. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { samplingModes } from "../../src/domain/servers/server.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import {
  startRawServer,
  type RawReply,
  type RawRequest,
  type RawServer,
} from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "fallback";
let router: SharedRouter;
let server: RawServer;
let key = "";
let count = 0;

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer({ probes: "scripted" })]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
}, 120_000);
afterAll(async () => {
  await server?.stop();
});
beforeEach(() => server.clear());

const entry = (more: Record<string, unknown> = {}): Promise<string> => {
  count += 1;
  return register(router, tenant, { slug: `b${count}`, url: server.url, ...more });
};
const methods = (): (string | undefined)[] => server.requests().map(({ json }) => json.method);
const discover = async (url: string, id: unknown = "mine") => {
  const response = await sendModern(url, key, { id, method: "server/discover" });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, resources: { subscribe: true }, extensions: { "x/y": { z: 1 } } },
  serverInfo: { name: "raw", version: "1" },
};
const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};
/** A server of the older era that refuses `server/discover` in its own way. */
const older =
  (refuse: (reply: RawReply) => void, session = true) =>
  (request: RawRequest, reply: RawReply): void => {
    const { id, method } = request.json;
    if (request.method !== "POST") return reply.json({}, { status: 405 });
    if (method === "server/discover") return refuse(reply);
    if (id === undefined) return reply.json({}, { status: 202 });
    const result = method === "initialize" ? initialized : { tools: [], capabilities: {} };
    reply.json(
      { jsonrpc: "2.0", id, result },
      { headers: session && method === "initialize" ? { "Mcp-Session-Id": `up-${count}` } : {} },
    );
  };

describe("server/discover of an older server", () => {
  const own = { code: -32000, message: "Bad Request: Server not initialized", data: { a: 1 } };
  const ours = { code: -32601, message: expect.stringContaining('bridge to "always"') as string };
  it.each([
    [
      "its own error, with the client's id",
      400,
      { jsonrpc: "2.0", id: null, error: own },
      400,
      own,
    ],
    ["its own status, where it says nothing", 405, {}, 405, ours],
    ["its own status, where it says nonsense", 404, { error: "no" }, 404, ours],
    ["404, where it answers 200", 200, { jsonrpc: "2.0", id: 9, error: own }, 404, ours],
  ] as const)("is refused: %s", async (_, status, body, shown, error) => {
    server.handle(older((reply) => reply.json(body, { status })));
    const url = await entry();
    expect(await discover(url, 5)).toMatchObject({ status: shown, json: { id: 5, error } });
    // A known era is not asked for again.
    expect(await discover(url)).toMatchObject({ status: 404, json: { id: "mine", error: ours } });
    expect(methods()).toEqual(["server/discover"]);
  });

  it.each([403, 408, 429, 500, 503])(
    "passes where a %i says nothing of its era",
    async (status) => {
      server.handle(older((reply) => reply.text('{"its":"own"}', { status })));
      const url = await entry();
      expect(await discover(url)).toEqual({ status, json: { its: "own" } });
    },
  );

  it("is answered where the entry says so; without that a call is translated all the same", async () => {
    server.handle(older((reply) => reply.json({}, { status: 400 })));
    const always = await entry({ bridge: "always" });
    expect(await discover(always)).toMatchObject({
      status: 200,
      json: { id: "mine", result: { supportedVersions: ["2026-07-28"] } },
    });
    const url = await entry();
    await discover(url);
    const listed = await sendModern(url, key, { method: "tools/list" });
    expect(await listed.json()).toMatchObject({ result: { resultType: "complete", tools: [] } });
  });

  it("needs a setting of the entry, and `check` says which", async () => {
    server.handle(older((reply) => reply.json({}, { status: 400 })));
    await discover(await entry());
    const admin = adminOf(router, router.adminToken);
    const path = `/tenants/${tenant}/servers/b${count}`;
    expect((await admin("GET", path)).get("bridge")).toBe("fallback");
    expect((await admin("POST", `${path}/check`)).text).toContain('bridge to \\"always\\"');
    expect((await admin("PATCH", path, { bridge: "always" })).get("bridge")).toBe("always");
    expect((await admin("POST", `${path}/check`)).text).not.toContain("bridge to");
    expect((await admin("PATCH", path, { bridge: "never" })).status).toBe(400);
  });

  it.each(samplingModes)(
    "sends an official client of both eras into the older one: %s",
    async (sampling) => {
      server.handle(older((reply) => reply.json({}, { status: 400 })));
      const url = await entry({ sampling });
      for (const turn of ["found out", "known"]) {
        const client = new Client(
          { name: "both", version: "1" },
          { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: {}, roots: {} } },
        );
        server.clear();
        await client.connect(
          new StreamableHTTPClientTransport(new URL(url), {
            requestInit: { headers: { Authorization: `Bearer ${key}` } },
          }),
        );
        expect(client.getNegotiatedProtocolVersion(), turn).toBe("2025-11-25");
        expect(client.getServerCapabilities(), turn).toEqual(initialized.capabilities);
        const told = server.requests().find(({ json }) => json.method === "initialize");
        expect(told?.json.params?.["capabilities"], turn).toMatchObject({
          elicitation: {},
          roots: {},
        });
        await client.close();
      }
    },
  );
});

describe("a server of both eras that begins no sessions", () => {
  const both = (request: RawRequest, reply: RawReply): void => {
    const { id, params } = request.json;
    const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
    if (!isModern)
      return older((refused) => refused.json({}, { status: 400 }), false)(request, reply);
    const result =
      request.json.method === "server/discover"
        ? discovered
        : { resultType: "complete", tools: [] };
    reply.json({ jsonrpc: "2.0", id, result });
  };

  it.each(["client", "deny"])("serves older clients in its own way: %s", async (sampling) => {
    server.handle(both);
    const url = await entry({ sampling });
    const client = await openRaw(url, key);
    expect(client.sessionId).toBeNull();
    server.clear();
    for (const method of ["resources/subscribe", "acme/search"])
      expect(await (await client.request(1, method, {})).json()).toMatchObject({ result: {} });
    expect(methods()).toEqual(["resources/subscribe", "acme/search"]);
    expect(server.requests()[0]?.headers).not.toHaveProperty("mcp-session-id");
  });

  it.each(["router", "client-then-router"])(
    "is translated where the router samples: %s",
    async (sampling) => {
      server.handle(both);
      const client = await openRaw(await entry({ sampling }), key);
      expect(client.sessionId).not.toBeNull();
      expect(await (await client.request(1, "acme/search", {})).json()).toMatchObject({
        error: { code: -32601 },
      });
    },
  );

  it("that refuses older clients is translated in every mode", async () => {
    server.handle((request, reply) =>
      request.json.method === "initialize" ? reply.json({}, { status: 400 }) : both(request, reply),
    );
    for (const sampling of samplingModes) {
      const client = await openRaw(await entry({ sampling }), key);
      expect(client.sessionId).not.toBeNull();
    }
  });
});

it("asks again for the era of a server that refuses the handshake of its known era", async () => {
  server.handle(older((reply) => reply.json({}, { status: 400 })));
  const url = await entry();
  await openRaw(url, key);
  server.handle((request, reply) => {
    const { id, method } = request.json;
    if (method === "initialize") return reply.json({}, { status: 400 });
    reply.json({ jsonrpc: "2.0", id, result: discovered });
  });
  const refused = await openRaw(url, key).catch(() => null);
  expect(refused).toBeNull();
  expect((await openRaw(url, key)).sessionId).not.toBeNull();
});
