/** A message that samples nothing must not wait for the database: counted between router and database. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRelay, type Relay } from "../bench/relay.ts";
import { adminOf } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";

const tenant = "proxy-warm";
const messages = 40;
/** What is remembered is read again after five seconds. */
const exchangesEachReading = 4;
const readingMs = 5_000;

let sqld: Sqld;
let relay: Relay;
let router: Router;
let server: RawServer;
let key = "";
let exchanges = 0;

beforeAll(async () => {
  sqld = await startSqld();
  relay = await startRelay(sqld.url, () => (exchanges += 1));
  server = await startRawServer();
  server.handle(({ method, json }, reply) => {
    if (method !== "POST") return reply.json({}, { status: 405 });
    const begins = json.method === "initialize";
    const result = begins
      ? {
          protocolVersion: "2025-11-25",
          capabilities: {},
          serverInfo: { name: "raw", version: "1" },
        }
      : { resultType: "complete", content: [] };
    const headers: Record<string, string> = begins ? { "Mcp-Session-Id": "up-1" } : {};
    reply.json({ jsonrpc: "2.0", id: json.id, result }, { headers });
  });
  router = await startRouter({
    env: {
      DATABASE_URL: relay.url,
      MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
      ADMIN_TOKEN: "operator-token-of-the-tests",
      SCHEDULE_SECONDS: "86400",
    },
  });
  const admin = adminOf(router, router.adminToken);
  await admin("POST", "/tenants", { slug: tenant, name: "Warm" });
  const credential = { provider: "demo", name: "demo", apiKey: "none" };
  await admin("POST", `/tenants/${tenant}/credentials`, credential);
  key = await proxyKey(router, tenant);
});
afterAll(async () => {
  await router?.stop();
  await server?.stop();
  relay?.stop();
  await sqld?.stop();
});

/** Forty calls, after two that warm up, cost no exchange with the database but for what is read again meanwhile. */
async function expectNoRoundTrips(call: (id: number) => Promise<Response>): Promise<void> {
  for (const id of [1, 2]) expect((await call(id)).status).toBe(200);
  const before = exchanges;
  const startedAt = performance.now();
  expect(before).toBeGreaterThan(0);
  for (let id = 3; id < messages + 3; id += 1)
    expect(await (await call(id)).text()).toContain(`"id":${id},`);
  const readings = Math.ceil((performance.now() - startedAt) / readingMs);
  expect(readings).toBeLessThan(messages / exchangesEachReading);
  expect(exchanges - before).toBeLessThanOrEqual(readings * exchangesEachReading);
}

describe("a warm message through the proxy", () => {
  it("needs no round trip in a legacy session", async () => {
    const raw = await openRaw(await register(router, tenant, { slug: "l", url: server.url }), key);
    await expectNoRoundTrips((id) => raw.request(id, "tools/call", { name: "t" }));
  });

  it("needs no round trip in the modern era", async () => {
    const url = await register(router, tenant, { slug: "m", url: server.url });
    await expectNoRoundTrips((id) => sendModern(url, key, { id, params: { name: "t" } }));
  });
});
