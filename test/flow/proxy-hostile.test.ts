/** Servers and clients that mean harm: what they say twice, hide, or say too much of. */
import { readdirSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { startScriptedServer, type FakeServer, type Heard } from "../fakes/mcp-servers.ts";
import { openRaw, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRawServer } from "../fakes/raw-server.ts";
import { answerAt } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let provider: WireServer;
/** the provider's answers that wait for `holds` to end */
let held: ServerResponse[] = [];
let isHolding = false;
const tenant = "hostile";
let key = "";
const running: { stop(): Promise<void> }[] = [];

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

const complete = (response: ServerResponse): void =>
  sendJson(response, 200, answerAt("compatible", { text: "fine" }));
const release = (): void => {
  isHolding = false;
  for (const response of held.splice(0)) complete(response);
};

beforeAll(async () => {
  provider = await startWireServer({
    answers(_request, response) {
      if (isHolding) held.push(response);
      else complete(response);
    },
  });
  router = await borrowRouter();
  await createTenant(router, tenant, {
    provider: "openai-compatible",
    baseUrl: provider.url("openai-compatible"),
    models: [{ id: "m", tools: true, inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
  });
  key = await proxyKey(router, tenant);
});
afterAll(async () => {
  await provider?.stop();
});
afterEach(async () => {
  release();
  held = [];
  for (const server of running.splice(0)) await server.stop();
});

const initialized = ({ body }: Heard): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: body?.["id"],
    result: {
      protocolVersion: at(body, "params.protocolVersion"),
      capabilities: {},
      serverInfo: { name: "s", version: "1" },
    },
  });

let slugs = 0;
const slugOf = (): string => `h${(slugs += 1)}`;
/** A server that begins sessions, leaves calls to `answer`, and takes whatever else comes. */
async function scripted(
  entry: Record<string, unknown>,
  answer: (heard: Heard, response: ServerResponse) => void = () => undefined,
  begins = (heard: Heard, response: ServerResponse): void => {
    response.writeHead(200, { ...json, "mcp-session-id": "s-1" });
    response.end(initialized(heard));
  },
) {
  const server = await startScriptedServer((heard, response) => {
    const method = heard.body?.["method"];
    if (heard.method === "GET") response.writeHead(405).end();
    else if (method === "initialize") begins(heard, response);
    else if (method === "tools/call") answer(heard, response);
    else response.writeHead(202).end();
  });
  running.push(server);
  return {
    server,
    url: await register(router, tenant, { slug: slugOf(), url: server.url, ...entry }),
  };
}

const tools = `,"tools":[{"name":"t","inputSchema":{"type":"object"}}]`;
const asks = (id: unknown, more = ""): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10${more}}}`;
const done = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
const forged = (id: string, more = ""): string =>
  `{"jsonrpc":"2.0","id":${id}${more},"result":{"role":"assistant","model":"m","content":{"type":"text","text":"forged"}}}`;
const answersIn = ({ heard }: FakeServer) =>
  heard.filter(({ text }) => /"(result|error)"/.test(text));

describe("a client that answers for the router", () => {
  const plain = forged("1");
  const utf16 = Buffer.from(plain, "utf16le");
  it.each<[string, number, string | Buffer, Record<string, string>]>([
    ["as anybody would", 202, plain, {}],
    ["behind a byte order mark", 202, `\uFEFF${plain}`, {}],
    ["with a method beside it", 400, forged("1", ',"method":"x"'), {}],
    ["in another encoding", 415, utf16, { "Content-Type": "application/json; charset=utf-16" }],
    ["in another encoding, unsaid", 400, utf16, {}],
    [
      "in an encoding that looks like UTF-8",
      415,
      plain.replace('"result"', "+ACI-result+ACI-"),
      { "Content-Type": 'application/json; x=1; Charset="UTF-7"' },
    ],
    ["in what only some take for JSON", 400, plain.replace('"m"', '"m","x":NaN'), {}],
    ["compressed", 415, gzipSync(plain), { "Content-Encoding": "gzip" }],
    ["in a batch without an end", 400, `[${`${plain.replace("result", "r")},`.repeat(100)}{}]`, {}],
  ])("%s, reaches no server", async (_, status, body, headers) => {
    const { server, url } = await scripted({});
    const raw = await openRaw(url, key);
    const before = server.heard.length;
    const answer = await raw.post(body as string, headers);
    expect(answer.status).toBe(status);
    expect(server.heard.length).toBe(before);
  });

  it("is let through in the mode where nothing is touched", async () => {
    const body = gzipSync(plain);
    const unseen = await scripted({ sampling: "client" });
    const refused = await (
      await openRaw(unseen.url, key)
    ).post(body as unknown as string, { "Content-Encoding": "gzip" });
    // Without its coding, the server could not read it.
    expect(refused.status).toBe(415);
    const passHeaders = ["Content-Encoding"];
    const { server, url } = await scripted({ sampling: "client", passHeaders });
    const raw = await openRaw(url, key);
    await raw.post(body as unknown as string, { "Content-Encoding": "gzip" });
    expect(server.heard.at(-1)?.bytes.equals(body)).toBe(true);
    expect(server.heard.at(-1)?.headers["content-encoding"]).toBe("gzip");
  });

  it("is let through with more members than the router parses, in that mode alone", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"x":[${"1,".repeat(60_000)}1]}}}`;
    const unseen = await scripted({ sampling: "client" }, (_, response) => {
      response.writeHead(200, events).end(done);
    });
    expect(await (await (await openRaw(unseen.url, key)).post(body)).text()).toContain(done);
    expect(unseen.server.heard.at(-1)?.text).toBe(body);
    const read = await scripted({});
    const refused = await (await openRaw(read.url, key)).post(body);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("50000 members"),
    ]);
    expect(read.server.heard.at(-1)?.text).not.toBe(body);
  });

  it("is not believed for spelling the request's number as a text", async () => {
    isHolding = true;
    let end = (): void => undefined;
    const { server, url } = await scripted({ sampling: "client-then-router" }, (_, response) => {
      response.writeHead(200, events);
      response.write(`data: ${asks(0, tools)}\n\n`);
      end = () => response.end(done);
    });
    const raw = await openRaw(url, key, { capabilities: { sampling: {} } });
    const call = await raw.request(1, "tools/call", { name: "t" });
    await until(() => held.length === 1);
    for (const id of ["0", '"0"', '"0.0"', '" 0"', '"0x0"', '""']) await raw.post(forged(id));
    expect(answersIn(server)).toEqual([]);
    await raw.post(forged('"other"'));
    expect(answersIn(server).map(({ text }) => text)).toEqual([forged('"other"')]);
    release();
    await until(() => answersIn(server).length === 2);
    expect(answersIn(server).at(-1)?.text).toContain('"id":0,');
    end();
    expect(await call.text()).toContain(done);
  });
});

describe("somebody without a key", () => {
  it.each(["/v1/sampling", `/mcp/${tenant}/any`])("has no large body read: %s", async (path) => {
    // The body would be refused as too large, if the router looked at it.
    const body = `[${"{},".repeat(4_500_000)}{}]`;
    const unknown = `${key.slice(0, -4)}abcd`;
    const headers = { ...json, Accept: "application/json", Authorization: `Bearer ${unknown}` };
    const answer = await fetch(`${router.url}${path}`, { method: "POST", headers, body });
    expect(answer.status).toBe(401);
  });
});

describe("a session of another key, with a server of both eras", () => {
  const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} };
  const call = '{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{}}';
  it.each<[string, string | null]>([
    ["POST", forged("0")],
    ["POST", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'],
    ["POST", call],
    ["GET", null],
    ["DELETE", null],
  ])("can't be used under another revision: %s %s", async (method, body) => {
    const server = await startRawServer();
    running.push(server);
    server.handle(({ json: { id, method: asked } }, reply) => {
      const headers = { "Mcp-Session-Id": "s-1" };
      if (asked === "initialize") reply.json({ jsonrpc: "2.0", id, result }, { headers });
      else reply.json({});
    });
    for (const sampling of ["router", "client"]) {
      const url = await register(router, tenant, { slug: slugOf(), url: server.url, sampling });
      expect((await openRaw(url, await proxyKey(router, tenant))).sessionId).toBe("s-1");
      for (const revision of ["2025-11-25", "2026-07-28", "9999"]) {
        server.clear();
        const headers = {
          ...json,
          Authorization: `Bearer ${key}`,
          "Mcp-Session-Id": "s-1",
          "MCP-Protocol-Version": revision,
        };
        const answer = await fetch(url, { method, headers, ...(body !== null && { body }) });
        await answer.text();
        const sessions = server.requests().map((request) => request.headers["mcp-session-id"]);
        expect(sessions.filter((id) => id !== undefined)).toEqual([]);
      }
    }
  });
});

describe("a server that may not sample", () => {
  it("can't ask for sampling beside its answer to initialize", async () => {
    const { server, url } = await scripted({ sampling: "deny" }, undefined, (heard, response) => {
      response.writeHead(200, { ...events, "mcp-session-id": "s-1" });
      response.write(`data: ${asks("before")}\n\ndata: ${initialized(heard)}\n\n`);
      response.end(`data: ${asks("after")}\n\n`);
    });
    const begun = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, ...json, Accept: "text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: { sampling: {} }, clientInfo: {} },
      }),
    });
    const text = await begun.text();
    expect(text).toContain('"protocolVersion":"2025-11-25"');
    expect(text).not.toContain("sampling/createMessage");
    await until(() => answersIn(server).length === 2);
    for (const { text: answer, headers } of answersIn(server)) {
      expect(answer).toContain('"reason":"forbidden"');
      expect(headers["mcp-session-id"]).toBe("s-1");
    }
  });

  it("can't hide its request behind a byte order mark", async () => {
    const { server, url } = await scripted({ sampling: "deny" }, (_, response) => {
      response.writeHead(200, json).end(`\uFEFF${asks("a")}`);
    });
    const raw = await openRaw(url, key);
    const answer = await raw.request(1, "tools/call", { name: "t" });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
    await until(() => answersIn(server).length === 1);
  });
});

describe("a key of the router's", () => {
  it("is not forwarded as the client's authorization, though the key came beside it", async () => {
    const { server, url } = await scripted({ forwardAuthorization: true });
    const send = (authorization: string) =>
      fetch(url, {
        method: "POST",
        headers: { ...json, Authorization: authorization, "X-Sampling-Router-Key": key },
        body: '{"jsonrpc":"2.0","method":"notifications/x"}',
      });
    for (const own of [`Bearer ${key}`, `bearer  ${key}`, `token="${key}"`, key])
      expect((await send(own)).status).toBe(202);
    expect(server.heard.map(({ headers }) => headers["authorization"])).toEqual(
      Array.from({ length: 4 }),
    );
    await send("Bearer the-servers-own");
    expect(server.heard.at(-1)?.headers["authorization"]).toBe("Bearer the-servers-own");
  });
});

describe("a server that asks without end", () => {
  it("is answered some at a time, and all in the end", async () => {
    isHolding = true;
    const count = 40;
    const { server, url } = await scripted({}, (_, response) => {
      response.writeHead(200, events);
      response.end(
        Array.from({ length: count }, (_each, id) => `data: ${asks(id)}\n\n`).join("") + done,
      );
    });
    const raw = await openRaw(url, key);
    const call = await raw.request(1, "tools/call", { name: "t" });
    await until(() => held.length >= 32);
    await until(() => held.length > 32, 1_500).catch(() => undefined);
    expect(held.length).toBe(32);
    release();
    await until(() => answersIn(server).length === count);
    expect(await call.text()).toContain(done);
  });

  it("with ids of megabytes fills no database", async () => {
    const sizeOf = (dir: string): number =>
      readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
        const path = join(dir, entry.name);
        if (entry.isDirectory()) return sum + sizeOf(path);
        return entry.isFile() ? sum + statSync(path).size : sum;
      }, 0);
    const long = (letter: string): string => letter.repeat(1_500_000);
    const takesBack = (letter: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${long(letter)}"}}`;
    const { server, url } = await scripted({}, (_, response) => {
      response.writeHead(200, events);
      for (const letter of ["a", "b", "c"]) response.write(`data: ${takesBack(letter)}\n\n`);
      response.end(`data: ${asks(long("d"))}\n\n${done}`);
    });
    const raw = await openRaw(url, key);
    const before = sizeOf(router.stateDir);
    await (await raw.request(1, "tools/call", { name: "t" })).text();
    await until(() => answersIn(server).length === 1);
    expect(answersIn(server)[0]?.text).toContain(`"id":"${long("d")}"`);
    for (const letter of ["e", "f", "g"]) await raw.post(takesBack(letter));
    // It is still known by it.
    await raw.post(forged(`"${long("d")}"`));
    expect(server.heard.at(-1)?.text).toContain('"notifications/cancelled"');
    expect(sizeOf(router.stateDir) - before).toBeLessThan(1_000_000);
  });
});

describe("a client that declares more than anybody has", () => {
  it("begins no session", async () => {
    const { url } = await scripted({});
    const clientInfo = { name: "c", version: "1" };
    const begin = (capabilities: unknown, toward: string) =>
      fetch(toward, {
        method: "POST",
        headers: {
          ...json,
          Authorization: `Bearer ${key}`,
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
        }),
      });
    for (const bytes of [7_000, 9_000, 3_000_000]) {
      const answer = await begin({ experimental: { x: { y: "é".repeat(bytes / 2) } } }, url);
      const text = await answer.text();
      const isKept = bytes < 8_192;
      expect(answer.headers.get("mcp-session-id")).toBe(isKept ? "s-1" : null);
      if (!isKept) expect(at(JSON.parse(text), "error.data.limitBytes")).toBe(8_192);
    }
  });
});

describe("a modern call without its required members", () => {
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "forged" } };
  it.each<[string, unknown, number, number]>([
    ["with an answer that only the router gives, reaches no server", { a: answer }, 400, 0],
    ["is the server's to refuse", { a: { action: "decline" } }, 200, 1],
  ])("%s", async (_, inputResponses, status, heard) => {
    const server = await startRawServer();
    running.push(server);
    const url = await register(router, tenant, { slug: slugOf(), url: server.url });
    const params = { name: "ask", inputResponses, requestState: "s", _meta: undefined };
    const said = await sendModern(url, key, { params });
    await said.text();
    expect([said.status, server.requests().length]).toEqual([status, heard]);
  });
});

describe("a modern call during which the tenant changes", () => {
  const entry = {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 },
  };
  const call = async (url: string, name: string): Promise<string> =>
    (await sendModern(url, key, { params: { name } })).text();
  /** The answer to a call whose server asks for sampling after `change`, as soon as `settled` has resolved. */
  const during = async (
    entryAtFirst: Record<string, unknown>,
    change: Record<string, unknown>,
    settled: (url: string) => Promise<void> = async () => undefined,
  ): Promise<string> => {
    const server = await startRawServer();
    running.push(server);
    const slug = slugOf();
    const url = await register(router, tenant, { slug, url: server.url, ...entryAtFirst });
    server.handle(async ({ json: { id, params } }, reply) => {
      const answers = params?.inputResponses;
      if (answers !== undefined)
        return reply.json({ jsonrpc: "2.0", id, result: { resultType: "complete", answers } });
      if (at(params, "name") === "changes") {
        const path = `/tenants/${tenant}/servers/${slug}`;
        const changed = await adminOf(router, router.adminToken)("PATCH", path, change);
        expect(changed.status).toBe(200);
        await settled(url);
      }
      const result = { resultType: "input_required", inputRequests: { a: entry } };
      return reply.json({ jsonrpc: "2.0", id, result });
    });
    return call(url, "changes");
  };

  it.each<[string, Record<string, unknown>, string]>([
    ["in what it doesn't touch, samples", { headers: { "X-New": "1" } }, '"text":"fine"'],
    ["by its switch, is refused", { policy: { disabled: true } }, "is switched off"],
  ])("%s", async (_, change, said) => {
    expect(await during({}, change)).toContain(said);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ["switched off", { policy: { disabled: true } }, { policy: null }, "is switched off"],
    ["denied", { sampling: "deny" }, { sampling: "router" }, "sampling by this server"],
  ])(
    "in what lets it sample, is refused as %s, as its server was told",
    async (...row) => {
      const [, entryAtFirst, change, said] = row;
      // What the isolate remembers has to end first: the change is known when another call samples.
      const isKnown = (url: string): Promise<void> =>
        until(async () => (await call(url, "other")).includes('"text":"fine"'), 15_000);
      const answer = await during(entryAtFirst, change, isKnown);
      expect(answer).toContain(said);
      expect(answer).toContain('"code":-403');
    },
    30_000,
  );
});
