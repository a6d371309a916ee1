/** SIGTERM while streams are open and calls wait: what still comes to its end, and what is cut. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startLegacyServer, startModernServer } from "../fakes/era-servers.ts";
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
import { outcomesIn } from "../fakes/records-in.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(60_000);
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

const aboutProvider = () => ({ provider: "compatible", baseUrl: provider.url, models: [model] });

/** So many calls, which wait for their provider. */
async function waitingCalls(router: Router, count: number): Promise<Promise<Answered | null>[]> {
  const { key } = await createTenant(router, "waiting", aboutProvider());
  const calls = Array.from({ length: count }, () =>
    callOnce(router, key, asking("hello")).catch(() => null),
  );
  await until(() => provider.waiting() === count);
  return calls;
}

/** A sampling call whose answer is a stream, and waits for its provider. */
async function samplingStream(router: Router) {
  const { key } = await createTenant(router, "sampling", aboutProvider());
  const answer = sendModern(`${router.url}/v1/sampling`, key, {
    method: "sampling/createMessage",
    params: { ...asking("hello"), _meta: modernMeta({ sampling: {} }) },
  });
  await until(() => provider.waiting() === 1);
  return follow(await answer);
}
const commentsIn = ({ text }: { text: string }): number =>
  text.split("\n").filter((line) => line.startsWith(":")).length;
const byPath = (requests: unknown): { path: string }[] =>
  (requests as { path: string }[]).toSorted((one, other) => (one.path < other.path ? -1 : 1));

async function end(router: Router): Promise<void> {
  process.kill(router.pid, "SIGTERM");
  await until(() => router.output().includes("Ending."));
}

describe("after SIGTERM", () => {
  it(
    "a proxied POST and a sampling stream that lives by comments go on to their ends, and a standing GET stream is waited for by nobody",
    { timeout },
    async () => {
      const stateDir = temporaryStateDir();
      const router = await start({ stateDir });
      const sampling = await samplingStream(router);
      const client = await proxied(router);
      const standing = follow(await client.get());
      await until(() => streams.has("GET"));
      const answer = client.request(1, "tools/call", { name: "long" });
      await until(() => streams.has("long"));
      streams.get("long")?.write(progress(1));
      const heard = follow(await answer);
      await until(() => heard.text.includes('"progress":1'));
      await until(() => commentsIn(sampling) > 0, 30_000);

      await end(router);
      const before = commentsIn(sampling);
      streams.get("GET")?.write(progress(7));
      await until(() => standing.text.includes('"progress":7'));
      streams.get("long")?.write(progress(2));
      await until(() => heard.text.includes('"progress":2'));
      streams.get("long")?.write(event({ jsonrpc: "2.0", id: 1, result: { content: [] } }));
      streams.get("long")?.end();
      await until(() => heard.state !== "open");
      expect(heard.state).toBe("ended");
      expect(heard.text).toContain('"result":{"content":[]}');
      await until(() => commentsIn(sampling) > before, 30_000);
      provider.answerAll();
      expect(await router.ended).toBe(0);
      await until(() => sampling.state === "ended" && standing.state !== "open");
      expect(sampling.text).toContain('"text":"Yes."');
      // It would be named where DRAIN_SECONDS had to pass.
      expect(linesOf(router, "cut")).toEqual([]);
      expect(outcomesIn(stateDir)).toEqual(["succeeded"]);
    },
  );

  it(
    "a proxied POST that never ends, and calls that take longer, are cut after DRAIN_SECONDS, and named",
    { timeout },
    async () => {
      const router = await start({ env: { DRAIN_SECONDS: "0.5" } });
      const client = await proxied(router);
      const answer = client.request(1, "tools/call", { name: "endless" });
      await until(() => streams.has("endless"));
      streams.get("endless")?.write(progress(1));
      const heard = follow(await answer);
      const calls = await waitingCalls(router, 2);
      process.kill(router.pid, "SIGTERM");
      expect(await router.ended).toBe(0);
      await until(() => heard.state !== "open");
      expect(await Promise.all(calls)).toEqual([null, null]);
      const [cut, ...others] = linesOf(router, "cut");
      expect(others).toEqual([]);
      expect(cut?.["more"]).toBe(0);
      const call = {
        method: "POST",
        path: "/v1/sampling",
        requestId: expect.stringMatching(/^req_/) as string,
      };
      expect(byPath(cut?.["requests"])).toMatchObject([
        { method: "POST", path: `/mcp/${tenant}/s` },
        call,
        call,
      ]);
    },
  );

  it("subscriptions end, of both eras and between them", { timeout }, async () => {
    const router = await start();
    await createTenant(router, tenant, { provider: "demo" });
    const servers = { legacy: await startLegacyServer(), modern: await startModernServer() };
    const key = await proxyKey(router, tenant);
    const at = (era: "legacy" | "modern") =>
      register(router, tenant, { slug: era, url: servers[era].url, bridge: "always" });
    const urls = { legacy: await at("legacy"), modern: await at("modern") };
    const listen = async (url: string) => {
      const params = { notifications: { toolsListChanged: true } };
      return follow(await sendModern(url, key, { method: "subscriptions/listen", params }));
    };
    const open = [await listen(urls.legacy), await listen(urls.modern)];
    const client = await openRaw(urls.modern, key);
    open.push(follow(await client.get()));
    const acknowledged = ({ text }: { text: string }) => text.includes("acknowledged");
    await until(() => open.slice(0, 2).every(acknowledged) && servers.modern.open() === 2);
    process.kill(router.pid, "SIGTERM");
    await until(() => open.every(({ state }) => state === "ended"));
    expect(await router.ended).toBe(0);
    expect(linesOf(router, "cut")).toEqual([]);
    expect(servers.legacy.sessions()).toBe(0);
    await Promise.all([servers.legacy.stop(), servers.modern.stop()]);
  });

  it("a second signal cuts a proxied POST and a call at once", { timeout }, async () => {
    const router = await start();
    const client = await proxied(router);
    const answer = client.request(1, "tools/call", { name: "second" });
    await until(() => streams.has("second"));
    streams.get("second")?.write(progress(1));
    const heard = follow(await answer);
    const calls = await waitingCalls(router, 1);
    await end(router);
    // Two within half a second are one: npm passes on the terminal's own.
    await new Promise((resolve) => setTimeout(resolve, 600));
    process.kill(router.pid, "SIGTERM");
    expect(await router.ended).toBe(1);
    expect(await Promise.all(calls)).toEqual([null]);
    await until(() => heard.state === "cut");
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
