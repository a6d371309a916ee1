/** A key that is revoked takes its open streams with it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { openRaw, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "revoked";
let router: SharedRouter;
let server: RawServer;
/** By session, or by the name of the tool: resolves when the server notices that its stream is read no more. */
const closed = new Map<string, Promise<void>>();

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer()]);
  await createTenant(router, tenant, { provider: "demo" });
  server.handle(({ method, headers: sent, json }, reply) => {
    if (json.method === "initialize") {
      const serverInfo = { name: "raw", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
      const headers = { "Mcp-Session-Id": crypto.randomUUID() };
      return reply.json({ jsonrpc: "2.0", id: json.id, result }, { headers });
    }
    if (method !== "GET" && json.method !== "tools/call") return reply.text("{}");
    const stream = reply.stream();
    stream.write(": first\n\n");
    const beat = setInterval(() => stream.write(": beat\n\n"), 250);
    const opened = sent["mcp-session-id"] ?? String(json.params?.name);
    closed.set(
      opened,
      reply.closed.then(() => clearInterval(beat)),
    );
    return undefined;
  });
});
afterAll(async () => {
  await server?.stop();
});

const newKey = async () => {
  const made = await adminOf(router, router.adminToken)("POST", `/tenants/${tenant}/keys`, {
    name: "p",
    scopes: ["proxy"],
  });
  const id = String(made.get("id"));
  return {
    key: String(made.get("key")),
    revoke: () => adminOf(router, router.adminToken)("DELETE", `/tenants/${tenant}/keys/${id}`),
  };
};

// Side by side: an open stream ends some seconds after its key.
describe.concurrent.each(["router", "client", "deny"] as const)("in the mode %s", (sampling) => {
  it.each(["GET of a session", "request of 2026-07-28"])(
    "an open stream ends, here and at the server: %s",
    async (what) => {
      const { key, revoke } = await newKey();
      const slug = `s-${sampling}-${what.slice(0, 3).toLowerCase()}`;
      const url = await register(router, tenant, { slug, url: server.url, sampling });
      const raw = what.startsWith("GET") ? await openRaw(url, key) : null;
      const stream = await (raw === null
        ? sendModern(url, key, { params: { name: slug } })
        : raw.get());
      expect(stream.headers.get("Content-Type")).toContain("text/event-stream");
      await revoke();
      // The server would go on for ever.
      await stream.text().catch(() => "cut");
      const atServer = closed.get(raw?.sessionId ?? slug);
      expect(atServer).toBeDefined();
      await atServer;
    },
    9_000,
  );
});

it.concurrent("a stream of another key goes on", async () => {
  const [one, other] = [await newKey(), await newKey()];
  const url = await register(router, tenant, { slug: "both", url: server.url });
  const [first, second] = await Promise.all(
    [one, other].map(async ({ key }) => (await openRaw(url, key)).get()),
  );
  const reader = second?.body?.getReader();
  await one.revoke();
  await first?.text();
  expect((await reader?.read())?.done).toBe(false);
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
});
