/** The official example server, of the legacy era, asks an official client of 2026-07-28. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import { proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "everything";
let router: SharedRouter;
let server: Awaited<ReturnType<typeof startEverything>>;

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startEverything()]);
  await createTenant(router, tenant, { provider: "openai", baseUrl: "http://127.0.0.1:9" });
});
afterAll(() => server?.stop());

async function connect(capabilities: Record<string, object>): Promise<Client> {
  const slug = ["every", ...Object.keys(capabilities)].join("-");
  const about = { slug, url: server.url, bridge: "always", parking: true };
  const url = await register(router, tenant, about);
  const client = new Client(
    { name: "asked", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities },
  );
  const headers = { Authorization: `Bearer ${await proxyKey(router, tenant)}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return client;
}

const asking = "trigger-elicitation-request";
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

it("a client that takes questions sees the tool that asks, and fills in its form", async () => {
  const client = await connect({ elicitation: { form: {} } });
  const asked: object[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params);
    return { action: "accept", content: { name: "Ada", check: true } };
  });
  expect(await namesOf(client)).toContain(asking);
  const said = JSON.stringify(await client.callTool({ name: asking, arguments: {} }));
  expect(said).toContain("Ada");
  expect(asked).toMatchObject([{ requestedSchema: { required: ["name"] } }]);
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  const declined = JSON.stringify(await client.callTool({ name: asking, arguments: {} }));
  expect(declined).toMatch(/declined/i);
  await client.close();
});

it("a client that takes none sees no such tool", async () => {
  const client = await connect({});
  expect(await namesOf(client)).not.toContain(asking);
  await client.close();
});
