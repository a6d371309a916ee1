/** A server that has learned 2026-07-28 is found to speak it by a check, and no longer translated. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRawServer, type RawHandler, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "learning";
let router: SharedRouter;
let server: RawServer;
let key = "";
beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer({ probes: "scripted" })]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
});
afterAll(() => server?.stop());

const speaks =
  (era: "older" | "both"): RawHandler =>
  ({ method: http, json: { id, method } }, reply) => {
    const result = (value: object, headers = {}) =>
      reply.json({ jsonrpc: "2.0", id, result: value }, { headers });
    if (http !== "POST") return reply.text("", { status: 405 });
    if (method === "server/discover")
      return era === "older"
        ? reply.text("", { status: 404 })
        : result({
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: {} },
            ttlMs: 0,
            cacheScope: "private",
          });
    if (id === undefined) return reply.text("", { status: 202 });
    if (method === "initialize")
      return result(
        {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        },
        { "Mcp-Session-Id": "s-1" },
      );
    return result({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" });
  };

it("a check corrects the era that is known of a server, in both directions", async () => {
  const admin = adminOf(router, router.adminToken);
  const path = `/tenants/${tenant}/servers/mine`;
  const learnedEra = async () => (await admin("GET", path)).get("learned.era");
  const discovers = async () =>
    (await sendModern(url, key, { method: "server/discover" })).status === 200;

  server.handle(speaks("older"));
  const url = await register(router, tenant, { slug: "mine", url: server.url });
  await openRaw(url, key);
  expect(await learnedEra()).toBe("legacy");
  expect((await admin("POST", `${path}/check`)).get("detail")).toContain('set bridge to "always"');
  expect(await discovers()).toBe(false);

  server.handle(speaks("both"));
  // By itself, nothing shows.
  expect(await discovers()).toBe(false);
  const found = await admin("POST", `${path}/check`);
  expect(found.body).toMatchObject({ ok: true, era: "modern" });
  expect(found.get("detail")).not.toContain("bridge");
  expect(found.get("detail")).toContain("Not protected: the entry has no secret");
  for (const [change, detail] of [
    [{ headers: { "X-Api-Key": "one for all" } }, null],
    [{ sampling: "client" }, 'Not protected: in the mode "client"'],
  ] as const) {
    expect((await admin("PATCH", path, change)).status).toBe(200);
    const checked = String((await admin("POST", `${path}/check`)).get("detail"));
    if (detail === null) expect(checked).not.toContain("Not protected");
    else expect(checked).toContain(detail);
  }
  expect((await admin("PATCH", path, { sampling: "router", headers: {} })).status).toBe(200);
  expect(await learnedEra()).toBe("modern");
  await until(discovers);

  server.handle(speaks("older"));
  const older = await admin("POST", `${path}/check`);
  expect(older.body).toMatchObject({ ok: true, era: "legacy" });
  expect(await learnedEra()).toBeUndefined();
  // Calls don't rely on it; lists show it.
  const kept = { era: "legacy", tools: older.get("tools") };
  expect((await admin("GET", path)).get("learned.lastCheck")).toMatchObject(kept);
  // The remembered entry is read again by now, so the next caller asks for the era anew.
  await until(async () => !(await discovers()) && (await learnedEra()) === "legacy");
});
