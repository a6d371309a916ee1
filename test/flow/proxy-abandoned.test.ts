/**
 * Clients that leave before their server has answered, in every era, mode and `Accept`: what the router holds
 * for them ends. Tested in the real Workers runtime, with sockets that are closed as `fetch` closes them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { modernMeta, openRaw, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import {
  startRawServer,
  type RawHandler,
  type RawReply,
  type RawRequest,
  type RawServer,
} from "../fakes/raw-server.ts";
import { hostUnderTest } from "../fakes/router.ts";
import { freeLowPort } from "../fakes/sqld.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { openPerKey } from "../setup/shared-settings.ts";

const tenant = "abandoned";
const modes = ["router", "client", "deny", "client-then-router"] as const;
const accepts = {
  "JSON alone": "application/json",
  both: "application/json, text/event-stream",
  "streams alone": "text/event-stream",
};
/** In the README: five seconds; the rest is for a busy machine. */
const boundMs = 8_000;

let router: SharedRouter;
let legacy: RawServer;
let modern: RawServer;
/** The same at ports that the Node host leaves to `fetch`, whose bodies are web streams. */
const fetched = {} as { legacy: RawServer; modern: RawServer };
let key = "";
/** How the server answers a tool's call. */
let answer: (request: RawRequest, reply: RawReply) => void = () => {};
/** Calls that the server works at, by the tool's name, until the connection is gone. */
const atWork = new Set<string>();

const nameIn = ({ json }: RawRequest): string => json.params?.name ?? "";

function work(request: RawRequest, reply: RawReply): void {
  const name = request.method === "GET" ? `GET ${request.headers["host"] ?? ""}` : nameIn(request);
  atWork.add(name);
  void reply.closed.then(() => atWork.delete(name));
  answer(request, reply);
}

const info = { name: "raw", version: "1" };
const discovered = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  result: {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
  },
});

const asLegacy: RawHandler = (request, reply) => {
  const { id, method } = request.json;
  if (method === "server/discover")
    return reply.json(
      { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } },
      { status: 404 },
    );
  if (method === "initialize") {
    const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: info };
    const headers = { "Mcp-Session-Id": crypto.randomUUID() };
    return reply.json({ jsonrpc: "2.0", id, result }, { headers });
  }
  if (method === "tools/call" || method === "notifications/slow" || request.method === "GET")
    return work(request, reply);
  return reply.text("", { status: 202 });
};

const asModern: RawHandler = (request, reply) => {
  const { id, method } = request.json;
  if (method === "server/discover") return reply.json(discovered(id));
  if (method === "tools/list") {
    const result = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
    return reply.json({ jsonrpc: "2.0", id, result });
  }
  if (method === "initialize")
    return reply.json(
      { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } },
      { status: 404 },
    );
  return work(request, reply);
};

beforeAll(async () => {
  const start = async (handler: RawHandler, port?: number): Promise<RawServer> => {
    const server = await startRawServer({
      probes: "scripted",
      ...(port !== undefined && { port }),
    });
    server.handle(handler);
    return server;
  };
  const [legacyPort, modernPort] = [await freeLowPort(), await freeLowPort()];
  [router, legacy, modern, fetched.legacy, fetched.modern] = await Promise.all([
    borrowRouter(),
    start(asLegacy),
    start(asModern),
    start(asLegacy, legacyPort),
    start(asModern, modernPort),
  ]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
});
afterAll(async () => {
  const all = [legacy, modern, fetched.legacy, fetched.modern];
  await Promise.all(all.map((server) => server?.stop()));
});

interface Call {
  /** the tool's name, which tells calls apart */
  name: string;
  era: "legacy" | "modern";
  url: string;
  accept: string;
  signal?: AbortSignal;
}

const headersOf = ({ era, accept, name }: Omit<Call, "url">): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  Accept: accept,
  ...(era === "legacy"
    ? { "MCP-Protocol-Version": "2025-11-25" }
    : { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name }),
});

async function send({ url, signal, ...call }: Call): Promise<Response> {
  const begun = call.era === "legacy" ? await openRaw(url, key) : null;
  const session = begun?.sessionId ?? null;
  const params = { name: call.name, ...(call.era === "modern" ? { _meta: modernMeta() } : {}) };
  return fetch(url, {
    method: "POST",
    headers: { ...headersOf(call), ...(session === null ? {} : { "Mcp-Session-Id": session }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Leaves as soon as the server has the call. Resolves once the server's connection has ended. */
async function leave(call: Omit<Call, "signal">): Promise<string | null> {
  const leaving = new AbortController();
  const sent = send({ ...call, signal: leaving.signal }).catch(() => null);
  await until(() => atWork.has(call.name));
  leaving.abort();
  await sent;
  return until(() => !atWork.has(call.name), boundMs).then(
    () => null,
    () => call.name,
  );
}

/** Each era before each server, with each `Accept`. */
async function everyWay(mode: string, suffix: string): Promise<Call[]> {
  const urls = await Promise.all(
    (
      [
        ["legacy", legacy],
        ["modern", modern],
        // The Worker asks all ports alike.
        ...(hostUnderTest === "node"
          ? ([
              ["legacy-fetched", fetched.legacy],
              ["modern-fetched", fetched.modern],
            ] as const)
          : []),
      ] as const
    ).map(async ([name, server]) => ({
      name,
      url: await register(router, tenant, {
        slug: `${name}-${mode}-${suffix}`,
        url: server.url,
        sampling: mode,
        bridge: "always",
      }),
    })),
  );
  return urls.flatMap(({ name, url }) =>
    (["legacy", "modern"] as const).flatMap((era) =>
      Object.entries(accepts).map(([kind, accept]) => ({
        name: `${suffix} ${mode}: ${era} client, ${name} server, ${kind}`,
        era,
        url,
        accept,
      })),
    ),
  );
}

describe.each(modes)("a client that leaves, in the mode %s", (mode) => {
  it("ends its request to a silent server", async () => {
    answer = () => {};
    const held = await Promise.all((await everyWay(mode, "silent")).map(leave));
    expect(held.filter((name) => name !== null)).toEqual([]);
  });

  it("ends its request to a server that stands still within its answer", async () => {
    answer = (_, reply) => {
      const response = reply.stream({ "Content-Type": "application/json" });
      response.write('{"jsonrpc":"2.0",');
    };
    const held = await Promise.all((await everyWay(mode, "half")).map(leave));
    expect(held.filter((name) => name !== null)).toEqual([]);
  });

  it.each<[where: string, written: string]>([
    ["before its first event", ""],
    ["within an event", "data: {\n"],
    // Within a line nothing can be written, and the Workers runtime notices by writing that a client has left.
    ...(hostUnderTest === "node" ? [["within a line", "data: {"] as [string, string]] : []),
  ])(
    "ends its request to a server whose stream stands still %s",
    async (where, written) => {
      answer = (_, reply) => {
        const stream = reply.stream();
        if (written !== "") stream.write(written);
      };
      const held = await Promise.all((await everyWay(mode, where.replaceAll(" ", "-"))).map(leave));
      expect(held.filter((name) => name !== null)).toEqual([]);
    },
    40_000,
  );
});

it("a client that leaves ends a GET that the server has not answered", async () => {
  answer = () => {};
  // Apart from what other tests have open.
  const own = await startRawServer({ probes: "scripted" });
  own.handle(asLegacy);
  const name = `GET ${new URL(own.url).host}`;
  const url = await register(router, tenant, { slug: "get", url: own.url, sampling: "client" });
  const raw = await openRaw(url, key);
  const leaving = new AbortController();
  const stream = raw.get({}, leaving.signal).catch(() => null);
  await until(() => atWork.has(name));
  leaving.abort();
  await stream;
  await until(() => !atWork.has(name), boundMs);
  await own.stop();
});

describe("an answer that takes long", () => {
  const afterwards = (reply: RawReply, say: () => void): void => {
    const timer = setTimeout(say, 3_500);
    void reply.closed.then(() => clearTimeout(timer));
  };
  const result = (id: unknown) => ({
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: "late" }], resultType: "complete" },
  });

  it("arrives whole in each form: JSON after blanks, or a message in a stream", async () => {
    answer = ({ json }, reply) => afterwards(reply, () => reply.json(result(json.id)));
    const ways = (
      await Promise.all(["router", "client"].map((mode) => everyWay(mode, "late")))
    ).flat();
    await Promise.all(
      ways.map(async (call) => {
        const response = await send(call);
        const text = await response.text();
        const isStream = call.accept.includes("event-stream");
        expect(response.headers.get("Content-Type")).toContain(
          isStream ? "text/event-stream" : "application/json",
        );
        const said = isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? "") : text;
        expect([call.name, JSON.parse(said)]).toMatchObject([
          call.name,
          { id: 7, result: { content: [{ text: "late" }] } },
        ]);
      }),
    );
  });

  it("is JSON for a client that takes JSON alone, also where the server streams", async () => {
    answer = ({ json }, reply) =>
      afterwards(reply, () => {
        const stream = reply.stream();
        stream.write('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n');
        stream.write(`data: ${JSON.stringify(result(json.id))}\n\n`);
      });
    const url = await register(router, tenant, {
      slug: "told",
      url: legacy.url,
      sampling: "client",
    });
    const call = { name: "told", era: "legacy", url, accept: accepts["JSON alone"] } as const;
    expect(await (await send(call)).json()).toMatchObject({ id: 7, result: {} });
    // Nobody reads anything else that the server says.
    await until(() => !atWork.has("told"));
  });

  it("becomes an error of the request where the server sends an error page", async () => {
    answer = (_, reply) =>
      afterwards(reply, () =>
        reply.text("<html>", { status: 502, headers: { "Content-Type": "text/html" } }),
      );
    const url = await register(router, tenant, {
      slug: "page",
      url: legacy.url,
      sampling: "client",
    });
    const call = { name: "page", era: "legacy", url, accept: accepts["JSON alone"] } as const;
    expect(await (await send(call)).json()).toMatchObject({
      id: 7,
      error: { code: -502, data: { reason: "server_failed", serverStatus: 502 } },
    });
  });

  it("to a notification is 202", async () => {
    answer = () => {};
    const url = await register(router, tenant, {
      slug: "note",
      url: legacy.url,
      sampling: "client",
    });
    const raw = await openRaw(url, key);
    const text = JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/slow",
      params: { name: "n" },
    });
    expect((await raw.post(text)).status).toBe(202);
    await until(() => !atWork.has("n"));
  });
});

describe("what is open", () => {
  it("is counted for each key, refused beyond the limit, and makes room again when it ends", async () => {
    answer = () => {};
    const own = await proxyKey(router, tenant);
    const url = await register(router, tenant, {
      slug: "counted",
      url: legacy.url,
      sampling: "client",
    });
    const raw = await openRaw(url, own);
    const fill = async (round: number): Promise<AbortController> => {
      const leaving = new AbortController();
      const text = (at: number) =>
        JSON.stringify({
          jsonrpc: "2.0",
          id: at,
          method: "tools/call",
          params: { name: `c${round}-${at}` },
        });
      for (let at = 0; at < openPerKey.requests; at += 1)
        void raw.post(text(at), {}, leaving.signal).catch(() => null);
      const atServer = () => [...atWork].filter((name) => name.startsWith(`c${round}-`)).length;
      await until(() => atServer() === openPerKey.requests);
      return leaving;
    };
    const refused = async (): Promise<unknown> => {
      const response = await raw.request("one more", "tools/call", { name: "refused" });
      expect(response.status).toBe(200);
      return response.json();
    };
    for (const round of [1, 2]) {
      // As many as before, so nothing of the first round is counted any more.
      const leaving = await fill(round);
      expect(await refused()).toMatchObject({
        id: "one more",
        error: {
          code: -429,
          data: { reason: "rate_limited", limit: "key.openRequests", retryAfterMs: 1_000 },
        },
      });
      // A message that nobody answers can cancel one of them.
      expect(
        (await raw.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}')).status,
      ).toBe(202);
      leaving.abort();
      await until(() => [...atWork].every((name) => !name.startsWith("c")), boundMs);
    }
  });

  it("is refused in the form of 2026-07-28 too", async () => {
    answer = () => {};
    const own = await proxyKey(router, tenant);
    const url = await register(router, tenant, {
      slug: "counted-modern",
      url: modern.url,
      sampling: "client",
    });
    const leaving = new AbortController();
    const { signal } = leaving;
    for (let at = 0; at < openPerKey.requests; at += 1)
      void sendModern(url, own, { params: { name: `m-${at}` }, signal }).catch(() => null);
    const atServer = () => [...atWork].filter((name) => name.startsWith("m-")).length;
    await until(() => atServer() === openPerKey.requests);
    const refused = await sendModern(url, own, { id: "one more", params: { name: "refused" } });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([200, "1"]);
    expect(await refused.json()).toMatchObject({
      jsonrpc: "2.0",
      id: "one more",
      error: {
        code: -429,
        data: { reason: "rate_limited", limit: "key.openRequests", retryAfterMs: 1_000 },
      },
    });
    leaving.abort();
    await until(() => [...atWork].every((name) => !name.startsWith("m-")), boundMs);
    const after = await sendModern(url, own, { method: "tools/list" });
    expect(await after.json()).toMatchObject({ result: { tools: [] } });
  });

  it("includes streams, whose refusal is HTTP 429", async () => {
    answer = (_, reply) => void reply.stream();
    const own = await proxyKey(router, tenant);
    const url = await register(router, tenant, {
      slug: "streams",
      url: legacy.url,
      sampling: "client",
    });
    const raw = await openRaw(url, own);
    const leaving = new AbortController();
    for (let at = 0; at < openPerKey.streams; at += 1)
      expect((await raw.get({}, leaving.signal)).status).toBe(200);
    const refused = await raw.get();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({
      reason: "rate_limited",
      limit: "key.openStreams",
    });
    leaving.abort();
    await until(async () => {
      const response = await raw.get();
      await response.body?.cancel();
      return response.status === 200;
    });
  });
});
