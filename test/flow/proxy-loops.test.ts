/** A registered server whose URL leads back to the router: refused at once, or after a few hops. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "loops";
let router: SharedRouter;
let key = "";
let relay: Server;
let relayed = 0;
/** Another name of the router, by which no router knows itself. The relay sends every request on to the router. */
let relayUrl = "";
/** A loop that nobody ends would take the machine with it. */
const maxRelayed = 60;

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  relayed += 1;
  if (relayed > maxRelayed) return void response.writeHead(500).end();
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers = Object.entries(request.headers)
    .filter(([name]) => !["host", "connection", "content-length"].includes(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  const body = Buffer.concat(parts);
  const answer = await fetch(`${router.url}${request.url}`, {
    method: request.method ?? "POST",
    headers,
    ...(body.byteLength === 0 ? {} : { body }),
  });
  const type = answer.headers.get("Content-Type");
  response.writeHead(answer.status, type === null ? {} : { "Content-Type": type });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

beforeAll(async () => {
  router = await borrowRouter();
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  relay = createServer((request, response) => void passOn(request, response));
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  relayUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
});
afterAll(async () => {
  relay.closeAllConnections();
  relay.close();
});

describe("the router's own address", () => {
  it.each(["127.0.0.1", "localhost", "0.0.0.0", "[::1]"])(
    "can't be registered as a server: %s",
    async (host) => {
      const { port } = new URL(router.url);
      const made = await adminOf(router, router.adminToken)("POST", `/tenants/${tenant}/servers`, {
        slug: "own",
        sampling: "router",
        url: `http://${host}:${port}/mcp/${tenant}/own`,
      });
      expect(made.status).toBe(400);
      expect(made.text).toContain("It leads back to this router.");
    },
  );

  it("can't be a provider's base URL either", async () => {
    const made = await adminOf(router, router.adminToken)(
      "POST",
      `/tenants/${tenant}/credentials`,
      { name: "own", provider: "openai", apiKey: "sk-own-key-of-a-test", baseUrl: router.url },
    );
    expect(made.status).toBe(400);
    expect(made.text).toContain("It leads back to this router.");
  });
});

describe.each(["router", "client", "deny"] as const)("a loop by another name, mode %s", (mode) => {
  it("ends at the fourth hop, with a JSON-RPC error of the client's id", async () => {
    relayed = 0;
    const slug = `loop-${mode}`;
    const url = await register(router, tenant, {
      slug,
      url: `${relayUrl}/mcp/${tenant}/${slug}`,
      sampling: mode,
      headers: { Authorization: `Bearer ${key}` },
    });
    const answer = await sendModern(url, key, { id: 5, method: "tools/list" });
    expect(answer.status).toBe(508);
    expect(await answer.json()).toMatchObject({
      id: 5,
      error: { code: -508, data: { reason: "loop_detected", retryable: false } },
    });
    // Each of three hops asks for the server's family once before it sends the request on: 2 + 4 + 8.
    expect(relayed).toBeLessThanOrEqual(14);
    const health = await fetch(`${router.url}/health/ready`);
    expect(health.status).toBe(200);
  });
});

it("refuses a request that says it has passed three routers", async () => {
  relayed = 0;
  const url = await register(router, tenant, { slug: "counted", url: `${relayUrl}/nowhere` });
  const headers = { "X-Sampling-Router-Hops": "3" };
  const answer = await sendModern(url, key, { method: "tools/list", headers });
  expect(await answer.json()).toMatchObject({ error: { data: { reason: "loop_detected" } } });
  expect(relayed).toBe(0);
});
