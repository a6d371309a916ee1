/**
 * The modern era through the proxy, with a server that answers exactly what the test sets, and the product as a
 * person starts it.
 */
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { oddJson } from "../fakes/odd-json.ts";
import {
  modernMeta,
  modernRevision as revision,
  proxyKey,
  register,
  sendModern,
  type ModernRequest,
} from "../fakes/proxied.ts";
import {
  startRawServer,
  type RawHandler,
  type RawReply,
  type RawServer,
} from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { isSecondHost, onOneHost } from "../setup/on-both-hosts.ts";
import { patient } from "../setup/patience.ts";

const ns = "io.modelcontextprotocol";
const modes = ["router", "client", "client-then-router", "deny"] as const;
type Mode = (typeof modes)[number];
const model = { allowedModels: ["openai/gpt-4.1-mini"] };

let router: SharedRouter;
let faulty: FaultyProvider;
let server: RawServer;
let admin: ReturnType<typeof adminOf>;
/** may use the proxy, each of its own tenant; `second` is another key of the first one's */
const keys = { first: "", second: "", other: "" };

beforeAll(async () => {
  [router, faulty, server] = await Promise.all([
    borrowRouter(),
    startFaultyProvider(),
    startRawServer(),
  ]);
  admin = adminOf(router, router.adminToken);
  for (const tenant of ["first", "other"] as const) {
    await createTenant(router, tenant, {
      provider: "openai",
      baseUrl: faulty.url("openai"),
      policy: model,
    });
    keys[tenant] = await proxyKey(router, tenant);
    for (const slug of [...modes, "twin", "told"])
      await register(router, tenant, {
        slug,
        url: server.url,
        sampling: modes.find((mode) => mode === slug) ?? "router",
        ...(slug === "told" ? { supportedModalities: true } : {}),
      });
    await register(router, tenant, {
      slug: "shared",
      url: server.url,
      headers: { "X-Api-Key": "one for all" },
    });
  }
  keys.second = await proxyKey(router, "first");
}, 120_000);
afterAll(async () => {
  await Promise.all([faulty?.stop(), server?.stop()]);
});
beforeEach(() => {
  faulty.setMode("fine");
  faulty.clear();
  server.clear();
});

interface About extends Omit<ModernRequest, "text"> {
  mode?: Mode | "twin" | "told" | "shared";
  tenant?: string;
  key?: string;
  capabilities?: unknown;
}

function send(about: About = {}, text?: string): Promise<Response> {
  const { mode = "router", tenant = "first", key = keys.first, capabilities } = about;
  const { params = { name: "ask", arguments: { q: "hi" } } } = about;
  return sendModern(`${router.url}/mcp/${tenant}/${mode}`, key, {
    ...about,
    params: { ...params, _meta: modernMeta(capabilities) },
    ...(text === undefined ? {} : { text }),
  });
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** of the JSON body, or of the last message of the stream */
  get(path: string): unknown;
}

async function call(about: About = {}, text?: string): Promise<Answer> {
  const response = await send(about, text);
  const body = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const events = body.split("\n\n").filter((event) => /^data:/m.test(event));
  const lines = [...(events.at(-1) ?? "").matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line);
  const data = isStream ? lines.join("\n") : body;
  const json: unknown = data === "" ? null : JSON.parse(data);
  return {
    status: response.status,
    headers: response.headers,
    text: body,
    get: (path) => at(json, path),
  };
}

const entry = (text: string, more: Record<string, unknown> = {}) => ({
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 20,
    ...more,
  },
});
const elicit = { method: "elicitation/create", params: { message: "Name?", requestedSchema: {} } };

const result = (id: unknown, more: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id,
  result: more,
});
const asks = (id: unknown, inputRequests: unknown, more: Record<string, unknown> = {}) =>
  result(id, { resultType: "input_required", inputRequests, ...more });
const done = (id: unknown, more: Record<string, unknown> = {}) =>
  result(id, { resultType: "complete", content: [{ type: "text", text: "done" }], ...more });

/** Asks for input until it has it, then is done and says what it got. */
const asking =
  (inputRequests: Record<string, unknown>, state?: string): RawHandler =>
  ({ json: { id, params } }, reply) => {
    if (params?.inputResponses === undefined)
      return reply.json(
        asks(id, inputRequests, state === undefined ? {} : { requestState: state }),
      );
    reply.json(done(id, { got: params.inputResponses }));
  };

const capabilitiesSeen = (): unknown =>
  server.requests().at(-1)?.json.params?._meta?.[`${ns}/clientCapabilities`];
const samplingRecords = async (tenant = "first") => {
  const page = await admin("GET", `/tenants/${tenant}/requests?limit=100`);
  return page.get("data") as Record<string, unknown>[];
};

describe("a tool that samples", () => {
  // cites: R-001, R-004
  it("gets the router's answer, and the client the tool's result under its own id", async () => {
    server.handle(asking({ llm: entry("What is it?") }, "st\u00e4te/\u0001"));
    const before = (await samplingRecords()).length;
    // A client that takes streams too would get one on a slow machine.
    const answer = await call({ id: "mine", headers: { Accept: "application/json" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.get("id")).toBe("mine");
    expect(answer.get("result.got.llm")).toMatchObject({
      role: "assistant",
      content: { type: "text", text: faultyText },
      model: "openai/gpt-4.1-mini",
      stopReason: "endTurn",
    });
    const [first, again] = server.requests();
    expect(server.requests()).toHaveLength(2);
    expect(again?.json.id).not.toBe("mine");
    expect(again?.json.params?.requestState).toBe("st\u00e4te/\u0001");
    expect(again?.json.params?.["arguments"]).toEqual({ q: "hi" });
    expect(first?.json.params).not.toHaveProperty("requestState");
    expect(faulty.requests()).toHaveLength(1);
    // Who asked, through which server, for which tool.
    const [record] = await samplingRecords();
    expect(await samplingRecords()).toHaveLength(before + 1);
    expect(record).toMatchObject({
      outcome: "succeeded",
      who: { tool: "ask", clientName: "test", revision },
    });
    expect(JSON.stringify(record)).toMatch(/"serverId":"srv_/);
  });

  onOneHost(() => {
    it("is recorded with what it asked in bytes, and a name of bounded length", async () => {
      const its = entry("é€😀".repeat(10));
      server.handle(asking({ llm: its }));
      const name = "long".repeat(100);
      await call({ params: { name }, headers: { "Mcp-Name": name } });
      const [record] = await samplingRecords();
      expect(record).toMatchObject({
        asked: { bytes: Buffer.byteLength(JSON.stringify(its.params)) },
        who: { tool: name.slice(0, 200) },
      });
    });
  });

  it("has its entries answered side by side", async () => {
    server.handle(asking({ a: entry("A"), b: entry("B"), c: entry("C") }));
    const answer = await call();
    expect(Object.keys(answer.get("result.got") as object)).toEqual(["a", "b", "c"]);
    expect(faulty.requests()).toHaveLength(3);
  });

  onOneHost(() => {
    // cites: R-002, R-003
    it.each(['"\\u0061\\/"', '"\\ud83d\\ude00 é\\u0000"', '"\\ud800"', '""', '"{\\"a\\":1}"'])(
      "gets its state back character for character: %s",
      async (state) => {
        server.handle(({ json: { id, params } }, reply) => {
          if (params?.inputResponses !== undefined) return reply.json(done(id));
          reply.text(
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"inputRequests":${JSON.stringify({ a: entry("A") })},"requestState":${state},"resultType":"input_required"}}`,
          );
        });
        expect((await call()).get("result.resultType")).toBe("complete");
        expect(server.requests()[1]?.text).toContain(`"requestState":${state}`);
      },
    );
  });

  onOneHost(() => {
    // cites: R-002
    it("that keeps no state is sent none", async () => {
      server.handle(asking({ a: entry("A") }));
      await call();
      expect(server.requests()[1]?.json.params).not.toHaveProperty("requestState");
    });
  });

  onOneHost(() => {
    it("may ask again, round after round, each with its own state", async () => {
      server.handle(({ json: { id, params } }, reply) => {
        const turn = Number(params?.requestState ?? 0);
        if (turn === 3) return reply.json(done(id, { got: params?.inputResponses }));
        reply.json(
          asks(id, { [`q${turn}`]: entry(`turn ${turn}`) }, { requestState: `${turn + 1}` }),
        );
      });
      const answer = await call();
      expect(Object.keys(answer.get("result.got") as object)).toEqual(["q2"]);
      expect(faulty.requests()).toHaveLength(3);
      expect(new Set(server.requests().map(({ json }) => json.id)).size).toBe(4);
    });
  });

  onOneHost(() => {
    it("that asks without end is given up", async () => {
      server.handle(({ json: { id } }, reply) => reply.json(asks(id, { a: entry("more") })));
      const answer = await call();
      expect([answer.get("error.code"), answer.get("error.data.reason")]).toEqual([
        -403,
        "forbidden",
      ]);
      expect(faulty.requests().length).toBeLessThan(50);
    });
  });

  onOneHost(() => {
    it.each(["prompts/get", "resources/read"])("works for %s too", async (method) => {
      server.handle(({ json: { id, params } }, reply) =>
        reply.json(
          params?.inputResponses === undefined
            ? asks(id, { a: entry("A") })
            : result(id, { resultType: "complete", ttlMs: 60_000, cacheScope: "public", z: 1 }),
        ),
      );
      const name = method === "resources/read" ? { uri: "file:///é" } : { name: "p" };
      const encoded = `=?base64?${Buffer.from("file:///é").toString("base64")}?=`;
      const answer = await call({
        method,
        params: name,
        headers: method === "resources/read" ? { "Mcp-Name": encoded } : {},
      });
      // What hid a round must not be kept for somebody else.
      expect(answer.get("result")).toEqual({
        resultType: "complete",
        ttlMs: method === "resources/read" ? 0 : 60_000,
        cacheScope: method === "resources/read" ? "private" : "public",
        z: 1,
      });
      expect(server.requests()[1]?.headers["mcp-name"]).toBe(
        method === "resources/read" ? encoded : "p",
      );
      const [record] = await samplingRecords();
      expect(at(record, "who.tool")).toBeNull();
    });
  });
});

onOneHost(() => {
  describe("the capabilities that are advertised to a server", () => {
    const list = { method: "tools/list", params: {} };
    const quiet: RawHandler = ({ json: { id } }, reply) => reply.json(result(id, { tools: [] }));

    // cites: M-006
    it.each([
      ["router", {}, { sampling: { tools: {} } }],
      ["router", { sampling: { context: {} }, roots: {} }, { sampling: { tools: {} }, roots: {} }],
      ["client", { sampling: { context: {} } }, { sampling: { context: {} } }],
      ["client-then-router", { sampling: { context: {} } }, { sampling: { tools: {} } }],
      ["client-then-router", {}, { sampling: { tools: {} } }],
      ["deny", { sampling: {}, roots: {} }, { roots: {} }],
      ["told", {}, { sampling: { tools: {}, supportedModalities: ["text"] } }],
    ] as const)("by %s, of a client that declares %j", async (mode, capabilities, told) => {
      server.handle(quiet);
      await call({ ...list, mode, capabilities });
      expect(capabilitiesSeen()).toEqual(told);
      server.handle(({ json: { id } }, reply) => reply.json(done(id)));
      await call({ mode, capabilities });
      expect(capabilitiesSeen()).toEqual(told);
    });

    it("tasks of 2026-07-28, and no sampling as a task of before", async () => {
      server.handle(quiet);
      const tasks = `${ns}/tasks`;
      const capabilities = {
        extensions: { [tasks]: {}, mine: { n: 1 } },
        tasks: { requests: { sampling: {}, other: {} } },
      };
      await call({ ...list, capabilities });
      expect(capabilitiesSeen()).toEqual({
        extensions: { [tasks]: {}, mine: { n: 1 } },
        tasks: { requests: { other: {} } },
        sampling: { tools: {} },
      });
      await call({ ...list, mode: "client", capabilities });
      expect(capabilitiesSeen()).toEqual(capabilities);
    });

    it("everything else as it stood, byte for byte", async () => {
      server.handle(quiet);
      const text = `{ "params": {"x":1.50,"é":"\\u0061\\/", "_meta":{"${ns}/clientCapabilities" : {"roots":{}},"${ns}/protocolVersion":"${revision}","t":1e2}},\n"method":"tools/list","id":9007199254740993,"jsonrpc":"2.0"}`;
      await call(list, text);
      expect(server.requests()[0]?.text).toBe(
        text.replace('{"roots":{}}', '{"sampling":{"tools":{}},"roots":{}}'),
      );
      await call({ ...list, mode: "client" }, text);
      expect(server.requests()[1]?.text).toBe(text);
    });
  });
});

describe("headers", () => {
  it("of sessions mean nothing here", async () => {
    server.handle(({ json: { id } }, reply) => reply.json(done(id)));
    const answer = await call({ headers: { "Mcp-Session-Id": "whatever" } });
    expect(answer.get("result.resultType")).toBe("complete");
  });

  // cites: H-031
  it("of the protocol go on at every hop, unknown ones too; the client's credentials don't", async () => {
    server.handle(asking({ a: entry("A") }));
    await call({
      headers: { "Mcp-Param-Region": "=?base64?w6k=?=", "Mcp-Param-Unknown": "u", Cookie: "c=1" },
    });
    expect(server.requests()).toHaveLength(2);
    for (const { headers } of server.requests()) {
      expect(headers).toMatchObject({
        "mcp-protocol-version": revision,
        "mcp-method": "tools/call",
        "mcp-name": "ask",
        "mcp-param-region": "=?base64?w6k=?=",
        "mcp-param-unknown": "u",
      });
      expect(JSON.stringify(headers)).not.toContain(keys.first);
      expect(headers).not.toHaveProperty("authorization");
      expect(headers).not.toHaveProperty("cookie");
    }
  });

  // cites: H-030
  it.each([
    ["Mcp-Name is missing", { "Mcp-Name": null }],
    ["Mcp-Name differs", { "Mcp-Name": "tell" }],
    ["Mcp-Name is no base64", { "Mcp-Name": "=?base64?$?=" }],
    ["Mcp-Method differs", { "Mcp-Method": "tools/list" }],
    ["MCP-Protocol-Version is missing", { "MCP-Protocol-Version": null }],
  ])(
    "that disagree with the body are refused: %s",
    async (_, headers: Record<string, string | null>) => {
      const answer = await call({ headers });
      expect([answer.status, answer.get("error.code"), answer.get("id")]).toEqual([400, -32020, 7]);
      expect(server.requests()).toEqual([]);
    },
  );
});

onOneHost(() => {
  describe("who answers", () => {
    const tools = { tools: [{ name: "look", inputSchema: { type: "object" } }] };

    it("`client`: the client, and nothing is looked at", async () => {
      server.handle(asking({ a: entry("A") }, "srs1.whatever"));
      const answer = await call({ mode: "client", capabilities: { sampling: {} } });
      expect(answer.get("result.inputRequests")).toEqual({ a: entry("A") });
      expect(answer.get("result.requestState")).toBe("srs1.whatever");
      const retry = { name: "ask", inputResponses: { a: {} }, requestState: "srs1.whatever" };
      await call({ mode: "client", params: retry });
      expect(server.requests()[1]?.json.params?.requestState).toBe("srs1.whatever");
      expect(faulty.requests()).toEqual([]);
    });

    it("`deny`: nobody, and the client hears why", async () => {
      server.handle(asking({ a: entry("A"), e: elicit }));
      const answer = await call({ mode: "deny", capabilities: { sampling: {} } });
      expect([answer.status, answer.get("error.code"), answer.get("error.data")]).toEqual([
        200,
        -403,
        expect.objectContaining({ reason: "forbidden", requestId: expect.stringMatching(/^req_/) }),
      ]);
      const [record] = await samplingRecords();
      expect(record).toMatchObject({ outcome: "refused", reason: "forbidden" });
      expect(faulty.requests()).toEqual([]);
    });

    it("`client-then-router`: the client what it declared, the router the rest", async () => {
      server.handle(asking({ a: entry("A"), b: entry("B", tools) }, "s"));
      const mode = "client-then-router";
      const answer = await call({ mode, capabilities: { sampling: {} } });
      expect(answer.get("result.inputRequests")).toEqual({ a: entry("A") });
      expect(faulty.requests()).toHaveLength(1);
      const state = String(answer.get("result.requestState"));
      expect(state).toMatch(/^srs1\./);
      const back = await call({
        mode,
        capabilities: { sampling: {} },
        params: {
          name: "ask",
          arguments: { q: "hi" },
          inputResponses: { a: { mine: 1 } },
          requestState: state,
        },
      });
      expect(back.get("result.got")).toMatchObject({ a: { mine: 1 }, b: { role: "assistant" } });
      expect(server.requests()[1]?.json.params?.requestState).toBe("s");
      // The client declared all of it, so the client alone is asked.
      faulty.clear();
      const all = await call({ mode, capabilities: { sampling: { tools: {} } } });
      expect(all.get("result.inputRequests")).toEqual({ a: entry("A"), b: entry("B", tools) });
      expect(all.get("result.requestState")).toBe("s");
      // The client declared none of it, so the router answers both.
      expect((await call({ mode })).get("result.resultType")).toBe("complete");
      expect(faulty.requests()).toHaveLength(2);
    });
  });
});

describe("a round that asks a person too", () => {
  const args = { name: "ask", arguments: { q: "hi", n: { b: 1, a: 2 } } };
  const halfway = async (about: About = {}): Promise<string> => {
    server.handle(asking({ e: elicit, llm: entry("A") }, "theirs"));
    const answer = await call({ params: args, ...about });
    expect(answer.get("result.inputRequests")).toEqual({ e: elicit });
    return String(answer.get("result.requestState"));
  };
  const retry = (requestState: string, more: Record<string, unknown> = {}) => ({
    ...args,
    inputResponses: { e: { action: "accept" } },
    requestState,
    ...more,
  });

  onOneHost(() => {
    it("comes back with the router's answer, which nobody can forge", async () => {
      const state = await halfway();
      expect(state).not.toContain("theirs");
      const forged = { e: { action: "accept" }, llm: { content: "FORGED" } };
      const answer = await call({ params: retry(state, { inputResponses: forged }), id: 8 });
      expect(answer.get("id")).toBe(8);
      expect(answer.get("result.got.e")).toEqual({ action: "accept" });
      expect(answer.get("result.got.llm.content.text")).toBe(faultyText);
      expect(server.requests()[1]?.json.params?.requestState).toBe("theirs");
      expect(faulty.requests()).toHaveLength(1);
    });
  });

  onOneHost(() => {
    // cites: R-005
    it("is of one key, tenant, server and request", async () => {
      const state = await halfway();
      server.clear();
      const refused = async (about: About): Promise<void> => {
        const answer = await call({ params: retry(state), ...about });
        expect([answer.status, answer.get("error.code")], answer.text).toEqual([200, -32602]);
      };
      await refused({ key: keys.second });
      await refused({ key: keys.other, tenant: "other" });
      await refused({ mode: "twin" });
      await refused({ mode: "client-then-router" });
      await refused({ params: retry(state, { arguments: { q: "other" } }) });
      await refused({ params: retry(state, { name: "tell" }) });
      await refused({ method: "prompts/get" });
      for (const [from, to] of [
        ["srs1.v1", "srs1.v2"],
        [state.slice(-1), state.endsWith("A") ? "B" : "A"],
      ] as const) {
        const found = state.lastIndexOf(from);
        const changed = state.slice(0, found) + to + state.slice(found + from.length);
        await refused({ params: retry(changed) });
      }
      expect(server.requests()).toEqual([]);
      // The same request, its members in another order.
      const reordered = retry(state, { arguments: { n: { a: 2, b: 1 }, q: "hi" } });
      expect((await call({ params: reordered })).get("result.resultType")).toBe("complete");
    });
  });

  onOneHost(() => {
    it("goes untouched where nothing is sampled", async () => {
      server.handle(asking({ e: elicit }, "theirs"));
      const first = await call({ params: args });
      expect(first.get("result.requestState")).toBe("theirs");
      await call({ params: retry("theirs") });
      expect(server.requests()[1]?.json.params).toMatchObject({
        inputResponses: { e: { action: "accept" } },
        requestState: "theirs",
      });
      expect(faulty.requests()).toEqual([]);
    });
  });

  onOneHost(() => {
    it("of a server's own goes on for the caller that it was given to, where the entry has one secret", async () => {
      const mode = "shared";
      server.handle(asking({ e: elicit }, "theirs"));
      const state = String((await call({ mode, params: args })).get("result.requestState"));
      const reached = (): unknown[] =>
        server.requests().map(({ json }) => json.params?.requestState);
      server.clear();
      for (const about of [
        { params: retry("theirs") },
        { params: retry(state), key: keys.second },
        { params: retry(state, { arguments: { q: "other" } }) },
        { params: retry(state), key: keys.other, tenant: "other" },
        { method: "tools/list", params: { requestState: "theirs" } },
      ]) {
        const answer = await call({ mode, ...about });
        expect([answer.status, answer.get("error.code")], answer.text).toEqual([200, -32602]);
        expect(answer.get("error.message")).toContain("Not a state of this request, or expired.");
      }
      // Without a `_meta` the router can't say whose rounds these are.
      const bare = { jsonrpc: "2.0", id: 1, method: "tools/call", params: retry("theirs") };
      expect((await call({ mode }, JSON.stringify(bare))).status).toBe(400);
      expect(reached()).toEqual([]);
      const answer = await call({ mode, params: retry(state) });
      expect(answer.get("result.resultType")).toBe("complete");
      expect(reached()).toEqual(["theirs"]);
    });
  });

  it("sent five times at once is one provider call and one charge", async () => {
    const state = await halfway();
    faulty.clear();
    faulty.setMode("slow");
    const before = (await samplingRecords()).length;
    // The next requests ask again, each with a state of its own.
    server.handle(({ json: { id, params } }, reply) => {
      const responses = params?.inputResponses ?? {};
      if (Object.hasOwn(responses, "more"))
        return reply.json(done(id, { got: responses["more"], state: params?.requestState }));
      reply.json(asks(id, { more: entry("more") }, { requestState: crypto.randomUUID() }));
    });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((id) => call({ id, params: retry(state) })),
    );
    for (const [index, answer] of answers.entries()) {
      expect(answer.get("id")).toBe(index + 1);
      expect(answer.get("result.got.content.text")).toBe(faultyText);
    }
    expect(new Set(answers.map((answer) => answer.get("result.state"))).size).toBe(5);
    expect(faulty.requests()).toHaveLength(1);
    expect(await samplingRecords()).toHaveLength(before + 1);
    // Later, too; and another round is another.
    expect((await call({ params: retry(state) })).get("result.got.content.text")).toBe(faultyText);
    expect(faulty.requests()).toHaveLength(1);
  });
});

onOneHost(() => {
  describe("a refusal", () => {
    // cites: R-007
    it("ends the client's request with its error, and nothing is repeated", async () => {
      faulty.setMode("rejected");
      server.handle(asking({ a: entry("A") }));
      const answer = await call();
      expect([answer.status, answer.get("error.code")]).toEqual([200, -502]);
      expect(answer.get("id")).toBe(7);
      expect(answer.get("error.data")).toMatchObject({
        reason: "provider_failed",
        requestId: expect.stringMatching(/^req_/),
      });
      expect(server.requests()).toHaveLength(1);
    });

    it("of a malformed entry says where the fault is", async () => {
      server.handle(asking({ a: entry("A", { maxTokens: 0 }) }));
      const answer = await call();
      expect([answer.status, answer.get("error.code")]).toEqual([200, -32602]);
      expect(answer.get("error.data.path")).toBe("maxTokens");
    });

    it("of a tool history that breaks the rules is -32602", async () => {
      const use = { type: "tool_use", id: "1", name: "look", input: {} };
      server.handle(
        asking({ a: entry("A", { messages: [{ role: "assistant", content: [use] }] }) }),
      );
      expect((await call()).get("error.code")).toBe(-32602);
    });
  });
});

describe("streams", () => {
  const sse = (message: unknown, id = ""): string =>
    `${id}event: message\ndata: ${JSON.stringify(message)}\n\n`;
  const progress = (n: number) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: 1, progress: n },
  });

  it("pass as they come, the result of a hidden round in the same stream", async () => {
    server.handle(({ json: { id, params } }, reply) => {
      const stream = reply.stream();
      if (params?.inputResponses === undefined) {
        stream.write(`: hello\n\n${sse(progress(1), "id: 1\n")}`);
        stream.write(sse(asks(id, { a: entry("A") }), "id: 2\n"));
      } else {
        stream.write(sse(progress(2), "retry: 5\n"));
        stream.write(sse(done(id), "id: 3\n"));
      }
      stream.end();
    });
    const answer = await call();
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const said = answer.text.replaceAll(": keep-alive\n\n", "");
    expect(said).toBe(
      `: hello\n\n${sse(progress(1), "id: 1\n")}${sse(progress(2), "retry: 5\n")}${sse(done(7), "id: 3\n")}`,
    );
  });

  it("without a round pass byte for byte, however they are cut", async () => {
    const whole = `: é\r\n\r\nid: 4\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":7,"result":{"t":"😀\\u0061","x":1.0}}\r\n\r\n:end\n\n`;
    server.handle(async (_, reply) => {
      const stream = reply.stream();
      for (const byte of Buffer.from(whole)) {
        stream.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      stream.end();
    });
    expect(await (await send()).text()).toBe(whole);
  });

  it("begin while the server still works", async () => {
    let finish = (): void => {};
    server.handle(({ json: { id } }, reply) => {
      const stream = reply.stream();
      stream.write(sse(progress(1)));
      finish = () => {
        stream.write(sse(done(id)));
        stream.end();
      };
    });
    const response = await send();
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe(sse(progress(1)));
    finish();
    let rest = "";
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) break;
      rest += new TextDecoder().decode(next.value);
    }
    expect(rest).toBe(sse(done(7)));
  });

  it("carry comments while a provider works, also where the server answered with JSON", async () => {
    faulty.setMode("slow");
    // Its JSON has lines, which an event spells one by one.
    server.handle(({ json: { id, params } }, reply) => {
      const input = params?.inputResponses === undefined;
      reply.text(JSON.stringify(input ? asks(id, { a: entry("A") }) : done(id), null, 2));
    });
    const answer = await call();
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.text).toContain(": keep-alive\n\n");
    expect(answer.get("id")).toBe(7);
    expect(answer.get("result.resultType")).toBe("complete");
    const plain = await call({ headers: { Accept: "application/json" } });
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(plain.get("result.resultType")).toBe("complete");
  });

  it.each(["router", "client"] as const)(
    "begin for a server that takes its time with JSON, and carry what it says (`%s`)",
    async (mode) => {
      const later = (say: () => void) => setTimeout(say, 6_000);
      server.handle(({ json: { id } }, reply) => void later(() => reply.json(done(id))));
      const plain: RawHandler = ({ json: { id } }, reply) =>
        void later(() =>
          reply.json(
            { jsonrpc: "2.0", id, error: { code: -32021, message: "no" } },
            { status: 400 },
          ),
        );
      const slow = call({ mode });
      await expect.poll(() => server.requests().length, { interval: 10 }).toBe(1);
      server.handle(plain);
      const [answer, refused] = await Promise.all([slow, call({ mode })]);
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      expect([answer.get("id"), answer.get("result.resultType")]).toEqual([7, "complete"]);
      expect([refused.get("id"), refused.get("error.code")]).toEqual([7, -32021]);
    },
  );

  it("carry the refusal once they have begun", async () => {
    faulty.setMode("rejected");
    server.handle(({ json: { id } }, reply) => {
      const stream = reply.stream();
      stream.write(sse(progress(1)));
      stream.write(sse(asks(id, { a: entry("A") })));
      stream.end();
    });
    const answer = await call();
    expect([answer.status, answer.get("error.code"), answer.get("id")]).toEqual([200, -502, 7]);
    expect(answer.text.startsWith(sse(progress(1)))).toBe(true);
  });

  it("of subscriptions pass, and end when the client leaves", async () => {
    let closed = Promise.resolve();
    server.handle((_, reply) => {
      closed = reply.closed;
      const stream = reply.stream({ "Content-Language": "de" });
      stream.write(sse({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
    });
    const leaving = new AbortController();
    const response = await send({
      method: "subscriptions/listen",
      params: {},
      signal: leaving.signal,
    });
    expect(response.headers.get("content-language")).toBe("de");
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain("list_changed");
    leaving.abort();
    await closed;
  });
});

describe("anything that asks for no sampling", () => {
  const message = fc.record({
    method: fc.constantFrom(
      "tools/call",
      "tools/list",
      "prompts/get",
      "completion/complete",
      "acme/own",
    ),
    request: oddJson,
    result: oddJson,
    lead: fc.constantFrom("", " ", "\n"),
    wire: fc.constantFrom("json", "stream"),
    events: fc.array(
      fc.tuple(
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom("", "id: 7", ": hi", "retry: 3"),
        oddJson,
      ),
      { maxLength: 3 },
    ),
    chunk: fc.integer({ min: 1, max: 40 }),
    status: fc.constantFrom(200, 200, 200, 202, 400, 404),
  });

  it("reaches server and client byte for byte: a recorded session of mixed messages", async () => {
    const numRuns = isSecondHost ? 250 : 1_000;
    const messages = fc.sample(message, { numRuns, seed: 20_260_728 });
    const meta = JSON.stringify(modernMeta({ sampling: { tools: {} }, roots: {} }));
    let asked = "";
    for (const each of messages) {
      const { method, wire, status } = each;
      const text = `${each.lead}{"params":{"name":"ask" , "x":${each.request},"_meta":${meta}},"id":7,"jsonrpc":"2.0","method":"${method}"}`;
      const answer = `${each.lead}{"jsonrpc":"2.0","id":7, "result":{"y":${each.result}}}`;
      const events = each.events.map(
        ([end, field, data]) =>
          [field, `data: {"jsonrpc":"2.0","method":"notifications/x","params":{"z":${data}}}`]
            .filter((line) => line !== "")
            .map((line) => line + end)
            .join("") + end,
      );
      const body =
        wire === "json" ? answer : `${events.join("")}data: ${answer.trimStart()}\n\n: over\n\n`;
      server.handle((request, reply) => {
        asked = request.text;
        if (wire === "json") return reply.text(body, { status });
        const stream = reply.stream();
        const bytes = Buffer.from(body);
        for (let from = 0; from < bytes.length; from += each.chunk)
          stream.write(bytes.subarray(from, from + each.chunk));
        stream.end();
      });
      const params = { name: "ask" };
      const response = await send({ method, params }, text);
      expect(await response.text()).toBe(body);
      expect(response.status).toBe(wire === "json" ? status : 200);
      expect(asked).toBe(text);
    }
  });
});

describe("much at once", () => {
  const tenants = ["crowd-a", "crowd-b", "crowd-c"];
  const crowdKeys: string[] = [];
  let echo: FaultyProvider;
  const wordIn = (body: string): string => /only-\d+-\d/.exec(body)?.[0] ?? "nobody";

  beforeAll(async () => {
    echo = await startFaultyProvider({ says: (body) => `You said ${wordIn(body)}.` });
    for (const tenant of tenants) {
      const baseUrl = echo.url("openai");
      await createTenant(router, tenant, { provider: "openai", baseUrl, policy: model });
      crowdKeys.push(await proxyKey(router, tenant));
      const registered = { slug: "router", url: server.url, sampling: "router" };
      expect((await admin("POST", `/tenants/${tenant}/servers`, registered)).status).toBe(201);
    }
  });
  afterAll(() => echo?.stop());

  it("is kept apart: sixteen conversations of three tenants, each with its own answers", async () => {
    // Asks a model and a person, then a model again; keeps nothing but what its state says.
    server.handle(async ({ json: { id, params } }, reply) => {
      const q = String(at(params, "arguments.q"));
      const got = params?.inputResponses;
      // Answers overtake each other.
      await new Promise((resolve) => setTimeout(resolve, (Number(q.slice(5)) * 7) % 50));
      if (got === undefined) {
        const both = { [q]: entry(`${q}-1`), name: elicit };
        return reply.json(asks(id, both, { requestState: `of ${q}` }));
      }
      if (Object.hasOwn(got, `again ${q}`))
        return reply.json(done(id, { q, state: params?.requestState, got }));
      const requestState = `${params?.requestState}: ${String(at(got, `${q}.content.text`))}`;
      reply.json(asks(id, { [`again ${q}`]: entry(`${q}-2`) }, { requestState }));
    });
    const conversations = Array.from({ length: 16 }, (_, n) => ({
      tenant: tenants[n % 3] ?? "",
      key: crowdKeys[n % 3] ?? "",
      params: { name: "ask", arguments: { q: `only-${n}` } },
      // The same id for all: it says nothing beyond its own request.
      id: 1,
    }));
    const states = await Promise.all(
      conversations.map(async (about) => {
        const first = await call(about);
        expect(first.get("result.inputRequests"), first.text).toEqual({ name: elicit });
        return String(first.get("result.requestState"));
      }),
    );
    const answering = (n: number, state: string | undefined) => ({
      inputResponses: { name: { action: "accept", content: { name: `person ${n}` } } },
      requestState: state,
    });
    const retried = await Promise.all(
      conversations.map(async (about, n) => {
        // Another tenant's state, with this one's request and with the very one that it belongs to.
        const theirs = (n + 1) % 15;
        const others = conversations[theirs];
        for (const params of [about.params, others?.params]) {
          const stolen = { ...params, ...answering(n, states[theirs]) };
          const refused = await call({ ...about, params: stolen });
          expect([refused.status, refused.get("error.code")]).toEqual([200, -32602]);
        }
        return call({ ...about, params: { ...about.params, ...answering(n, states[n]) } });
      }),
    );
    for (const [n, answer] of retried.entries()) {
      expect(answer.get("id")).toBe(1);
      const said = `You said only-${n}-`;
      expect(answer.get("result.q")).toBe(`only-${n}`);
      expect(answer.get("result.state")).toBe(`of only-${n}: ${said}1.`);
      expect(Object.keys(answer.get("result.got") as object)).toEqual([`again only-${n}`]);
      expect(answer.get(`result.got.again only-${n}.content.text`)).toBe(`${said}2.`);
    }
    // What was stolen reached neither server nor provider.
    expect(server.requests()).toHaveLength(3 * 16);
    const prompts = echo.requests().map(({ body }) => wordIn(body));
    expect(prompts.toSorted()).toEqual(
      conversations.flatMap((_, n) => [`only-${n}-1`, `only-${n}-2`]).toSorted(),
    );
    const records = await Promise.all(tenants.map((tenant) => samplingRecords(tenant)));
    expect(records.map(({ length }) => length)).toEqual([12, 10, 10]);
    for (const record of records.flat()) expect(record).toMatchObject({ outcome: "succeeded" });
  });
});

describe("messages that pass as they come", () => {
  it.each([
    [
      "a result that is complete",
      200,
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","n":1.0}}',
    ],
    [
      "a result of an unknown type",
      200,
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"later","n":"\\u0061"}}',
    ],
    [
      "a result that asks to be called again with its state",
      200,
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required", "requestState":"\\u0061"}}',
    ],
    ["a result of no type", 200, '{"jsonrpc":"2.0", "id":7,"result":{}}'],
    [
      "an error with its status",
      400,
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32021,"message":"no","data":{"requiredCapabilities":{"x":{}}}}}',
    ],
    [
      "a tool's text that speaks of input_required",
      200,
      '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"input_required"}]} }',
    ],
    ["a body that is no JSON", 502, "<html>input_required</html>"],
    ["an empty body", 202, ""],
  ])("%s", async (_, status, text) => {
    server.handle((__, reply) => reply.text(text, { status, headers: { "Retry-After": "1" } }));
    const response = await send();
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get("retry-after")).toBe("1");
  });
});

describe("a server that fails", () => {
  it.each<[string, RawHandler, number]>([
    ["before it answers", (_, reply) => reply.cut(), -502],
    [
      "in the second round",
      ({ json: { id, params } }, reply) =>
        params?.inputResponses === undefined
          ? reply.json(asks(id, { a: entry("A") }))
          : reply.cut(),
      -502,
    ],
    [
      "in the middle of a stream",
      (_, reply) => {
        reply.stream().write(": hi\n\nda");
        setTimeout(reply.cut, 50);
      },
      -502,
    ],
    [
      "without an answer in the second round",
      ({ json: { id, params } }, reply) => {
        const stream = reply.stream();
        if (params?.inputResponses === undefined)
          stream.write(`data: ${JSON.stringify(asks(id, { a: entry("A") }))}\n\n`);
        stream.end();
      },
      -502,
    ],
  ])("is an error of the client's request: %s", async (_, handler, code) => {
    server.handle(handler);
    const answer = await call();
    expect([answer.get("id"), answer.get("error.code")], answer.text).toEqual([7, code]);
  });

  it.each([
    ["as JSON", (text: string, reply: RawReply) => reply.text(text)],
    [
      "as an event",
      (text: string, reply: RawReply) => {
        const stream = reply.stream();
        stream.write(`data: ${text}\n\n`);
        stream.end();
      },
    ],
  ])("whose answer is too large to be held is refused: %s", async (_, say) => {
    server.handle(({ json: { id } }, reply) =>
      say(JSON.stringify(asks(id, { a: entry("x".repeat(17 * 1024 * 1024)) })), reply),
    );
    const answer = await call();
    expect([answer.get("id"), answer.get("error.code")]).toEqual([7, -502]);
    expect(answer.text.length).toBeLessThan(2_000);
    expect(faulty.requests()).toEqual([]);
  });

  it("with an error in the second round has that error, under the client's id", async () => {
    server.handle(({ json: { id, params } }, reply) =>
      params?.inputResponses === undefined
        ? reply.json(asks(id, { a: entry("A") }))
        : reply.json({ jsonrpc: "2.0", id, error: { code: -5, message: "no" } }),
    );
    const answer = await call();
    expect([answer.get("id"), answer.get("error.code")]).toEqual([7, -5]);
  });
});

describe("a client that leaves", () => {
  it("has cancelled: the provider is let go, and nothing is repeated", async () => {
    faulty.setMode("slow");
    server.handle(asking({ a: entry("A") }));
    const leaving = new AbortController();
    const left = call({ signal: leaving.signal }).catch((error: unknown) => error);
    await expect.poll(() => faulty.requests().length, { interval: 10 }).toBe(1);
    const leftAt = Date.now();
    leaving.abort();
    expect(await left).toMatchObject({ name: "AbortError" });
    await expect
      .poll(async () => (await samplingRecords())[0]?.["outcome"], {
        interval: 50,
        timeout: patient(5_000),
      })
      .toBe("cancelled");
    // What the contract promises, not how fast this machine is.
    const page = (await samplingRecords())[0];
    expect(Number(page?.["settledAt"]) - leftAt).toBeLessThan(2_000);
    expect(server.requests()).toHaveLength(1);
  });

  it.each<[string, NonNullable<About["mode"]>, (reply: RawReply) => void]>([
    ["that streams", "router", (reply) => reply.stream().write(": working\n\n")],
    ["that says nothing for long", "router", () => {}],
    ["that says nothing for long", "client", () => {}],
  ])("ends the request at the server: one %s (`%s`)", async (_, mode, begin) => {
    let closed: Promise<void> | null = null;
    server.handle((__, reply) => {
      closed = reply.closed;
      begin(reply);
    });
    const leaving = new AbortController();
    const response = await send({ mode, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await expect.poll(() => closed, { interval: 10 }).not.toBeNull();
    await closed;
  });
});
