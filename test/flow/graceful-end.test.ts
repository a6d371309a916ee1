/** SIGTERM while streams are open and calls wait: what still comes to its end, and what is cut. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, at, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startDatabaseRelay, type DatabaseRelay } from "../fakes/database-relay.ts";
import { startHoldingProvider, type HoldingProvider } from "../fakes/holding-provider.ts";
import { modernMeta, openRaw, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRawServer, type RawReply, type RawServer } from "../fakes/raw-server.ts";
import {
  startRouter,
  temporaryStateDir,
  type Router,
  type RouterOptions,
} from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { linesOf } from "../fakes/log-lines.ts";

const timeout = 60_000;
const tenant = "ending";
const model = { id: "one", inputUsdPerMTok: 1, outputUsdPerMTok: 1 };

let provider: HoldingProvider;
let server: RawServer;
/** Streams that the server has begun, by the tool's name or `GET`. */
const streams = new Map<string, ReturnType<RawReply["stream"]>>();
const started: Router[] = [];

beforeAll(async () => {
  [provider, server] = await Promise.all([
    startHoldingProvider(),
    startRawServer({ probes: "scripted" }),
  ]);
  server.handle((request, reply) => {
    const { id, method, params } = request.json;
    if (method === "initialize") {
      const serverInfo = { name: "raw", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
      const headers = { "Mcp-Session-Id": crypto.randomUUID() };
      return reply.json({ jsonrpc: "2.0", id, result }, { headers });
    }
    if (method === "server/discover") {
      const error = { code: -32601, message: "no" };
      return reply.json({ jsonrpc: "2.0", id, error }, { status: 404 });
    }
    if (method !== "tools/call" && request.method !== "GET") return reply.text("", { status: 202 });
    const name = request.method === "GET" ? "GET" : String(params?.name);
    streams.set(name, reply.stream());
  });
});
afterEach(async () => {
  provider.answerAll();
  await Promise.all(started.splice(0).map((router) => router.stop()));
  streams.clear();
});
afterAll(async () => {
  await Promise.all([provider.stop(), server.stop()]);
});

async function start(options: RouterOptions = {}): Promise<Router> {
  const router = await startRouter({ host: "node", ...options });
  started.push(router);
  return router;
}

/** A client of the streaming server. */
async function proxied(router: Router) {
  await createTenant(router, tenant, { provider: "demo" });
  const url = await register(router, tenant, { slug: "s", url: server.url, sampling: "client" });
  return openRaw(url, await proxyKey(router, tenant));
}

const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const progress = (count: number): string =>
  event({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: count } });

/** Its text so far, which grows; `ended` when it is whole, or cut. */
function follow(response: Response) {
  const heard = { text: "", state: "open" as "open" | "ended" | "cut" };
  const read = async (): Promise<void> => {
    for await (const part of response.body ?? []) heard.text += new TextDecoder().decode(part);
  };
  void read().then(
    () => (heard.state = "ended"),
    () => (heard.state = "cut"),
  );
  return heard;
}

async function end(router: Router): Promise<void> {
  process.kill(router.pid, "SIGTERM");
  await until(() => router.output().includes("Ending."));
}

describe("after SIGTERM", () => {
  it(
    "a proxied POST goes on to its end, and a standing GET stream is waited for by nobody",
    { timeout },
    async () => {
      const router = await start();
      const client = await proxied(router);
      const standing = follow(await client.get());
      await until(() => streams.has("GET"));
      const answer = client.request(1, "tools/call", { name: "long" });
      await until(() => streams.has("long"));
      streams.get("long")?.write(progress(1));
      const heard = follow(await answer);
      await until(() => heard.text.includes('"progress":1'));

      await end(router);
      streams.get("GET")?.write(progress(7));
      await until(() => standing.text.includes('"progress":7'));
      streams.get("long")?.write(progress(2));
      await until(() => heard.text.includes('"progress":2'));
      streams.get("long")?.write(event({ jsonrpc: "2.0", id: 1, result: { content: [] } }));
      streams.get("long")?.end();
      expect(await router.ended).toBe(0);
      await until(() => heard.state !== "open" && standing.state !== "open");
      expect(heard.state).toBe("ended");
      expect(heard.text).toContain('"result":{"content":[]}');
      // It would be named where DRAIN_SECONDS had to pass.
      expect(linesOf(router, "cut")).toEqual([]);
    },
  );

  it(
    "a proxied POST that never ends is cut after DRAIN_SECONDS, and named",
    { timeout },
    async () => {
      const router = await start({ env: { DRAIN_SECONDS: "0.5" } });
      const client = await proxied(router);
      const answer = client.request(1, "tools/call", { name: "endless" });
      await until(() => streams.has("endless"));
      streams.get("endless")?.write(progress(1));
      const heard = follow(await answer);
      process.kill(router.pid, "SIGTERM");
      expect(await router.ended).toBe(0);
      await until(() => heard.state !== "open");
      expect(linesOf(router, "cut")).toMatchObject([
        { requests: [{ method: "POST", path: `/mcp/${tenant}/s` }], more: 0 },
      ]);
    },
  );

  it("a second signal cuts a proxied POST at once", { timeout }, async () => {
    const router = await start();
    const client = await proxied(router);
    const answer = client.request(1, "tools/call", { name: "second" });
    await until(() => streams.has("second"));
    streams.get("second")?.write(progress(1));
    const heard = follow(await answer);
    await end(router);
    // Two within half a second are one: npm passes on the terminal's own.
    await new Promise((resolve) => setTimeout(resolve, 600));
    process.kill(router.pid, "SIGTERM");
    expect(await router.ended).toBe(1);
    await until(() => heard.state === "cut");
  });

  it("a sampling stream that lives by comments gets its answer", { timeout }, async () => {
    const stateDir = temporaryStateDir();
    const router = await start({ stateDir });
    const about = { provider: "compatible", baseUrl: provider.url, models: [model] };
    const { key } = await createTenant(router, tenant, about);
    const answer = sendModern(`${router.url}/v1/sampling`, key, {
      method: "sampling/createMessage",
      params: { ...asking("hello"), _meta: modernMeta({ sampling: {} }) },
    });
    await until(() => provider.waiting() === 1);
    const heard = follow(await answer);
    const comments = (): number =>
      heard.text.split("\n").filter((line) => line.startsWith(":")).length;
    await until(() => comments() > 0, 30_000);
    await end(router);
    const before = comments();
    await until(() => comments() > before, 30_000);
    provider.answerAll();
    expect(await router.ended).toBe(0);
    await until(() => heard.state === "ended");
    expect(heard.text).toContain('"text":"Yes."');
    expect(linesOf(router, "cut")).toEqual([]);
    const next = await start({ stateDir });
    const path = `/tenants/${tenant}/requests`;
    const records = await adminOf(next, next.adminToken)("GET", path);
    expect(at(records.body, "data")).toMatchObject([{ outcome: "succeeded" }]);
  });

  describe("on a libSQL server that is slow", () => {
    let sqld: Sqld;
    let relay: DatabaseRelay;
    beforeAll(async () => {
      sqld = await startSqld();
      relay = await startDatabaseRelay(sqld.url);
    }, timeout);
    afterAll(async () => {
      await relay.stop();
      await sqld.stop();
    });

    it("calls that wait in a turn get theirs, and are settled", { timeout }, async () => {
      const router = await start({
        env: { DATABASE_URL: relay.url, DATABASE_WRITES_AT_ONCE: "1" },
      });
      const { key } = await createTenant(router, tenant, { provider: "demo" });
      await callOnce(router, key, asking("hello"));
      relay.hold();
      let ended = 0;
      const calls = Array.from({ length: 12 }, () =>
        callOnce(router, key, asking("hello")).finally(() => (ended += 1)),
      );
      await until(() => relay.held() > 0);
      // Accepted after them: a request that is still in its socket when the end begins is refused.
      for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${router.url}/health`)).text();
      await end(router);
      expect(ended).toBe(0);
      relay.goOn();
      const answers: Answered[] = await Promise.all(calls);
      expect(answers.map((answer) => answer.get("result.role"))).toEqual(
        Array(12).fill("assistant"),
      );
      expect(await router.ended).toBe(0);
      expect(linesOf(router, "cut")).toEqual([]);
    });
  });
});
