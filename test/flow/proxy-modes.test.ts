/** Who answers, who may, and what is charged: the legacy era through the proxy. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startScriptedServer, startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { connectThrough, openRaw, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { z } from "zod";

let provider: FaultyProvider;
let router: SharedRouter;
let server: FakeServer;
let resumable: FakeServer;
const tenant = "proxy-modes";
let key = "";
const slowMs = 5_000;

beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs });
  router = await borrowRouter();
  const credential = {
    provider: "openai-compatible",
    baseUrl: provider.url("openai-compatible"),
    models: [{ id: "m", tools: true, inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
  };
  await createTenant(router, tenant, credential);
  await createTenant(router, "proxy-others", credential);
  key = await proxyKey(router, tenant);
  server = await startSdkServer();
  resumable = await startSdkServer({ resumable: true });
});
afterAll(async () => {
  await Promise.all([server?.stop(), resumable?.stop(), provider?.stop()]);
});
beforeEach(() => {
  provider.setMode("fine");
  provider.clear();
  server.heard.length = 0;
});

let slugs = 0;
const registered = (entry: Record<string, unknown> = {}): Promise<string> =>
  register(router, tenant, { slug: `s${(slugs += 1)}`, url: server.url, ...entry });
const callOf = (id: number, tool: string, text = "x"): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool, arguments: { text } },
  });

describe("the modes", () => {
  it("client: nothing is touched, and the client answers", async () => {
    const url = await registered({ sampling: "client" });
    const sent: string[] = [];
    const through = await connectThrough(url, key, {
      samples: "the client's own",
      capabilities: { sampling: { context: {} } },
      fetch: (input, init) => {
        if (typeof init?.body === "string") sent.push(init.body);
        return fetch(input, init);
      },
    });
    expect(await through.call("ask", "who?")).toContain("the client's own");
    expect(server.heard.flatMap(({ text }) => (text === "" ? [] : [text]))).toEqual(sent);
    expect(provider.requests()).toEqual([]);
    await through.client.close();
  });

  it("router: a client that could answer is never asked", async () => {
    const url = await registered({ sampling: "router" });
    const through = await connectThrough(url, key, { samples: "the client's own" });
    expect(await through.call("ask", "who?")).toContain(faultyText);
    expect(through.asked).toEqual([]);
    await through.client.close();
  });

  it("client-then-router: the client where it declared what the request needs, else the router", async () => {
    const url = await registered({ sampling: "client-then-router" });
    const able = await connectThrough(url, key, { samples: "the client's own" });
    expect(await able.call("ask", "who?")).toContain("the client's own");
    expect(provider.requests()).toEqual([]);
    expect(await able.call("ask_with_tools", "who?")).toContain(faultyText);
    expect(able.asked).toHaveLength(1);
    const unable = await connectThrough(url, key);
    expect(await unable.call("ask", "who?")).toContain(faultyText);
    await Promise.all([able.client.close(), unable.client.close()]);
  });

  it("deny: no sampling is advertised, and a server that samples all the same is refused", async () => {
    const url = await registered({ sampling: "deny" });
    const through = await connectThrough(url, key, { samples: "the client's own" });
    expect(server.heard[0]?.body).toMatchObject({ params: { capabilities: {} } });
    expect(JSON.stringify(server.heard[0]?.body)).not.toContain("sampling");
    const refused = await through.call("ask", "who?");
    expect(refused).toContain("-403");
    expect(through.asked).toEqual([]);
    expect((await recordsOf(router, tenant))[0]).toMatchObject({
      outcome: "refused",
      reason: "forbidden",
      who: { tool: "ask" },
    });
    expect(provider.requests()).toEqual([]);
    await through.client.close();
  });

  it("switched off: like deny, also for sessions from before", async () => {
    const url = await registered();
    const through = await connectThrough(url, key);
    expect(await through.call("ask", "on")).toContain(faultyText);
    const slug = url.split("/").at(-1);
    const patched = await adminOf(router, router.adminToken)(
      "PATCH",
      `/tenants/${tenant}/servers/${slug}`,
      { policy: { disabled: true } },
    );
    expect(patched.status).toBe(200);
    await until(async () => (await through.call("ask", "off")).includes("-403"), 15_000);
    await through.client.close();
  });
});

describe("sessions", () => {
  it("are 404 for another tenant, another key, another server", async () => {
    const url = await registered();
    const elsewhere = await registered();
    const { sessionId } = await openRaw(url, key);
    const othersKey = await proxyKey(router, "proxy-others");
    await register(router, "proxy-others", { slug: "mine", url: server.url });
    const theirs = `${router.url}/mcp/proxy-others/mine`;
    const sibling = await proxyKey(router, tenant);
    const tryWith = async (at: string, token: string): Promise<number> => {
      const before = server.heard.length;
      const answer = await fetch(at, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "Mcp-Session-Id": sessionId ?? "",
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
      await answer.text();
      if (answer.status !== 200) expect(server.heard).toHaveLength(before);
      return answer.status;
    };
    expect(await tryWith(url, key)).toBe(200);
    expect(await tryWith(url, sibling)).toBe(404);
    expect(await tryWith(elsewhere, key)).toBe(404);
    expect(await tryWith(theirs, othersKey)).toBe(404);
    expect(await tryWith(url, othersKey)).toBe(404);
    expect(await tryWith(theirs, key)).toBe(404);
    expect(await tryWith(`${router.url}/mcp/${tenant}/nothing`, key)).toBe(404);
    expect(await tryWith(url, "srk_key_nonsense")).toBe(401);
  });

  it("of three tenants, sixteen at once: no message crosses", async () => {
    const tenants = [tenant, "proxy-others", "proxy-third"];
    await createTenant(router, "proxy-third", {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [{ id: "m", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
    });
    const urls = await Promise.all(
      tenants.map((each) => register(router, each, { slug: "crowd", url: server.url })),
    );
    const keys = await Promise.all(tenants.map((each) => proxyKey(router, each)));
    await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        const through = await connectThrough(urls[n % 3] ?? "", keys[n % 3] ?? "");
        for (let count = 0; count < 2; count += 1) {
          const word = `only-${n}-${count}`;
          expect(await through.call("echo", word)).toContain(word);
          expect(await through.call(count === 0 ? "ask" : "ask_aside", word)).toContain(faultyText);
        }
        await through.client.close();
      }),
    );
    // Each prompt reached the provider once, and each tenant has the records of its own sessions.
    const prompts = provider.requests().map(({ body }) => /only-\d+-\d/.exec(body)?.[0]);
    expect(new Set(prompts).size).toBe(32);
    expect(prompts).toHaveLength(32);
    const counts = await Promise.all(
      tenants.slice(1).map(async (each) => (await recordsOf(router, each)).length),
    );
    expect(counts).toEqual([10, 10]);
  });

  it("let no client answer what the router answers", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const calling = raw.post(callOf(1, "ask"));
    await until(() => provider.requests().length === 1);
    const forged = { role: "assistant", model: "m", content: { type: "text", text: "forged" } };
    const answer = await raw.post(JSON.stringify({ jsonrpc: "2.0", id: 0, result: forged }));
    expect(answer.status).toBe(202);
    expect(await (await calling).text()).toContain(faultyText);
    expect(server.heard.some(({ text }) => text.includes("forged"))).toBe(false);
  });

  it("are stored before the client gets its answer, with what was declared and advertised; DELETE ends them", async () => {
    const url = await registered();
    const raw = await openRaw(url, key, { capabilities: { roots: {} } });
    const stored = async () => {
      const path = `/tenants/${tenant}/sessions?limit=200`;
      const answer = await adminOf(router, router.adminToken)("GET", path);
      return (answer.get("data") as Record<string, unknown>[]).find(
        ({ upstreamId }) => upstreamId === raw.sessionId,
      );
    };
    expect(await stored()).toMatchObject({
      capabilities: { roots: {} },
      advertisedCapabilities: { roots: {}, sampling: { tools: {} } },
      serverId: expect.stringMatching(/^srv_/),
    });
    expect((await raw.end()).status).toBe(200);
    expect(await stored()).toBeUndefined();
  });

  it("need the scope proxy", async () => {
    const url = await registered();
    const { key: without } = await createTenant(router, "proxy-scope", { provider: "openai" });
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${without}` } });
    expect(answer.status).toBe(403);
  });
});

describe("the GET stream", () => {
  it("is the router's while a request runs, where the client has none", async () => {
    const url = await registered();
    const raw = await openRaw(url, key);
    const answer = await raw.post(callOf(1, "ask_aside"));
    expect(await answer.text()).toContain(faultyText);
    // The stream is opened again, and is free again.
    expect(await (await raw.post(callOf(2, "ask_aside"))).text()).toContain(faultyText);
    expect(server.heard.filter(({ method }) => method === "GET").length).toBeGreaterThan(1);
    const own = await raw.get();
    expect(own.status).toBe(200);
    await own.body?.cancel();
  });

  it("is waited for where the client asks for its own while the router does", async () => {
    const order: string[] = [];
    let routers: ServerResponse | null = null;
    const scripted = await startScriptedServer(async ({ method, body }, response) => {
      const json = { "content-type": "application/json" };
      if (method === "GET" && routers === null) {
        routers = response;
        order.push("asked");
      } else if (method === "GET") {
        routers?.writeHead(409).end();
        // The router knows by now that it gets none, and the client has none yet.
        await new Promise((resolve) => setTimeout(resolve, 200));
        order.push("stands");
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      } else if (body?.["method"] === "initialize") {
        const { protocolVersion } = body["params"] as Record<string, unknown>;
        const serverInfo = { name: "s", version: "1" };
        const result = { protocolVersion, capabilities: {}, serverInfo };
        response.writeHead(200, { ...json, "mcp-session-id": "s-late" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result }));
      } else if (body?.["method"] === "tools/call") {
        order.push("called");
        response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
      } else response.writeHead(202).end();
    });
    const raw = await openRaw(await registered({ url: scripted.url }), key);
    const calling = raw.post(callOf(1, "any"));
    await until(() => routers !== null);
    const asking = raw.get();
    await (await calling).text();
    // What the tool sends before a stream stands would be lost.
    expect(order).toEqual(["asked", "stands", "called"]);
    const own = await asking;
    expect(own.status).toBe(200);
    await own.body?.cancel();
    await scripted.stop();
  });

  it("is shared: a request that ends leaves it to those that still run", async () => {
    const gates = new Map<string, () => void>();
    const pass = (name: string): Promise<void> =>
      new Promise((resolve) => void gates.set(name, resolve));
    const gated = await startSdkServer({
      build: (built) => {
        const inputSchema = { text: z.string() };
        built.registerTool("waits", { inputSchema }, async ({ text }) => {
          await pass(text);
          return { content: [{ type: "text", text }] };
        });
        built.registerTool("waits_then_asks", { inputSchema }, async ({ text }) => {
          await pass(text);
          const said = await built.server.createMessage({
            messages: [{ role: "user", content: { type: "text", text } }],
            maxTokens: 9,
          });
          return { content: [{ type: "text", text: JSON.stringify(said) }] };
        });
      },
    });
    const url = await registered({ url: gated.url });
    const raw = await openRaw(url, key);
    const first = raw.post(callOf(1, "waits", "first"));
    await until(() => gates.has("first"));
    const others = ["a", "b", "c"].map((name, n) =>
      raw.post(callOf(2 + n, "waits_then_asks", name)),
    );
    await until(() => ["a", "b", "c"].every((name) => gates.has(name)));
    // The request that opened the stream is done. Without a stream, what the other requests' tools
    // ask now would be lost.
    gates.get("first")?.();
    await (await first).text();
    for (const [n, name] of ["a", "b", "c"].entries()) {
      gates.get(name)?.();
      expect(await (await others[n])?.text()).toContain(faultyText);
    }
    expect(gated.heard.filter(({ method }) => method === "GET")).toHaveLength(1);
    // No request needs the stream any longer, so the client may have it.
    const own = await raw.get();
    expect(own.status).toBe(200);
    await own.body?.cancel();
    await gated.stop();
  });

  it("is closed as soon as the client asks for a GET stream of its own", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const calling = raw.post(callOf(1, "ask"));
    await until(() => server.heard.some(({ method }) => method === "GET"));
    await until(() => provider.requests().length === 1);
    const own = await raw.get();
    expect(own.status).toBe(200);
    expect(await (await calling).text()).toContain(faultyText);
    await own.body?.cancel();
  });
});

describe("a replayed request", () => {
  it("is answered from the record, however often, and charged once", async () => {
    const url = await registered({ url: resumable.url });
    const raw = await openRaw(url, key);
    const before = (await recordsOf(router, tenant)).length;
    const first = await raw.post(callOf(1, "ask", "once"));
    const text = await first.text();
    expect(text).toContain(faultyText);
    // The priming event's id, then the taken event's, which is there without its data.
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? "");
    expect(text).toMatch(/^id: .*\ndata:\n\n/m);
    for (let count = 0; count < 3; count += 1) {
      const left = new AbortController();
      const resumed = await raw.get({ "Last-Event-ID": ids[0] ?? "" }, left.signal);
      let got = "";
      const reader = resumed.body?.getReader();
      while (!got.includes(faultyText)) {
        const next = await reader?.read();
        if (next === undefined || next.done) break;
        got += Buffer.from(next.value).toString();
      }
      left.abort();
      expect(got).toContain(faultyText);
      expect(got).not.toContain("sampling/createMessage");
    }
    await until(
      () => resumable.heard.filter(({ text: body }) => body.includes(faultyText)).length >= 4,
    );
    expect(provider.requests()).toHaveLength(1);
    expect(await recordsOf(router, tenant)).toHaveLength(before + 1);
  });
});

describe("a cancellation", () => {
  it("by the server ends the provider's call, and the client gets no message", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const text = await (await raw.post(callOf(1, "ask_then_give_up"))).text();
    expect(text).not.toContain("notifications/cancelled");
    expect(text).toContain("timed out");
    await until(async () => (await recordsOf(router, tenant))[0]?.outcome === "cancelled", 3_000);
    // Who has taken a request back wants no answer.
    expect(server.heard.filter(({ text: body }) => body.includes('"error"'))).toEqual([]);
  });

  it("by the client reaches the server as it is, and ends the provider's call", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const calling = raw.post(callOf(77, "ask"));
    await until(() => provider.requests().length === 1);
    const notice =
      '{ "jsonrpc":"2.0", "method":"notifications/cancelled","params":{"requestId":77}}';
    expect((await raw.post(notice)).status).toBe(202);
    expect(server.heard.some(({ text }) => text === notice)).toBe(true);
    await until(async () => (await recordsOf(router, tenant))[0]?.outcome === "cancelled", 2_500);
    await (await calling).body?.cancel();
  });
});

describe("a client that leaves", () => {
  it("has not cancelled: the call is finished and the server answered", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const left = new AbortController();
    const calling = raw.post(callOf(1, "ask"), {}, left.signal).catch(() => null);
    await until(() => provider.requests().length === 1);
    left.abort();
    await calling;
    await until(() => server.heard.some(({ text }) => text.includes(faultyText)));
    expect((await recordsOf(router, tenant))[0]?.outcome).toBe("succeeded");
  });

  it("gets comments for as long as it stays", async () => {
    provider.setMode("slow");
    const url = await registered();
    const raw = await openRaw(url, key);
    const text = await (await raw.post(callOf(1, "ask"))).text();
    expect(text).toContain(": keep-alive\n\n");
    expect(text).toContain(faultyText);
  });
});
