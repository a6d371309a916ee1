/** Bridges between the eras, before a server that says exactly what the test wants. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import {
  modernMeta,
  openRaw,
  proxyKey,
  recordsOf,
  register,
  sendModern,
  until,
} from "../fakes/proxied.ts";
import {
  startRawServer,
  type RawReply,
  type RawRequest,
  type RawServer,
} from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const ns = "io.modelcontextprotocol";
const modern = "2026-07-28";
const tenant = "bridge";
let router: SharedRouter;
let faulty: FaultyProvider;
let server: RawServer;
let key = "";
let url = "";
let count = 0;

beforeAll(async () => {
  [router, faulty, server] = await Promise.all([
    borrowRouter(),
    startFaultyProvider({ slowMs: 30_000 }),
    startRawServer({ probes: "scripted" }),
  ]);
  await createTenant(router, tenant, {
    provider: "openai",
    baseUrl: faulty.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  });
  key = await proxyKey(router, tenant);
}, 120_000);
afterAll(async () => {
  await Promise.all([faulty?.stop(), server?.stop()]);
});
/** Each test's server is new to the router. */
beforeEach(async () => {
  faulty.setMode("fine");
  count += 1;
  url = await register(router, tenant, {
    slug: `s${count}`,
    url: server.url,
    bridge: "always",
  });
  server.clear();
});

const answer = ({ json }: RawRequest, reply: RawReply, result: unknown, headers = {}): void =>
  reply.json({ jsonrpc: "2.0", id: json.id, result }, { headers });
const methods = (): (string | undefined)[] => server.requests().map(({ json }) => json.method);

const discovered = { resultType: "complete", supportedVersions: [modern], capabilities: {} };
const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, logging: {}, resources: { subscribe: true } },
  serverInfo: { name: "raw", version: "1" },
  instructions: "Mind the gap.",
};

/** A legacy server, except for what `more` answers. */
const legacy =
  (more: (request: RawRequest, reply: RawReply) => void) =>
  (request: RawRequest, reply: RawReply): void => {
    const { method } = request.json;
    if (request.method !== "POST") return reply.json({}, { status: 405 });
    if (method === "server/discover") return reply.json({}, { status: 400 });
    if (method === "initialize")
      return answer(request, reply, initialized, { "Mcp-Session-Id": `up-${count}` });
    if (method?.startsWith("notifications/") === true) return reply.json({}, { status: 202 });
    more(request, reply);
  };

async function ask(
  method: string,
  params: Record<string, unknown> = {},
  about: { meta?: Record<string, unknown>; signal?: AbortSignal } = {},
): Promise<{ status: number; text: string; json: Record<string, Record<string, unknown>> }> {
  const meta = { ...modernMeta({ elicitation: {}, roots: {} }), ...about.meta };
  const response = await sendModern(url, key, {
    method,
    params: { ...params, _meta: meta },
    ...(about.signal === undefined ? {} : { signal: about.signal }),
  });
  const text = await response.text();
  const data = text.startsWith("{")
    ? text
    : (text
        .match(/^data: (.*)$/gm)
        ?.at(-1)
        ?.slice(6) ?? "{}");
  return { status: response.status, text, json: JSON.parse(data) };
}

interface RawResult {
  result: { tools: unknown[]; structuredContent: unknown };
}

const sampling = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 9 },
});
const event = (message: unknown): string => `id: e1\ndata: ${JSON.stringify(message)}\n\n`;

describe("a modern client before a legacy server", () => {
  it("is offered the capabilities that cross the eras, and no others", async () => {
    server.handle(legacy((request, reply) => answer(request, reply, { tools: [], huge: 1.0 })));
    const { json } = await ask("server/discover");
    expect(json["result"]).toEqual({
      resultType: "complete",
      supportedVersions: [modern],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      instructions: "Mind the gap.",
      _meta: { [`${ns}/serverInfo`]: initialized.serverInfo },
      ttlMs: 0,
      cacheScope: "private",
    });
    const listed = await ask("tools/list");
    expect(listed.json).toMatchObject({
      id: 7,
      result: { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [] },
    });
    expect(methods()).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/list",
    ]);
    const told = server.requests()[1]?.json.params?.["capabilities"];
    expect(Object.keys(told as object)).toEqual(["sampling"]);
    expect(server.requests()[3]?.headers).toMatchObject({
      "mcp-session-id": `up-${count}`,
      "mcp-protocol-version": "2025-06-18",
    });
  });

  it("is told by its server of progress under its own token, and of logs if it wants them", async () => {
    server.handle(
      legacy(({ json }, reply) => {
        const stream = reply.stream();
        const progressToken = json.params?._meta?.["progressToken"];
        expect(progressToken).not.toBe("mine");
        const note = (method: string, params: unknown): void =>
          stream.write(event({ jsonrpc: "2.0", method, params }));
        note("notifications/progress", { progressToken, progress: 1 });
        note("notifications/progress", { progressToken: "another's", progress: 2 });
        note("notifications/message", { level: "info", data: "log" });
        note("notifications/tools/list_changed", {});
        stream.write(event({ jsonrpc: "2.0", id: "another's", result: {} }));
        stream.write(event({ jsonrpc: "2.0", id: json.id, result: { content: [] } }));
        stream.end();
      }),
    );
    const plain = await ask("tools/call", { name: "t" }, { meta: { progressToken: "mine" } });
    const messages = (text: string): unknown[] =>
      (text.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice(6)) as unknown);
    expect(messages(plain.text)).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "mine", progress: 1 },
      },
      { jsonrpc: "2.0", id: 7, result: { resultType: "complete", content: [] } },
    ]);
    const logging = await ask(
      "tools/call",
      { name: "t" },
      { meta: { [`${ns}/logLevel`]: "info" } },
    );
    expect(logging.text).toContain('"log"');
  });

  it("gets an error from a server that is down, and the router remembers nothing of the server's era", async () => {
    server.handle((_, reply) => reply.json({}, { status: 503 }));
    expect((await ask("tools/list")).status).toBe(503);
    expect(methods()).toEqual(["server/discover", "tools/list"]);
    server.handle(legacy((request, reply) => answer(request, reply, { tools: [] })));
    expect((await ask("tools/list")).json["result"]).toMatchObject({ resultType: "complete" });
  });

  it("is refused what does not cross", async () => {
    server.handle(legacy((request, reply) => answer(request, reply, {})));
    for (const method of ["tasks/get", "logging/setLevel", "resources/subscribe"])
      expect(await ask(method)).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
    expect(methods()).toEqual(["server/discover"]);
  });

  it("gets an error when a stream ends without an answer", async () => {
    server.handle(legacy((_, reply) => reply.stream().end()));
    expect((await ask("tools/call", { name: "t" })).json["error"]).toMatchObject({ code: -502 });
  });

  it("renews its session once, and no more", async () => {
    let refused = 0;
    server.handle(
      legacy((_, reply) => {
        refused += 1;
        reply.json({}, { status: 404 });
      }),
    );
    // The session has just begun, so it is not renewed again.
    expect((await ask("tools/list")).json["error"]).toMatchObject({ code: -502 });
    expect(refused).toBe(1);
    expect((await ask("tools/list")).json["error"]).toMatchObject({ code: -502 });
    expect(refused).toBe(3);
    expect(methods().filter((method) => method === "initialize")).toHaveLength(2);
  });

  it("leaves, and the router ends its calls at the server and the provider", async () => {
    faulty.setMode("slow");
    faulty.clear();
    server.handle(
      legacy((_, reply) => {
        reply.stream().write(event(sampling("s1")));
      }),
    );
    const left = new AbortController();
    const asked = ask("tools/call", { name: "t" }, { signal: left.signal }).catch(() => null);
    await until(() => faulty.requests().length === 1);
    left.abort();
    await asked;
    await until(() => methods().includes("notifications/cancelled"));
    const [call, cancelled] = ["tools/call", "notifications/cancelled"].map((method) =>
      server.requests().find(({ json }) => json.method === method),
    );
    expect(cancelled?.json.params?.["requestId"]).toBe(call?.json.id);
    await until(async () => (await recordsOf(router, tenant))[0]?.outcome === "cancelled");
  });
});

describe("a legacy client before a modern server", () => {
  const tools = {
    tools: [
      {
        name: "t",
        inputSchema: {
          type: "object",
          properties: { a: { properties: { b: { type: "integer", "x-mcp-header": "Deep" } } } },
        },
      },
    ],
    resultType: "complete",
    ttlMs: 5,
    cacheScope: "public",
  };
  const modernServer =
    (more: (request: RawRequest, reply: RawReply) => void) =>
    (request: RawRequest, reply: RawReply): void => {
      const { method } = request.json;
      if (method === "server/discover") return answer(request, reply, discovered);
      if (method === "initialize") return reply.json({}, { status: 400 });
      if (method === "tools/list") return answer(request, reply, tools);
      more(request, reply);
    };

  it("gets results of its own era, and its requests reach the server in the other era", async () => {
    server.handle(
      modernServer((request, reply) =>
        answer(request, reply, { resultType: "complete", content: [] }),
      ),
    );
    const client = await openRaw(url, key, { capabilities: { elicitation: {}, roots: {} } });
    expect(await (await client.request(1, "tools/list", {})).json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { tools: tools.tools },
    });
    const called = await client.request(2, "tools/call", { name: "t", arguments: { a: { b: 3 } } });
    expect(await called.json()).toEqual({ jsonrpc: "2.0", id: 2, result: { content: [] } });
    const sent = server.requests().at(-1);
    expect(sent?.headers).toMatchObject({
      "mcp-protocol-version": modern,
      "mcp-method": "tools/call",
      "mcp-name": "t",
      "mcp-param-deep": "3",
    });
    const capabilities = sent?.json.params?._meta?.[`${ns}/clientCapabilities`];
    expect(Object.keys(capabilities as object)).toEqual(["sampling", "elicitation"]);
    // Capabilities that the server refused once are not tried again.
    const tried = methods().filter((method) => method === "initialize").length;
    await openRaw(url, key);
    expect(methods().filter((method) => method === "initialize")).toHaveLength(tried);
  });

  it("gets an array for a tool's output in the object that its revision wants", async () => {
    const array = { type: "array", items: { $ref: "#" } };
    const union = { anyOf: [{ type: "object" }, { type: "null" }] };
    let outputSchema: unknown = array;
    server.handle((request, reply) => {
      const { method, params } = request.json;
      if (method === "server/discover") return answer(request, reply, discovered);
      if (method === "initialize") return reply.json({}, { status: 400 });
      if (method === "tools/list") {
        const tool = { name: "t", inputSchema: { type: "object" }, outputSchema };
        return answer(request, reply, { resultType: "complete", tools: [tool] });
      }
      const structuredContent = params?.["arguments"];
      answer(request, reply, { resultType: "complete", content: [], structuredContent });
    });
    const client = await openRaw(url, key);
    const listed = async () =>
      ((await (await client.request(1, "tools/list", {})).json()) as RawResult).result.tools;
    const called = async (args: unknown) => {
      const response = await client.request(2, "tools/call", { name: "t", arguments: args });
      return ((await response.json()) as RawResult).result.structuredContent;
    };
    expect(await listed()).toMatchObject([
      {
        outputSchema: {
          type: "object",
          properties: { result: { type: "array", items: { $ref: "#/properties/result" } } },
          required: ["result"],
        },
      },
    ]);
    expect(await called([[]])).toEqual({ result: [[]] });
    // An object is wrapped too, where the client was told so by the list…
    outputSchema = union;
    expect(await listed()).toMatchObject([{ outputSchema: { properties: { result: union } } }]);
    expect(await called({ a: 1 })).toEqual({ result: { a: 1 } });
    // …and no longer once the client has read a list that says otherwise.
    outputSchema = { type: "object" };
    expect(await listed()).toMatchObject([{ outputSchema }]);
    expect(await called({ a: 1 })).toEqual({ a: 1 });
  });

  it("has its call sent again when the server's tools have changed", async () => {
    let late = false;
    server.handle(
      modernServer((request, reply) => {
        if (!late) return answer(request, reply, { content: [] });
        const error = { code: -32020, message: "Header mismatch" };
        if (server.requests().filter(({ json }) => json.method === "tools/list").length > 1)
          return answer(request, reply, { content: [] });
        reply.json({ jsonrpc: "2.0", id: request.json.id, error }, { status: 400 });
      }),
    );
    const client = await openRaw(url, key);
    await (await client.request(1, "tools/call", { name: "t" })).text();
    late = true;
    const called = await client.request(2, "tools/call", { name: "t" });
    expect(await called.json()).toMatchObject({ id: 2, result: { content: [] } });
  });

  it("gets errors of the other era with status 200, also for questions to a person", async () => {
    server.handle(
      modernServer((request, reply) => {
        if (request.json.params?.name === "entry")
          return answer(request, reply, {
            resultType: "input_required",
            inputRequests: { q: { method: "elicitation/create", params: {} } },
          });
        const error = {
          code: -32021,
          message: "Missing",
          data: { requiredCapabilities: { roots: {} } },
        };
        reply.json({ jsonrpc: "2.0", id: request.json.id, error }, { status: 400 });
      }),
    );
    const client = await openRaw(url, key);
    const missing = await client.request(1, "tools/call", { name: "missing" });
    expect([missing.status, await missing.json()]).toMatchObject([
      200,
      {
        error: {
          code: -32602,
          message: expect.stringContaining("use a client of 2026-07-28") as string,
          data: { requiredCapabilities: { roots: {} } },
        },
      },
    ]);
    const entry = await client.request(2, "tools/call", { name: "entry" });
    expect([entry.status, await entry.json()]).toMatchObject([
      200,
      {
        error: {
          message: expect.stringContaining("declare it in the capabilities") as string,
          data: { requiredCapabilities: { elicitation: { form: {} } } },
        },
      },
    ]);
  });

  it("waits while its server sheds load: the router calls again with the state alone", async () => {
    faulty.clear();
    server.handle(
      modernServer((request, reply) => {
        const { requestState: state, inputResponses } = request.json.params ?? {};
        const asked = { llm: { method: "sampling/createMessage", params: sampling(0).params } };
        const round = (requestState: string, more = {}): void =>
          answer(request, reply, { resultType: "input_required", requestState, ...more });
        if (state === undefined) return round("busy \u0000/1");
        if (state === "busy \u0000/1") return round("busy 2", { inputRequests: {} });
        if (state === "busy 2") return round("asked", { inputRequests: asked });
        if (state === "asked") return round(`late ${JSON.stringify(inputResponses)}`);
        answer(request, reply, { resultType: "complete", content: [], state });
      }),
    );
    const client = await openRaw(url, key);
    server.clear();
    const called = await client.request("mine", "tools/call", { name: "t", arguments: { a: 1 } });
    const text = await called.text();
    expect(text).toContain('"id":"mine"');
    expect(text).toContain("late ");
    expect(text).toContain("All is well.");
    expect(text).not.toMatch(/error|input_required|requestState/);
    const calls = server.requests().filter(({ json }) => json.method === "tools/call");
    expect(calls.map(({ json }) => json.params?.requestState?.slice(0, 6))).toEqual([
      undefined,
      "busy \u0000",
      "busy 2",
      "asked",
      "late {",
    ]);
    expect(new Set(calls.map(({ json }) => json.id)).size).toBe(5);
    for (const { json, headers } of calls) {
      expect(json.params).toMatchObject({ name: "t", arguments: { a: 1 } });
      expect(headers).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "t" });
    }
    // The answer goes with the round that asked for it, and with no other.
    expect(calls.map(({ json }) => json.params?.inputResponses !== undefined)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(faulty.requests()).toHaveLength(1);
    expect((await recordsOf(router, tenant))[0]).toMatchObject({
      outcome: "succeeded",
      who: { tool: "t" },
    });
  });

  it("cancels a call that its server keeps putting off", async () => {
    server.handle(
      modernServer((request, reply) =>
        answer(request, reply, { resultType: "input_required", requestState: "later" }),
      ),
    );
    const client = await openRaw(url, key);
    const calls = (): number => methods().filter((method) => method === "tools/call").length;
    const called = client.request(5, "tools/call", { name: "t" });
    await until(() => calls() > 2);
    await client.post(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}',
    );
    expect(await (await called).text()).not.toContain("data:");
    const before = calls();
    // Time is under test: the router repeats such a call after a second at the latest.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(calls()).toBe(before);
  });

  it.each(["", "data: {\n", "data: {"])(
    "cancels a call whose server's stream stands still after %j",
    async (written) => {
      const ended = Promise.withResolvers<void>();
      server.handle(
        modernServer((_, reply) => {
          const stream = reply.stream();
          if (written !== "") stream.write(written);
          void reply.closed.then(ended.resolve);
        }),
      );
      const client = await openRaw(url, key);
      const called = client.request(5, "tools/call", { name: "t" });
      await until(() => methods().includes("tools/call"));
      await client.post(
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}',
      );
      expect(await (await called).text()).not.toContain("data:");
      await ended.promise;
    },
  );

  it("is refused what does not cross, and its notifications go nowhere", async () => {
    server.handle(modernServer((request, reply) => answer(request, reply, {})));
    const client = await openRaw(url, key);
    server.clear();
    for (const method of ["resources/subscribe", "logging/setLevel", "tasks/get"])
      expect(await (await client.request(1, method, {})).json()).toMatchObject({
        error: { code: -32601 },
      });
    const noted = await client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect(noted.status).toBe(202);
    const batch = await client.post('[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]');
    expect(batch.status).toBe(400);
    expect(await (await client.request(2, "ping", {})).json()).toMatchObject({ result: {} });
    expect(server.requests()).toEqual([]);
  });

  it("speaks directly with a server of both eras that begins a session with it", async () => {
    server.handle((request, reply) => {
      if (request.json.method === "server/discover") return answer(request, reply, discovered);
      if (request.json.method === "initialize")
        return answer(
          request,
          reply,
          { ...initialized, protocolVersion: "2025-11-25" },
          { "Mcp-Session-Id": "theirs" },
        );
      answer(request, reply, { resultType: "kept" });
    });
    const client = await openRaw(url, key);
    expect(client.sessionId).toBe("theirs");
    expect(await (await client.request(1, "tools/list", {})).text()).toContain("kept");
  });
});
