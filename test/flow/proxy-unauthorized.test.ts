/** A server that refuses the router's credentials, or the caller's. Every path gives the same refusal. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { modernMeta, openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawRequest, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { samplingModes } from "../../src/domain/servers/server.ts";

const tenant = "refused";
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

type Speaks = "older revisions" | "2026-07-28" | "both";
let refuses = false;
let speaks: Speaks = "both";

/** The server's answer to a caller that it lets in. */
function answerTo({ json }: RawRequest): { result?: unknown; status?: number } {
  if (json.method === "server/discover")
    return speaks === "older revisions"
      ? { status: 400 }
      : {
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: {} },
            ttlMs: 0,
            cacheScope: "private",
          },
        };
  if (json.method === "initialize")
    return speaks === "2026-07-28"
      ? { status: 400 }
      : {
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "raw", version: "1" },
          },
        };
  return { result: { resultType: "complete", tools: [], content: [] } };
}

beforeEach(() => {
  refuses = false;
  server.handle((request, reply) => {
    if (refuses) {
      const challenge = 'Bearer resource_metadata="https://elsewhere.test/"';
      return reply.json({}, { status: 401, headers: { "WWW-Authenticate": challenge } });
    }
    const { result, status } = answerTo(request);
    reply.json(result === undefined ? {} : { jsonrpc: "2.0", id: request.json.id, result }, {
      status: status ?? 200,
      headers: request.json.method === "initialize" ? { "Mcp-Session-Id": `s${count}` } : {},
    });
  });
});

const entry = (more: Record<string, unknown>): Promise<string> => {
  count += 1;
  return register(router, tenant, { slug: `u${count}`, url: server.url, ...more });
};
const headers = { Accept: "application/json, text/event-stream" };
const initialize = (url: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { ...headers, Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      },
    }),
  });

async function expectUnauthorized(response: Response, what: string): Promise<void> {
  const text = await response.text();
  expect(text, what).toContain("server_unauthorized");
  expect(response.headers.get("WWW-Authenticate"), what).toBeNull();
  // What answers a request has to be understood by clients that read no body beside another status.
  expect(response.status, what).toBe(what === "GET stream" ? 502 : 200);
  const data = text.startsWith("{") ? text : text.replace(/^(?:.*\n)*?data: /, "");
  expect(JSON.parse(data), what).toMatchObject({ error: { code: -502 } });
}

describe.each(samplingModes)("in the mode %s, a 401", (sampling) => {
  it("comes through before anything is known of the server", async () => {
    refuses = true;
    for (const method of ["server/discover", "tools/list", "tools/call"])
      await expectUnauthorized(
        await sendModern(await entry({ sampling }), key, { method, params: { name: "t" } }),
        method,
      );
    await expectUnauthorized(await initialize(await entry({ sampling })), "initialize");
  });

  it.each(["older revisions", "2026-07-28", "both"] as const)(
    "of a server known to speak %s",
    async (family) => {
      speaks = family;
      const url = await entry({ sampling });
      const client = await openRaw(url, key);
      await (await client.request(1, "tools/list", {})).text();
      const inFirst = await sendModern(url, key, { method: "tools/list", params: {} });
      expect(await inFirst.text()).toContain('"result"');
      refuses = true;
      await expectUnauthorized(await initialize(url), "initialize");
      await expectUnauthorized(await client.request(2, "tools/list", {}), "tools/list");
      const called = await client.request(3, "tools/call", { name: "t" });
      await expectUnauthorized(called, "tools/call");
      if (client.sessionId === `s${count}`)
        await expectUnauthorized(await client.get(), "GET stream");
      for (const method of ["tools/list", "tools/call"])
        await expectUnauthorized(
          await sendModern(url, key, { method, params: { name: "t", _meta: modernMeta() } }),
          `${method} of 2026-07-28`,
        );
      speaks = "both";
    },
  );
});

it("with the caller's own header says that the caller's header was refused, and no entry is failing", async () => {
  const url = await entry({ sampling: "router", forwardAuthorization: true });
  refuses = true;
  const ask = (authorization: Record<string, string>) =>
    sendModern(url, key, {
      method: "tools/list",
      headers: { Authorization: null, "X-Sampling-Router-Key": key, ...authorization },
    });
  const refused = await ask({ Authorization: "Basic abc" });
  expect(refused.headers.get("WWW-Authenticate")).toBeNull();
  expect(await refused.text()).toContain("the caller's own Authorization header");
  expect(await (await ask({})).text()).toContain("X-Sampling-Router-Key");
  const shown = await adminOf(router, router.adminToken)(
    "GET",
    `/tenants/${tenant}/servers/u${count}`,
  );
  expect(shown.get("status")).toBe("active");
});
