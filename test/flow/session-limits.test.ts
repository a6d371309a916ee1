/** A flood of `initialize`: refused as HTTP 429 before a server is asked or a row is kept. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant, type Answered } from "../fakes/caller.ts";
import { startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { register } from "../fakes/proxied.ts";
import { startRawServer } from "../fakes/raw-server.ts";
import { startRouter, type Router } from "../fakes/router.ts";

const perKey = 4;
const perMinute = 9;
const tenant = "flood";

describe("a flood of initialize", () => {
  let router: Router;
  let server: FakeServer;
  let through: string;
  beforeAll(async () => {
    router = await startRouter({
      env: { SESSIONS_PER_KEY: String(perKey), INITIALIZE_PER_MINUTE: String(perMinute) },
    });
    server = await startSdkServer();
    await createTenant(router, tenant, { provider: "demo" });
    through = await register(router, tenant, { slug: "server", url: server.url });
  });
  afterAll(async () => {
    await router?.stop();
    await server?.stop();
  });

  const keyFor = async (): Promise<string> => {
    const made = await adminOf(router, router.adminToken)("POST", `/tenants/${tenant}/keys`, {
      name: "one more",
      scopes: ["sampling", "proxy"],
    });
    return String(made.get("key"));
  };
  const headersOf = (key: string, more: Record<string, string> = {}) => ({
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...more,
  });
  const begin = async (key: string, url: string, params: object = {}) => {
    const response = await fetch(url, {
      method: "POST",
      headers: headersOf(key),
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: { sampling: {} },
          clientInfo: { name: "flood", version: "1" },
          ...params,
        },
      }),
    });
    const text = await response.text();
    const session = response.headers.get("mcp-session-id");
    return { status: response.status, headers: response.headers, text, session };
  };
  const end = (key: string, url: string, session: string | null) =>
    fetch(url, { method: "DELETE", headers: headersOf(key, { "Mcp-Session-Id": session ?? "" }) });
  const hosted = () => `${router.url}/v1/sampling`;
  const expectFlood = (
    { status, text, headers }: Awaited<ReturnType<typeof begin>>,
    limit: string,
  ) => {
    expect([status, headers.get("content-type")]).toEqual([429, "application/json"]);
    const { error } = JSON.parse(text) as { error: { code: number; data: object } };
    expect(error.code).toBe(-429);
    expect(error.data).toMatchObject({
      reason: "rate_limited",
      limit,
      retryable: true,
      retryAfterMs: expect.any(Number) as number,
    });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(61);
  };
  const sessionsListed = async (): Promise<unknown[]> => {
    const listed: Answered = await adminOf(router, router.adminToken)(
      "GET",
      `/tenants/${tenant}/sessions?limit=200`,
    );
    return listed.get("data") as unknown[];
  };
  const asked = () => server.heard.filter(({ body }) => body?.["method"] === "initialize").length;

  it("ends at the most sessions of a key, direct and proxied sessions together", async () => {
    const key = await keyFor();
    const begun = [
      await begin(key, hosted()),
      await begin(key, through),
      await begin(key, hosted()),
      await begin(key, through),
    ];
    for (const { status } of begun) expect(status).toBe(200);
    const before = [asked(), (await sessionsListed()).length];
    expectFlood(await begin(key, hosted()), "key.sessions");
    expectFlood(await begin(key, through), "key.sessions");
    expect([asked(), (await sessionsListed()).length]).toEqual(before);
    await end(key, hosted(), begun[0]?.session ?? null);
    expect((await begin(key, through)).status).toBe(200);
    // Another key has its own.
    expect((await begin(await keyFor(), hosted())).status).toBe(200);
  });

  it("ends at the requests that a key may send a minute, though each session was ended", async () => {
    const key = await keyFor();
    for (let count = 0; count < perMinute; count += 1) {
      const url = count % 2 === 0 ? hosted() : through;
      const { status, session } = await begin(key, url);
      expect(status).toBe(200);
      await end(key, url, session);
    }
    const before = asked();
    expectFlood(await begin(key, hosted()), "key.initializePerMinute");
    expectFlood(await begin(key, through), "key.initializePerMinute");
    expect(asked()).toBe(before);
  });

  it("counts an initialize once where the router begins the session for a server of 2026-07-28", async () => {
    const modern = await startRawServer({ probes: "scripted" });
    try {
      modern.handle(({ json: { id, method } }, reply) => {
        const error = { code: -32_601, message: "Not in this revision" };
        const result = { resultType: "complete", supportedVersions: ["2026-07-28"] };
        if (method !== "server/discover") return reply.json({ jsonrpc: "2.0", id, error });
        reply.json({ jsonrpc: "2.0", id, result: { ...result, capabilities: { tools: {} } } });
      });
      const url = await register(router, tenant, { slug: "modern", url: modern.url });
      const key = await keyFor();
      for (let count = 0; count < perMinute; count += 1) {
        const { status, session } = await begin(key, url);
        expect([count, status]).toEqual([count, 200]);
        await end(key, url, session);
      }
      const before = modern.requests().length;
      expectFlood(await begin(key, url), "key.initializePerMinute");
      expect(modern.requests().length).toBe(before);
    } finally {
      await modern.stop();
    }
  });

  it("leaves little of each session: no icons, and no more than 8 KiB", async () => {
    const key = await keyFor();
    const icons = [{ src: `data:image/png;base64,${"A".repeat(40_000)}` }];
    const client = { name: "drawn", version: "1" };
    expect((await begin(key, hosted(), { clientInfo: { ...client, icons } })).status).toBe(200);
    const [kept] = (await sessionsListed()) as { clientInfo: object }[];
    expect(kept?.clientInfo).toEqual(client);
    const before = asked();
    const capabilities = { experimental: { much: { of: "x".repeat(8_200) } } };
    for (const url of [hosted(), through]) {
      const refused = await begin(key, url, { capabilities });
      expect(refused.status).toBe(413);
      expect(refused.text).toContain('"limitBytes":8192');
    }
    expect(asked()).toBe(before);
  });
});
