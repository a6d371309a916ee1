/** JSON that two parsers read as two messages: none of it gets past the router, and no request is left waiting. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "ambiguous";
const json = "application/json";
const events = "text/event-stream";
let router: SharedRouter;
let server: Server;
let key = "";
const urls = new Map<string, string>();
const urlOf = (mode: string): string => urls.get(mode) ?? "";
/** what a server says to `tools/call`, to `tools/list` and to GET; how its body comes: all at once, or in parts */
let says: { type: string; parts: (string | Uint8Array)[] } | null = null;
let waits: Promise<void> = Promise.resolve();
let heard: string[] = [];

async function send(response: ServerResponse, { type, parts }: NonNullable<typeof says>) {
  response.writeHead(200, { "Content-Type": type });
  for (const [at, part] of parts.entries()) {
    if (at > 0) await waits;
    response.write(part);
  }
  response.end();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  if (request.method === "GET")
    return says?.type === events ? send(response, says) : void response.writeHead(405).end();
  if (request.method === "DELETE") return void response.writeHead(200).end();
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: string };
  const whole = (message: object) => ({
    type: json,
    parts: [JSON.stringify({ jsonrpc: "2.0", id, ...message })],
  });
  if (id === "sampling-router-discover" && request.url === "/older")
    return void response.writeHead(404).end();
  if (id === "sampling-router-discover") {
    const versions = { supportedVersions: ["2026-07-28"], ttlMs: 0, cacheScope: "private" };
    return send(
      response,
      whole({ result: { resultType: "complete", capabilities: {}, ...versions } }),
    );
  }
  if (method === "initialize") {
    response.setHeader("Mcp-Session-Id", crypto.randomUUID());
    if (says !== null) return send(response, says);
    const about = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
    return send(
      response,
      whole({ result: { ...about, serverInfo: { name: "raw", version: "1" } } }),
    );
  }
  heard.push(text);
  if (id === undefined || method === undefined) return void response.writeHead(202).end();
  return send(response, says ?? whole({ result: { resultType: "complete", content: [] } }));
}

beforeAll(async () => {
  router = await borrowRouter();
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const sampling of ["router", "deny", "client", "client-then-router"])
    for (const [slug, path] of [
      [sampling, "mcp"],
      [`older-${sampling}`, "older"],
    ] as const)
      urls.set(slug, await register(router, tenant, { slug, url: `${url}/${path}`, sampling }));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  says = null;
  waits = Promise.resolve();
  heard = [];
});

const content = '{"type":"text","text":"hi"}';
const asks = `"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":${content}}],"maxTokens":5}`;
/** Ways in which a server hides a request for sampling that some client would see. */
const hidden: [string, string][] = [
  ["a key twice", `{"jsonrpc":"2.0","id":"s1",${asks},"method":"notifications/x"}`],
  ["another case", `{"jsonrpc":"2.0","id":"s1",${asks.replace("method", "Method")}}`],
  ["Unicode folding", `{"j\u017Fonrpc":"2.0","id":"s1",${asks.replace("method", "METHOD")}}`],
  ["an escape", String.raw`{"jsonrpc":"2.0","id":"s1",${asks},"m\u0065thod":"notifications/x"}`],
  ["a NUL", `{"jsonrpc":"2.0","id":"s1",${asks.replace("method", String.raw`method\u0000`)}}`],
  ["an answer's look", `{"jsonrpc":"2.0","id":"s1","result":{},${asks}}`],
  ["what only some take for JSON", `{"jsonrpc":"2.0","id":"s1","x":NaN,${asks}}`],
  [
    "a second value",
    `{"jsonrpc":"2.0","method":"notifications/x"}{"jsonrpc":"2.0","id":"s1",${asks}}`,
  ],
  ["a list in a list", `[[{"jsonrpc":"2.0","id":"s1",${asks}}]]`],
  ["an id that is none", `{"jsonrpc":"2.0","id":null,${asks}}`],
];
/** A stream on GET up to a text, or to its end: the router holds the stream for a second after the server's has ended. */
async function readUntil(response: Response, text: string): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let read = "";
  while (!read.includes(text)) {
    const next = await reader?.read();
    if (next?.done !== false) break;
    read += decoder.decode(next.value, { stream: true });
  }
  return read;
}
const done = (id: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[]}}`;
/** The ids of the requests that a stream fails. */
const failedIn = (text: string): unknown[] =>
  text
    .split("\n\n")
    .filter((block) => !block.includes("event: unreadable"))
    .flatMap((block) => block.split("\n").filter((line) => line.startsWith("data: {")))
    .map(
      (line) => JSON.parse(line.slice(6)) as { id: unknown; error?: { data: { reason: string } } },
    )
    .filter(({ error }) => error?.data.reason === "server_failed")
    .map(({ id }) => id);

describe.each(["router", "deny", "client-then-router"])("a server, in the mode %s", (mode) => {
  it.each(hidden)("can't hide a request on a stream by %s", async (_, message) => {
    const raw = await openRaw(urlOf(mode), key);
    for (const text of [
      `data: ${message}\n\ndata: ${done(3)}\n\n`,
      `event: other\ndata: ${message}\n\ndata: ${done(3)}\n\n`,
      `data: ${message}\r\rdata: ${done(3)}\r\r`,
      `data: ${done(3)}\n\ndata: ${message}`,
    ]) {
      says = { type: events, parts: [text] };
      const called = await (await raw.request(3, "tools/call", { name: "t" })).text();
      expect(called).not.toMatch(/createMessage/i);
      expect(called).toContain(done(3));
      expect(failedIn(called).filter((id) => id === 3)).toEqual([]);
    }
    says = { type: events, parts: [`data: ${message}\n\n: end\n\n`] };
    const leaving = new AbortController();
    const stream = await readUntil(await raw.get({}, leaving.signal), ": end");
    leaving.abort();
    expect(stream).not.toMatch(/createMessage/i);
    expect(stream).toContain(": end");
  });

  it.each(hidden)("can't hide a request in a JSON answer by %s", async (_, message) => {
    const raw = await openRaw(urlOf(mode), key);
    says = { type: json, parts: [message] };
    const called = await raw.request(3, "tools/call", { name: "t" });
    const text = await called.text();
    expect(text).not.toMatch(/createMessage/i);
    if (called.status !== 202)
      expect(JSON.parse(text)).toMatchObject({ id: 3, error: { code: -502 } });
  });

  it.each([
    ["a comment", `: \u2028\u2028data: {"jsonrpc":"2.0","id":"s1",${asks}}\u2028\u2028\n\n`],
    [
      "an id",
      `id: \u0085data: {"jsonrpc":"2.0","id":"s1",${asks}}\u0085\u0085\ndata: {"jsonrpc":"2.0","method":"x"}\n\n`,
    ],
    [
      "a field of its own",
      `x: \u001e\u001edata: {"jsonrpc":"2.0","id":"s1",${asks}}\u001e\u001e\n\n`,
    ],
  ])("can't hide a request in %s, where other clients end lines", async (_, text) => {
    const raw = await openRaw(urlOf(mode), key);
    says = { type: events, parts: [`${text}data: ${done(3)}\n\n`] };
    const called = await (await raw.request(3, "tools/call", { name: "t" })).text();
    expect(called).not.toContain("createMessage");
    expect(called).toContain(done(3));
  });

  const twice = '"result":{"resultType":"complete","content":[]},"result":{"content":[]}';
  it("fails the request that an ambiguous answer was for, and the client doesn't wait", async () => {
    const raw = await openRaw(urlOf(mode), key);
    const failed = { id: 3, error: { code: -502, data: { reason: "server_failed" } } };
    says = { type: json, parts: [`{"jsonrpc":"2.0","id":3,${twice}}`] };
    const called = await raw.request(3, "tools/call", { name: "t" });
    expect([called.status, await called.json()]).toMatchObject([200, failed]);
    says = { type: json, parts: [`{"jsonrpc":"2.0",`, `"id":3,${twice}}`] };
    expect(await (await raw.request(3, "tools/call", { name: "t" })).json()).toMatchObject(failed);
    // In its place on a stream; at the end, where nobody can say whose answer it was.
    for (const id of ['"id":3', '"id":3,"id":4', '"ID":3']) {
      says = { type: events, parts: [`id: e1\ndata: {"jsonrpc":"2.0",${id},${twice}}\n\n`] };
      const text = await (await raw.request(3, "tools/call", { name: "t" })).text();
      expect(failedIn(text)).toEqual([3]);
      expect(text).toContain("id: e1\n");
    }
  });

  it("fails the request in 2026-07-28 too, with rounds and without", async () => {
    for (const method of ["tools/call", "tools/list"]) {
      const params = method === "tools/call" ? { name: "t" } : {};
      const ask = async () =>
        (await sendModern(urlOf(mode), key, { id: 3, method, params })).text();
      const failed = { id: 3, error: { code: -502, data: { reason: "server_failed" } } };
      const asksForInput = `{"jsonrpc":"2.0","id":3,"result":{"result_type":"input_required","input_requests":{"a":{${asks}}}}}`;
      for (const message of [`{"jsonrpc":"2.0","id":3,${twice}}`, asksForInput]) {
        says = { type: json, parts: [message] };
        expect(JSON.parse(await ask())).toMatchObject(failed);
        says = { type: events, parts: [`data: ${message}\n\n`] };
        expect(failedIn(await ask())).toEqual([3]);
        says = {
          type: events,
          parts: [`data: ${message.slice(0, 20)}`, `${message.slice(20)}\n\n`],
        };
        expect(failedIn(await ask())).toEqual([3]);
      }
    }
  });

  it("cuts a large answer where a fault comes after its beginning", async () => {
    const large = `{"jsonrpc":"2.0","id":3,"result":{"x":"${"x".repeat(200_000)}"}`;
    let go = (): void => undefined;
    waits = new Promise((resolve) => (go = resolve));
    const raw = await openRaw(urlOf(mode), key);
    for (const type of [json, events]) {
      const start = type === json ? "" : "data: ";
      says = { type, parts: [start + large, `,"method":"sampling/createMessage"}\n\n`] };
      for (const call of [
        () => raw.request(3, "tools/call", { name: "t" }),
        () => sendModern(urlOf(mode), key, { id: 3, method: "tools/list", params: {} }),
      ]) {
        const called = await call();
        const reader = called.body?.getReader();
        let text = new TextDecoder().decode((await reader?.read())?.value);
        expect(text).toContain(`${start}{"jsonrpc"`);
        go();
        try {
          for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
            text += new TextDecoder().decode(next.value);
        } catch {
          // The body is cut before its end.
        }
        expect(text).not.toContain("createMessage");
        if (type === events) {
          expect(text).toContain("\nevent: unreadable\n\n");
          expect(failedIn(text)).toEqual([3]);
        }
      }
    }
  });

  it("begins no session with an ambiguous answer", async () => {
    const answered =
      '"result":{"protocolVersion":"2025-11-25","capabilities":{},"Capabilities":{}}';
    for (const type of [json, events]) {
      const message = `{"jsonrpc":"2.0","id":"i",${answered}}`;
      says = { type, parts: [type === json ? message : `data: ${message}\n\n`] };
      const begun = await fetch(urlOf(`older-${mode}`), {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": json,
          Accept: `${json}, ${events}`,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: "i",
          method: "initialize",
          params: {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "c", version: "1" },
          },
        }),
      });
      expect(await begun.text()).toContain('"reason":"server_failed"');
    }
  });

  it("may say what it likes in content, structuredContent and schemas", async () => {
    const odd = '{"method":1,"Method":2,"result":{},"result":[]}';
    const message = `{"jsonrpc":"2.0","id":3,"result":{"content":[${odd}],"structuredContent":${odd},"tools":[{"inputSchema":${odd}}]}}`;
    const raw = await openRaw(urlOf(mode), key);
    for (const [type, text] of [
      [json, message],
      [events, `data: ${message}\n\n`],
    ] as const) {
      says = { type, parts: [text] };
      expect(await (await raw.request(3, "tools/call", { name: "t" })).text()).toBe(text);
    }
  });
});

describe("a client", () => {
  const before = '{"jsonrpc":"2.0","id":5,';
  it.each<[string, number | null, string]>([
    ["a method twice", 5, `${before}"method":"tools/list","method":"tools/call","params":{}}`],
    ["a method in another case", 5, `${before}"Method":"tools/call","method":"tools/list"}`],
    ["a tool twice", 5, `${before}"method":"tools/call","params":{"name":"a","Name":"b"}}`],
    ["an id twice", null, `${before}"method":"tools/list","id":6}`],
    ["an id in another case", null, '{"jsonrpc":"2.0","Id":5,"method":"tools/list"}'],
    [
      "a forged answer",
      null,
      `${before}"result":{"Role":"assistant","model":"m","content":${content}}}`,
    ],
    ["both", 5, `${before}"method":"tools/list","result":{}}`],
    [
      "capabilities twice",
      5,
      `${before}"method":"initialize","params":{"capabilities":{},"capabilities":{"sampling":{}}}}`,
    ],
    ["one of a batch", null, `[${before}"method":"ping"},${before}"method":"ping","method":"x"}]`],
  ])("is refused for %s", async (_, id, body) => {
    const raw = await openRaw(urlOf("router"), key);
    const heardBefore = heard.length;
    const answered = await raw.post(body);
    expect(answered.status).toBe(400);
    const said = (await answered.json()) as {
      id?: unknown;
      error: { code: number; message: string };
    };
    expect(said.error.code).toBe(-32600);
    expect(said.id ?? null).toBe(id);
    expect(heard.length).toBe(heardBefore);
  });

  it("is refused for an ambiguous request in 2026-07-28 too", async () => {
    const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`;
    const text = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"arguments":{"a":2},${meta}}}`;
    const answered = await sendModern(urlOf("router"), key, { params: { name: "t" }, text });
    expect(answered.status).toBe(400);
    expect(await answered.json()).toMatchObject({ id: 5, error: { code: -32600 } });
  });

  it("is refused for bytes that are no UTF-8", async () => {
    const raw = await openRaw(urlOf("router"), key);
    const bytes = Buffer.concat([
      Buffer.from(`${before}"method":"x","params":{"a":"`),
      Buffer.from([0xc3]),
      Buffer.from('"}}'),
    ]);
    const answered = await raw.post(bytes as unknown as string);
    expect([answered.status, await answered.text()]).toEqual([
      400,
      expect.stringContaining("-32700"),
    ]);
  });

  it("may say what it likes in arguments", async () => {
    const raw = await openRaw(urlOf("router"), key);
    const text = `${before}"method":"tools/call","params":{"name":"t","arguments":{"method":1,"Method":2,"method":3}}}`;
    expect((await raw.post(text)).status).toBe(200);
    expect(heard.at(-1)).toBe(text);
  });
});

describe("in the mode client", () => {
  it("everything passes as it came, both ways", async () => {
    const raw = await openRaw(urlOf("client"), key);
    const sent = '{"jsonrpc":"2.0","id":5,"method":"a","method":"tools/call","result":1}';
    for (const [, message] of hidden)
      for (const [type, text] of [
        [json, message],
        [events, `event: x\ndata: ${message}\n\n`],
      ] as const) {
        says = { type, parts: [text] };
        expect(await (await raw.post(sent)).text()).toBe(text);
        expect(heard.at(-1)).toBe(sent);
        const modern = await sendModern(urlOf("client"), key, { id: 5, params: { name: "t" } });
        expect(await modern.text()).toBe(text);
      }
  });
});

describe("a caller of the router itself", () => {
  it("is refused for a key twice, wherever the router decides by it", async () => {
    const made = await adminOf(router, router.adminToken)("POST", `/tenants/${tenant}/keys`, {
      name: "s",
      scopes: ["sampling"],
    });
    const caller = { Authorization: `Bearer ${String(made.get("key"))}` };
    const params =
      '"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5';
    const post = (path: string, body: string) =>
      fetch(`${router.url}${path}`, {
        method: "POST",
        headers: { ...caller, "Content-Type": json, Accept: json },
        body,
      });
    const sampled = await post(
      "/v1/sampling",
      `{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{${params},"MaxTokens":6}}`,
    );
    expect(sampled.status).toBe(400);
    expect(await sampled.json()).toMatchObject({ id: 9, error: { code: -32600 } });
    const routed = await post("/v1/route", `{${params},"maxTokens":6}`);
    expect([routed.status, await routed.text()]).toEqual([
      400,
      expect.stringContaining("maxTokens"),
    ]);
    expect((await post("/v1/route", `{${params}}`)).status).toBe(200);
  });
});
