/** JSON that a server sends bit by bit comes bit by bit, also to a client that takes it compressed. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { samplingModes } from "../../src/domain/servers/server.ts";
import { startScriptedServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "streamed";
let router: SharedRouter;
let older: FakeServer;
let newer: RawServer;
let key = "";
let hold: PromiseWithResolvers<void>;

const before = (id: unknown): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`;
const after = '"tools":[]}}';

beforeAll(async () => {
  [router, newer, older] = await Promise.all([
    borrowRouter(),
    startRawServer(),
    startScriptedServer(async ({ body }, response) => {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "max-age=1" });
      if (body?.["method"] === "initialize") {
        const serverInfo = { name: "raw", version: "1" };
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
        response.end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result }));
        return;
      }
      response.write(before(body?.["id"]));
      await hold.promise;
      response.end(after);
    }),
  ]);
  newer.handle(async ({ json }, reply) => {
    const { write, end } = reply.stream({ "Content-Type": "application/json" });
    write(before(json.id));
    await hold.promise;
    write(after);
    end();
  });
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
}, 120_000);
afterAll(async () => {
  await Promise.all([older?.stop(), newer?.stop()]);
});

/** What the client has read while the server still has something to write, and afterwards. */
async function readInParts(response: Response): Promise<[string, string]> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const first = decoder.decode((await reader?.read())?.value);
  hold.resolve();
  let rest = "";
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    rest += decoder.decode(next.value);
  return [first, rest];
}

it.each(samplingModes)("to an older client: %s", async (sampling) => {
  const url = await register(router, tenant, { slug: `o-${sampling}`, url: older.url, sampling });
  const client = await openRaw(url, key);
  hold = Promise.withResolvers();
  const listed = client.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
    "Accept-Encoding": "gzip, br",
  });
  const response = await listed;
  expect(response.headers.get("cache-control")).toContain("max-age=1");
  expect(await readInParts(response)).toEqual([before(1), after]);
});

it.each(samplingModes)("to a client of 2026-07-28: %s", async (sampling) => {
  const url = await register(router, tenant, { slug: `n-${sampling}`, url: newer.url, sampling });
  hold = Promise.withResolvers();
  const response = await sendModern(url, key, {
    method: "tools/list",
    headers: { Accept: "application/json", "Accept-Encoding": "gzip, br" },
  });
  expect(await readInParts(response)).toEqual([before(7), after]);
});
