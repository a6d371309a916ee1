/** The legacy era before servers that no SDK would write: byte for byte, whatever goes wrong. */
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startScriptedServer, type FakeServer, type Heard } from "../fakes/mcp-servers.ts";
import { openRaw, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";

let provider: FaultyProvider;
let router: SharedRouter;
const tenant = "proxy-failures";
let key = "";
const running: FakeServer[] = [];

beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs: 3_000 });
  provider.setMode("fine");
  router = await borrowRouter();
  await createTenant(router, tenant, {
    provider: "openai-compatible",
    baseUrl: provider.url("openai-compatible"),
    models: [{ id: "m", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
  });
  key = await proxyKey(router, tenant);
});
afterAll(async () => {
  await provider?.stop();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };
const initialized = (heard: Heard, revision: unknown): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: heard.body?.["id"],
    result: {
      protocolVersion: revision,
      capabilities: {},
      serverInfo: { name: "s", version: "1" },
    },
  });

let slugs = 0;
/** A server that begins sessions and leaves the rest to `answer`. */
async function scripted(
  answer: (heard: Heard, response: ServerResponse) => Promise<void> | void,
  about: { session?: string | null; entry?: Record<string, unknown> } = {},
) {
  const { session = "s-1", entry = {} } = about;
  const server = await startScriptedServer((heard, response) => {
    if (heard.method === "GET" && !heard.headers["last-event-id"]) {
      response.writeHead(405).end();
      return undefined;
    }
    if (heard.body?.["method"] !== "initialize") return answer(heard, response);
    const { protocolVersion } = heard.body["params"] as Record<string, unknown>;
    response.writeHead(200, {
      ...json,
      ...(session === null ? {} : { "mcp-session-id": session }),
    });
    response.end(initialized(heard, protocolVersion));
    return undefined;
  });
  running.push(server);
  const slug = `f${(slugs += 1)}`;
  const url = await register(router, tenant, { slug, url: server.url, ...entry });
  return { server, url, slug };
}

const asks = (id: unknown, more = ""): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi${more}"}}],"maxTokens":10}}`;
const answersIn = ({ heard }: FakeServer) =>
  heard.filter(({ body }) => body !== null && !("method" in body)).map(({ body }) => body);
const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());
const logged = async (): Promise<string[]> => {
  const answer = await adminOf(router, router.adminToken)("GET", "/events");
  return (answer.get("data") as { action: string }[]).map(({ action }) => action);
};

describe("a stream", () => {
  /** All kinds of line ends, comments, types, fields, half characters; sampling at two places. */
  const before =
    "\uFEFF: hello\r\n\r\nretry: 100\r\n\r\nid: 1\ndata: \n\n" +
    'id: 2\revent: message\rdata: {"jsonrpc":"2.0","method":"notifications/message","params":{"n":1.0,"text":"é€😀 \\u0063reate"}}\r\r' +
    'event: other\ndata: {"method":"sampling/createMessage"}\n\n';
  const taken = `id: 3\nevent: message\ndata: ${asks("a")}\n\n`;
  const between =
    'data: {"jsonrpc":"2.0","method":"notifications/progress",\ndata: "params":{"progressToken":1e2}}\n\n: alive\n';
  const split = `data: ${asks(7, "7").replace('"params"', '\ndata: "params"').replace("sampling/", "sampling\\/")}\n\n`;
  const after =
    'id: 4\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"😀"}]}}\n\n: end';

  it("comes out as it came in but for the sampling parts, cut at every byte", async () => {
    const { url, server } = await scripted(async (heard, response) => {
      if (heard.body?.["method"] !== "tools/call") {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, events);
      const bytes = Buffer.from(before + taken + between + split + after);
      for (const byte of bytes) {
        response.write(Uint8Array.of(byte));
        if (byte % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const raw = await openRaw(url, key);
    const response = await raw.request(1, "tools/call", { name: "t" });
    const text = (await bytesOf(response)).toString().replaceAll(": keep-alive\n\n", "");
    // The comment goes out at once. Where it comes in one piece with its event, it is a block of its own.
    const got = text.replace(": alive\n\nid: 4", ": alive\nid: 4");
    expect(got).toBe(`${before}id: 3\ndata:\n\n${between}${after}`);
    await until(() => answersIn(server).length === 2);
    expect(answersIn(server).map((answer) => answer?.["id"])).toEqual(
      expect.arrayContaining(["a", 7]),
    );
    expect(JSON.stringify(answersIn(server))).toContain(faultyText);
  });

  it("of 1,000 mixed messages, both ways, differs in the sampling parts alone", async () => {
    const kinds = [
      (n: number) =>
        `event: message\ndata: {"jsonrpc":"2.0","id":${n}.0,"result":{"a":[1E2,"é${n}"]}}\n\n`,
      (n: number) => `: c${n}\r\n\r\n`,
      (n: number) =>
        `id: e-${n}\nretry: ${n}\ndata: {"method":"notifications/message","params":{"d":"createMessage"}}\n\n`,
      (n: number) =>
        `data: {"jsonrpc":"2.0","id":"${n}","method":"elicitation/create",\rdata: "params":{}}\r\r`,
      (n: number) =>
        `id: x${n}\ndata: {"jsonrpc":"2.0","error":{"code":-1,"message":"\\u00e9"},"id":${n}}\n\n`,
    ];
    const parts = Array.from({ length: 1_000 }, (_, n) => kinds[(n * 7) % kinds.length]?.(n) ?? "");
    const takenAt = new Set([3, 250, 251, 999]);
    const { url, server } = await scripted(async (heard, response) => {
      if (heard.body?.["method"] !== "tools/call") {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, events);
      const whole = parts.map((part, n) =>
        takenAt.has(n) ? `${part}id: own${n}\ndata: ${asks(n)}\n\n` : part,
      );
      const bytes = Buffer.from(whole.join(""));
      for (let at = 0; at < bytes.length; at += 997) {
        response.write(bytes.subarray(at, at + 997));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const raw = await openRaw(url, key);
    const got = (await (await raw.request(1, "tools/call", { name: "t" })).text()).replaceAll(
      ": keep-alive\n\n",
      "",
    );
    expect(got).toBe(
      parts.map((part, n) => (takenAt.has(n) ? `${part}id: own${n}\ndata:\n\n` : part)).join(""),
    );
    await until(() => answersIn(server).length === takenAt.size);

    const sent = Array.from(
      { length: 50 },
      (_, n) =>
        ` {"jsonrpc" : "2.0","method":"notifications/n","params":{"n":${n}.50,"é":"\\u0041"}}\n`,
    );
    server.heard.length = 0;
    for (const text of sent) await raw.post(text);
    expect(server.heard.map(({ text }) => text)).toEqual(sent);
  });

  it("that is silent is closed at the server too once its client has left", async () => {
    let closed = 0;
    const { url } = await scripted((_heard, response) => {
      response.writeHead(200, events);
      response.write(": begun\n\n");
      response.on("close", () => (closed += 1));
    });
    const asClient = await scripted(
      (_heard, response) => {
        response.writeHead(200, events);
        response.write(": begun\n\n");
        response.on("close", () => (closed += 1));
      },
      { entry: { sampling: "client" } },
    );
    const left = new AbortController();
    for (const each of [url, asClient.url]) {
      const raw = await openRaw(each, key);
      const stream = await raw.get({ "Last-Event-ID": "1" }, left.signal);
      await stream.body?.getReader().read();
    }
    expect(closed).toBe(0);
    left.abort();
    await until(() => closed === 2, 15_000);
  });

  it("that breaks off ends with an error for the request that waits", async () => {
    const { url } = await scripted((_heard, response) => {
      response.writeHead(200, events);
      response.write(": begun\n\n");
      setTimeout(() => response.destroy(), 50);
    });
    const raw = await openRaw(url, key);
    const text = await (await raw.request(5, "tools/call", { name: "t" })).text();
    expect(text).toContain('"id":5');
    expect(text).toContain('"reason":"server_failed"');
  });

  it("that breaks off and can be resumed ends without an error", async () => {
    const { url } = await scripted((_heard, response) => {
      response.writeHead(200, events);
      response.write("id: 1\ndata:\n\n");
      setTimeout(() => response.destroy(), 50);
    });
    const raw = await openRaw(url, key);
    const text = await (await raw.request(5, "tools/call", { name: "t" })).text();
    expect(text).toBe("id: 1\ndata:\n\n");
  });

  it("has a too large sampling request taken out, and the server gets an error", async () => {
    const { url, server } = await scripted((heard, response) => {
      if (heard.body?.["method"] !== "tools/call") {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, events);
      response.write(`data: ${asks("big", "x".repeat(13 * 1024 * 1024))}\n\n`);
      response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    const raw = await openRaw(url, key);
    const text = await (await raw.request(1, "tools/call", { name: "t" })).text();
    expect(text).toBe('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    await until(() => answersIn(server).length === 1);
    expect(answersIn(server)[0]).toMatchObject({ id: "big", error: { code: -413 } });
    expect((await recordsOf(router, tenant))[0]).toMatchObject({
      outcome: "refused",
      reason: "payload_too_large",
      who: { tool: "t" },
    });
  });

  it("has malformed JSON dropped, and malformed sampling params answered with an error", async () => {
    const broken = 'data: {"method":"sampling/createMessage"\n\n';
    const { url, server } = await scripted((heard, response) => {
      if (heard.body?.["method"] !== "tools/call") {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, events);
      response.end(
        `${broken}data: {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\n\n`,
      );
    });
    const raw = await openRaw(url, key);
    const text = await (await raw.request(1, "tools/call", { name: "t" })).text();
    expect(text).not.toContain("createMessage");
    // The dropped event may have been the answer.
    expect(text).toContain('"reason":"server_failed"');
    await until(() => answersIn(server).length === 1);
    expect(answersIn(server)[0]).toMatchObject({ id: 1, error: { code: -32602 } });
    expect((await recordsOf(router, tenant))[0]).toMatchObject({
      outcome: "refused",
      reason: "invalid_params",
    });
  });
});

describe("a server", () => {
  it("without session ids can sample, too", async () => {
    let finish: ((text: string) => void) | undefined;
    const { url } = await scripted(
      async (heard, response) => {
        if (heard.body?.["method"] !== "tools/call") {
          response.writeHead(202).end();
          finish?.(heard.text);
          return;
        }
        response.writeHead(200, events);
        response.write(`data: ${asks(0)}\n\n`);
        const text = await new Promise<string>((resolve) => (finish = resolve));
        const result = { content: [{ type: "text", text }] };
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`);
      },
      { session: null },
    );
    const raw = await openRaw(url, key);
    expect(raw.sessionId).toBeNull();
    // The same id twice means two requests: without sessions, ids begin again with every call.
    for (let count = 0; count < 2; count += 1) {
      const text = await (await raw.request(1, "tools/call", { name: "t" })).text();
      expect(text).toContain(faultyText);
    }
    const [last, first] = await recordsOf(router, tenant);
    for (const record of [last, first])
      expect(record).toMatchObject({ outcome: "succeeded", who: { sessionId: null, tool: "t" } });
  });

  it("that answers with a JSON batch has its sampling requests taken out, and the rest passes", async () => {
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"p":1.0}}';
    const result = '{"jsonrpc":"2.0", "id":1,"result":{"n":1e3}}';
    const { url, server } = await scripted((heard, response) => {
      if (!heard.text.includes("tools/call")) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, json).end(`[${progress}, ${asks(5)} ,${result}]`);
    });
    const raw = await openRaw(url, key, { revision: "2025-03-26" });
    const response = await raw.request(1, "tools/call", { name: "t" });
    expect(await response.text()).toBe(`[${progress} ,${result}]`);
    await until(() => answersIn(server).length === 1);
    expect(answersIn(server)[0]).toMatchObject({ id: 5, result: { model: expect.any(String) } });
  });

  it("that is down is an error that the client can read", async () => {
    const { url, server } = await scripted(() => undefined);
    const raw = await openRaw(url, key);
    await server.stop();
    const asked = await raw.request(3, "tools/call", { name: "t" });
    expect(asked.status).toBe(200);
    expect(await asked.json()).toMatchObject({
      id: 3,
      error: { code: -502, data: { reason: "server_failed" } },
    });
    const noticed = await raw.post('{"jsonrpc":"2.0","method":"notifications/x"}');
    expect(noticed.status).toBe(502);
    expect(await noticed.json()).toMatchObject({ error: { data: { reason: "server_failed" } } });
    expect((await raw.get()).status).toBe(502);
  });

  it("that answers 5xx or 4xx keeps its status, and its body if that is JSON", async () => {
    const { url } = await scripted((heard, response) => {
      const isJson = heard.body?.["id"] === 1;
      response.writeHead(isJson ? 503 : 418, {
        "content-type": isJson ? "application/problem+json" : "text/plain",
        "x-own": "1",
        "set-cookie": "a=b",
      });
      response.end(isJson ? '{"no":"é"}' : "no é");
    });
    const raw = await openRaw(url, key);
    for (const [id, status, text] of [
      [1, 503, '{"no":"é"}'],
      [2, 418, ""],
    ] as const) {
      const answer = await raw.request(id, "tools/call", { name: "t" });
      expect(answer.status).toBe(status);
      expect(await answer.text()).toBe(text);
      expect(answer.headers.get("x-own")).toBeNull();
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  it("that answers 401 is a clear error and an event, and its challenge stays here", async () => {
    const { url } = await scripted((_heard, response) => {
      response.writeHead(401, { "www-authenticate": 'Bearer resource_metadata="https://x.test"' });
      response.end();
    });
    const raw = await openRaw(url, key);
    const answer = await raw.request(3, "tools/call", { name: "t" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("www-authenticate")).toBeNull();
    expect(await answer.json()).toMatchObject({
      error: { code: -502, data: { reason: "server_unauthorized" } },
    });
    expect(await logged()).toContain("server.unauthorized");
  });

  it("that redirects is not followed", async () => {
    const other = await startScriptedServer((_heard, response) => void response.end("stolen"));
    running.push(other);
    const { url } = await scripted((_heard, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    const raw = await openRaw(url, key);
    const answer = await raw.request(3, "tools/call", { name: "t" });
    expect(await answer.json()).toMatchObject({ error: { data: { serverStatus: 307 } } });
    expect(other.heard).toEqual([]);
  });

  it("that can't take the router's answer holds nothing up", async () => {
    let posts = 0;
    const { url } = await scripted(
      (heard, response) => {
        if (heard.body?.["method"] === "tools/call") {
          response.writeHead(200, events);
          response.end(`data: ${asks(1)}\n\n`);
          return;
        }
        posts += 1;
        response.writeHead(500).end();
      },
      { session: "s-2" },
    );
    const raw = await openRaw(url, key);
    expect(await (await raw.request(1, "tools/call", { name: "t" })).text()).toBe("");
    await until(() => posts === 3);
    expect((await recordsOf(router, tenant))[0]?.outcome).toBe("succeeded");
    await until(async () => (await printedByRouter()).includes('"event":"undelivered"'));
  });

  it("gets its own headers and the client's Authorization only if its entry says so", async () => {
    const seen: Record<string, string>[] = [];
    const take = (heard: Heard, response: ServerResponse): void => {
      seen.push(heard.headers);
      response.writeHead(202).end();
    };
    const plain = await scripted(take, {
      entry: { headers: { "X-Own": "static" }, passHeaders: ["X-Custom"] },
    });
    const trusting = await scripted(take, { entry: { forwardAuthorization: true } });
    for (const { url } of [plain, trusting])
      await fetch(url, {
        method: "POST",
        headers: {
          Authorization: "Basic abc",
          "X-Sampling-Router-Key": key,
          Cookie: "a=b",
          "X-Custom": "kept",
          "Content-Type": "application/json",
        },
        body: '{"jsonrpc":"2.0","method":"notifications/x"}',
      });
    expect(seen[0]).toMatchObject({ "x-own": "static", "x-custom": "kept" });
    expect(seen[0]).not.toHaveProperty("authorization");
    expect(seen[1]).toMatchObject({ authorization: "Basic abc" });
    for (const headers of seen) {
      expect(headers).not.toHaveProperty("cookie");
      expect(headers).not.toHaveProperty("x-sampling-router-key");
    }
  });
});

describe("a request that nobody may read", () => {
  it("is refused before anything reaches the server", async () => {
    const { url, server } = await scripted(() => undefined);
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    const forbidden = await fetch(url, {
      headers: { Authorization: `Bearer ${key}`, Origin: "https://evil.test" },
    });
    expect(forbidden.status).toBe(403);
    const put = await fetch(url, { method: "PUT", headers: { Authorization: `Bearer ${key}` } });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET, DELETE"]);
    const large = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
      body: "x".repeat(13 * 1024 * 1024),
    });
    expect(large.status).toBe(413);
    expect(server.heard).toEqual([]);
  });
});
