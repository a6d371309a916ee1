/** Sentences of the specification, each as one small exchange with the running router. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalTable, type Reason, type Refusal } from "../../src/domain/refusals.ts";
import type { SamplingAnswer, SamplingCall } from "../../src/domain/sampling/call.ts";
import { codecFor, supportedRevisions } from "../../src/mcp/era.ts";
import { legacyWireOf, modernWireOf } from "../../src/mcp/faults.ts";
import {
  adminOf,
  asking,
  at,
  callOnce,
  createTenant,
  openSession,
  type Answered,
} from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { patient } from "../setup/patience.ts";

const legacyRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const modernRevision = "2026-07-28";
const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`;
const clientInfo = { name: "test", version: "1" };
const slowMs = 3_000;

let router: SharedRouter;
let faulty: FaultyProvider;
let key = "";
let slowKey = "";

beforeAll(async () => {
  faulty = await startFaultyProvider({ slowMs });
  router = await borrowRouter();
  ({ key } = await createTenant(router, "protocol", { provider: "demo" }));
  ({ key: slowKey } = await createTenant(router, "protocol-slow", {
    provider: "openai-compatible",
    baseUrl: faulty.url("openai-compatible"),
    models: [{ id: "one" }],
  }));
});
afterAll(async () => {
  await faulty?.stop();
});

interface Posted {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** Sends a message without a session, and with no other headers than these. */
async function post(message: unknown, headers: Record<string, string> = {}): Promise<Posted> {
  const response = await fetch(`${router.url}/v1/sampling`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      Accept: "application/json",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  return { status: response.status, headers: response.headers, text, body };
}

const request = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const initialize = (params: object = {}) =>
  request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { sampling: {} },
    clientInfo,
    ...params,
  });
const metaOf = (capabilities: unknown = { sampling: {} }) => ({
  [metaKey("protocolVersion")]: modernRevision,
  [metaKey("clientInfo")]: clientInfo,
  [metaKey("clientCapabilities")]: capabilities,
});
const modernHeaders = (method: string) => ({
  "MCP-Protocol-Version": modernRevision,
  "Mcp-Method": method,
});
/** One modern request with whatever `_meta` and headers. */
const modern = (method: string, meta: object = metaOf(), headers = modernHeaders(method)) =>
  post(request(method, { ...asking("hello"), _meta: meta }), headers);

const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} });
const result = (toolUseId: string) => ({
  type: "tool_result",
  toolUseId,
  content: [{ type: "text", text: "seen" }],
});
const tools = [{ name: "look", inputSchema: { type: "object" } }];
const withTools = { sampling: { tools: {} } };
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });

describe("the handshake", () => {
  // cites: L-001, H-018
  it("comes first: without a session only initialize is served", async () => {
    for (const method of ["ping", "sampling/createMessage", "tools/list"]) {
      const answer = await post(request(method, asking("hello")));
      expect([answer.status, at(answer.body, "error.data.reason")]).toEqual([
        400,
        "session_required",
      ]);
    }
  });

  // cites: L-002
  it.each(["protocolVersion", "capabilities", "clientInfo"])("needs %s", async (name) => {
    const answer = await post(initialize({ [name]: undefined }));
    expect(at(answer.body, "error.code")).toBe(-32602);
    expect(at(answer.body, "error.data.path")).toBe(name);
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  // cites: L-003, L-004, H-017, N-002
  it.each(legacyRevisions)(
    "on %s is answered with the revision, and who we are",
    async (revision) => {
      const answer = await post(initialize({ protocolVersion: revision }));
      expect(at(answer.body, "result")).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: expect.any(String), version: expect.any(String) },
        capabilities: { extensions: { [metaKey("content-negotiation")]: {} } },
      });
      expect(answer.headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]+$/);
    },
  );

  // cites: L-006, H-007, J-009
  it.each(legacyRevisions)(
    "on %s ends with a notification; it and responses are taken",
    async (revision) => {
      const session = await openSession(router, key, { revision });
      for (const message of [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "notifications/of/nobodys", params: { a: 1 } },
        { jsonrpc: "2.0", id: 5, result: { roots: [] } },
        { jsonrpc: "2.0", id: "6", error: { code: -1, message: "no" } },
      ]) {
        const answer = await session.send(JSON.stringify(message));
        expect([answer.status, answer.text]).toEqual([202, ""]);
      }
    },
  );

  // cites: H-008
  it("is needed for notifications and responses too", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const response = { jsonrpc: "2.0", id: 5, result: {} };
    for (const message of [notification, response]) {
      expect((await post(message)).status).toBe(400);
      expect((await post(message, { "Mcp-Session-Id": "ses_unknown" })).status).toBe(404);
      expect((await post(message, { Authorization: "Bearer nonsense" })).status).toBe(401);
    }
    const session = await openSession(router, key);
    for (const malformed of [
      { jsonrpc: "2.0", method: 7 },
      { jsonrpc: "2.0", id: 5 },
    ])
      expect((await session.send(JSON.stringify(malformed))).status).toBe(400);
  });

  // cites: L-007
  it("is no part of a batch", async () => {
    const session = await openSession(router, key, { revision: "2025-03-26" });
    const answer = await session.send(JSON.stringify([initialize(), request("ping", {}, 2)]));
    expect(answer.get("0.error.code")).toBe(-32600);
    expect(answer.get("1.result")).toEqual({});
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  // cites: H-022, L-008
  it("decides the revision, whether or not a header repeats it", async () => {
    const params = { messages: [user({ type: "text", text: "hello" })], maxTokens: 10 };
    const message = request("sampling/createMessage", params);
    const sent = async (revision: string): Promise<Posted> => {
      const { sessionId } = await openSession(router, key, { revision });
      return post(message, { "Mcp-Session-Id": sessionId ?? "" });
    };
    // An array of blocks is what one revision takes and the other refuses.
    expect(at((await sent("2025-06-18")).body, "error.data.path")).toBe("messages.0.content");
    expect(at((await sent("2025-11-25")).body, "result.role")).toBe("assistant");
  });
});

describe("a modern request", () => {
  // cites: L-010, L-016, L-017, J-011, N-002
  it("discovers the server without anything before it", async () => {
    const answer = await modern("server/discover");
    expect(answer.status).toBe(200);
    const found = at(answer.body, "result") as Record<string, unknown>;
    expect(found).toMatchObject({
      resultType: "complete",
      supportedVersions: expect.arrayContaining([modernRevision, ...legacyRevisions]),
      capabilities: { extensions: { [metaKey("content-negotiation")]: {} } },
      _meta: { [metaKey("serverInfo")]: { name: expect.any(String), version: expect.any(String) } },
      cacheScope: "private",
    });
    expect(found["ttlMs"]).toBeGreaterThanOrEqual(0);
  });

  // cites: L-009, H-027
  it("in a version that we don't speak is told which we do", async () => {
    for (const requested of ["1900-01-01", "2027-01-01", "2025-11-25", "x"]) {
      const meta = { ...metaOf(), [metaKey("protocolVersion")]: requested };
      const headers = { ...modernHeaders("server/discover"), "MCP-Protocol-Version": requested };
      const answer = await modern("server/discover", meta, headers);
      expect(answer.status).toBe(400);
      expect(at(answer.body, "error")).toMatchObject({
        code: -32022,
        data: { supported: [...supportedRevisions], requested },
      });
    }
  });

  // cites: L-018
  it.each(["protocolVersion", "clientCapabilities"])("without %s is malformed", async (name) => {
    for (const wrong of [undefined, null, 7]) {
      const answer = await modern("server/discover", { ...metaOf(), [metaKey(name)]: wrong });
      expect(answer.status).toBe(400);
      expect(at(answer.body, "error")).toMatchObject({
        code: -32602,
        data: { path: `_meta.${metaKey(name)}` },
      });
    }
  });

  // cites: L-019
  it("needs not say who it is", async () => {
    const { [metaKey("clientInfo")]: _, ...meta } = metaOf();
    const answer = await modern("sampling/createMessage", meta);
    expect(at(answer.body, "result.model")).toMatch(/^demo\//);
  });

  // cites: L-011, H-029, J-011
  it("is served beside a session on the same endpoint, and a session's id means nothing to it", async () => {
    const session = await openSession(router, key, { capabilities: withTools });
    for (const sessionId of [session.sessionId ?? "", "nonsense"]) {
      const answer = await callOnce(router, key, asking("hello"), {
        headers: { "Mcp-Session-Id": sessionId },
      });
      expect(answer.get("result.resultType")).toBe("complete");
      expect(answer.headers.get("mcp-session-id")).toBeNull();
      const legacy = await session.sample(asking("hello"));
      expect(legacy.get("result.role")).toBe("assistant");
      expect(legacy.get("result")).not.toHaveProperty("resultType");
    }
  });

  // cites: L-020, S-002, C-014
  it("has the capabilities that it brings, not those of the request before", async () => {
    const asked = { ...asking("hello"), tools };
    const first = await callOnce(router, key, asked, { capabilities: withTools });
    expect(first.get("result.role")).toBe("assistant");
    for (const [capabilities, requiredCapabilities] of [
      [{ sampling: {} }, { sampling: { tools: {} } }],
      [{ roots: {} }, { sampling: { tools: {} } }],
      [{ sampling: { context: {} } }, { sampling: { tools: {} } }],
    ]) {
      const answer = await callOnce(router, key, asked, { capabilities });
      expect(answer.status).toBe(400);
      expect(answer.get("error")).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    }
    const bare = await callOnce(router, key, asking("hello"), { capabilities: {} });
    expect(bare.get("error.data.requiredCapabilities")).toEqual({ sampling: {} });
  });

  // cites: H-023
  it("says the same version in header and body", async () => {
    const headers = { ...modernHeaders("server/discover"), "MCP-Protocol-Version": "2025-11-25" };
    const answer = await modern("server/discover", metaOf(), headers);
    expect([answer.status, at(answer.body, "error.code")]).toEqual([400, -32020]);
  });

  // cites: H-024
  it.each(["MCP-Protocol-Version", "Mcp-Method"] as const)("has the header %s", async (name) => {
    const { [name]: _, ...headers } = modernHeaders("server/discover");
    const answer = await post(request("server/discover", { _meta: metaOf() }), headers);
    expect(answer.status).toBe(400);
    expect(at(answer.body, "error")).toMatchObject({
      code: -32020,
      data: { header: name, missing: true },
    });
  });

  // cites: H-025, H-026
  it("has its method in a header, letter for letter, whatever the case of the header's name", async () => {
    for (const wrong of ["server/Discover", "ping", "server/discover2"]) {
      const headers = { ...modernHeaders("server/discover"), "Mcp-Method": wrong };
      const answer = await modern("server/discover", metaOf(), headers);
      expect([answer.status, at(answer.body, "error.code")]).toEqual([400, -32020]);
    }
    const spelt = { "mcp-PROTOCOL-version": modernRevision, "MCP-METHOD": "server/discover" };
    const answer = await post(request("server/discover", { _meta: metaOf() }), spelt);
    expect(answer.status).toBe(200);
  });

  // cites: H-028
  it.each(["tools/list", "ping", "resources/read", "__proto__"])(
    "for %s is a 404",
    async (method) => {
      const answer = await modern(method);
      expect([answer.status, at(answer.body, "error.code")]).toEqual([404, -32601]);
    },
  );
});

describe("ids", () => {
  // cites: J-002, J-005, J-008
  it.each([0, -7, 9_007_199_254_740_991, "", "a", "1", "é\u0000👩"])(
    "come back as %j",
    async (id) => {
      const session = await openSession(router, key);
      const answers = [
        await session.send(JSON.stringify(request("ping", {}, id))),
        await session.send(JSON.stringify(request("tools/list", {}, id))),
        await session.send(JSON.stringify(request("sampling/createMessage", asking("hello"), id))),
        await session.send(JSON.stringify(request("sampling/createMessage", {}, id))),
        await post(
          request("server/discover", { _meta: metaOf() }, id),
          modernHeaders("server/discover"),
        ),
        await post(request("ping", { _meta: metaOf() }, id), modernHeaders("ping")),
      ];
      for (const { body } of answers) expect(at(body, "id")).toBe(id);
    },
  );

  it("come back with every digit", async () => {
    const session = await openSession(router, key);
    const [one, other] = ["9007199254740993", "-12345678901234567890"];
    const textOf = (message: object, id = one): string =>
      JSON.stringify(message).replace('"@"', id ?? "");
    for (const message of [
      request("ping", {}, "@"),
      request("sampling/createMessage", asking("hello"), "@"),
      request("sampling/createMessage", {}, "@"),
    ])
      expect((await session.send(textOf(message))).text).toContain(`"id":${one},`);
    const discover = request("server/discover", { _meta: metaOf() }, "@");
    const { text } = await post(textOf(discover, other), modernHeaders("server/discover"));
    expect(text).toContain(`"id":${other},`);
  });

  // cites: J-008
  it("are left out where they can't be read", async () => {
    for (const message of ["{", JSON.stringify({ jsonrpc: "2.0", id: 1.5, method: "ping" })])
      expect((await post(message)).body).not.toHaveProperty("id");
  });
});

// cites: J-012, J-013, J-014
it("the codes are the specification's where its ranges are, and outside them where they are ours", () => {
  const specified = new Set([
    -32_700, -32_600, -32_601, -32_602, -32_603, -32_020, -32_021, -32_022,
  ]);
  for (const reason of Object.keys(refusalTable) as Reason[])
    for (const wireOf of [legacyWireOf, modernWireOf]) {
      const { code } = wireOf({ reason } as Refusal);
      expect(Number.isInteger(code)).toBe(true);
      expect(specified.has(code) || code > -32_000, `${reason} ${code}`).toBe(true);
    }
});

describe("what is emitted", () => {
  // cites: L-013, L-014
  it("has keys of _meta and extensions with a prefix, spelt by the rules", async () => {
    const rule =
      /^([a-z]([a-z0-9-]*[a-z0-9])?\.)*[a-z]([a-z0-9-]*[a-z0-9])?\/[a-z0-9]([\w.-]*[a-z0-9])?$/i;
    const session = await openSession(router, key);
    const found = [
      (await modern("server/discover")).body,
      (await callOnce(router, key, asking("hello"))).body,
      (await session.sample(asking("hello"))).body,
      (await post(initialize())).body,
    ].flatMap((body) => [
      ...Object.keys(at(body, "result._meta") ?? {}),
      ...Object.keys((at(body, "result.capabilities.extensions") as object | undefined) ?? {}),
    ]);
    expect(found).toContain("sampling-router/hosted");
    expect(found).toContain("sampling-router/decision");
    for (const name of found) expect(name).toMatch(rule);
  });

  // cites: H-034
  it("of a version that nobody speaks is refused, asked or told", async () => {
    const session = await openSession(router, key);
    const headers = { "MCP-Protocol-Version": "1999-01-01" };
    const told = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const responded = JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} });
    for (const message of [told, responded]) {
      const answer = await session.send(message, headers);
      expect(answer.status).toBe(400);
      expect(answer.get("error.code")).toBe(-32022);
    }
    const ended = await fetch(`${router.url}/v1/sampling`, {
      method: "DELETE",
      headers: {
        Authorization: `Bearer ${key}`,
        "Mcp-Session-Id": session.sessionId ?? "",
        ...headers,
      },
    });
    expect(ended.status).toBe(400);
  });

  // cites: L-015, H-014
  it("is answered with who answered, and past proxies that buffer", async () => {
    const headers = { Accept: "application/json, text/event-stream" };
    const answer = await callOnce(router, key, asking("hello"), { headers });
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
    const meta = answer.get("result._meta") as Record<string, unknown>;
    expect(meta["io.modelcontextprotocol/serverInfo"]).toMatchObject({ name: "sampling-router" });
  });

  // cites: H-009, H-010, H-015, U-008
  it("is one JSON object, or a stream with one message that then ends", async () => {
    const params = { ...asking("hello"), _meta: { progressToken: "p" } };
    const session = await openSession(router, key);
    const message = JSON.stringify(request("sampling/createMessage", params, 3));
    const plain = await session.send(message, { Accept: "application/json" });
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(plain.text)).toMatchObject({ id: 3, result: { role: "assistant" } });
    const streams = [
      await session.send(message, { Accept: "application/json, text/event-stream" }),
      await callOnce(router, key, params, { headers: { Accept: "text/event-stream" } }),
    ];
    for (const streamed of streams) {
      expect(streamed.headers.get("content-type")).toBe("text/event-stream");
      const data = streamed.text.split("\n").filter((line) => line.startsWith("data:"));
      expect(data).toHaveLength(1);
      expect(streamed.get("result.role")).toBe("assistant");
      expect(streamed.body).not.toHaveProperty("method");
    }
  });

  // cites: H-003
  it("come from a router that listens on loopback alone", ({ skip }) => {
    if (!existsSync("/proc/net/tcp")) skip("this system has no /proc to read it from");
    const port = Number(new URL(router.url).port).toString(16).toUpperCase().padStart(4, "0");
    const listening = ["tcp", "tcp6"]
      .filter((name) => existsSync(`/proc/net/${name}`))
      .flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n"))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === "0A")
      .map(([, local]) => local);
    // 127.0.0.1, in the byte order of x86 and ARM.
    expect(listening).toEqual([`0100007F:${port}`]);
  });
});

describe("a caller that leaves", () => {
  const outcomes = async (): Promise<unknown[]> => {
    const page = await adminOf(router, slowKey)("GET", "/tenants/protocol-slow/requests");
    return (page.get("data") as { outcome: unknown }[]).map(({ outcome }) => outcome);
  };
  /** Calls, and leaves when the provider has been asked. */
  const leave = async (call: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    faulty.setMode("slow");
    faulty.clear();
    const leaving = new AbortController();
    const gone = call(leaving.signal).catch(() => null);
    await expect.poll(() => faulty.requests().length, { timeout: patient(5_000) }).toBe(1);
    leaving.abort();
    await gone;
  };

  // cites: H-012
  it("has cancelled nothing in the legacy era", async () => {
    const session = await openSession(router, slowKey);
    await leave((signal) => session.sample(asking("hello"), signal));
    await expect.poll(outcomes, { timeout: patient(8_000) }).toEqual(["succeeded"]);
  });

  // cites: H-013
  it("has cancelled its call in the modern era", async () => {
    const headers = { Accept: "application/json, text/event-stream" };
    await leave((signal) => callOnce(router, slowKey, asking("hello"), { headers, signal }));
    await expect.poll(outcomes, { timeout: patient(8_000) }).toEqual(["cancelled", "succeeded"]);
  });
});

describe("a cancellation", () => {
  // cites: U-004, U-005
  it("of an unknown, ended or malformed id is acknowledged and does nothing", async () => {
    const session = await openSession(router, key);
    const done = request("sampling/createMessage", asking("hello"), "done");
    expect((await session.send(JSON.stringify(done))).get("result.role")).toBe("assistant");
    for (const params of [
      { requestId: "unknown" },
      { requestId: "done", reason: "too late" },
      { requestId: null },
      { requestId: { a: 1 } },
      { requestId: "x".repeat(100_000) },
      {},
    ]) {
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
      const answer = await session.send(JSON.stringify(message));
      expect([answer.status, answer.text]).toEqual([202, ""]);
    }
    const again = await session.send(JSON.stringify({ ...done, id: "again" }));
    expect(again.get("result.role")).toBe("assistant");
  });
});

describe("tools", () => {
  // cites: S-005
  it("are needed for a choice of tools, in either era", async () => {
    const asked = asking("hello", { toolChoice: { mode: "auto" } });
    const requiredCapabilities = { sampling: { tools: {} } };
    const legacy = await (await openSession(router, key)).sample(asked);
    expect(legacy.get("error")).toMatchObject({ code: -32602, data: { requiredCapabilities } });
    const answer = await callOnce(router, key, asked);
    expect(answer.get("error")).toMatchObject({ code: -32021, data: { requiredCapabilities } });
  });

  // cites: S-011, S-012, S-013, S-014, S-015
  it.each([
    ["no result", [user({ type: "text", text: "look" }), assistant(use("a"))], "messages.2"],
    [
      "one of two results",
      [assistant(use("a"), use("b")), user(result("a"))],
      "messages.1.content",
    ],
    [
      "a text beside the result",
      [assistant(use("a")), user(result("a"), { type: "text", text: "x" })],
      "messages.1.content",
    ],
    ["a result of no use", [user(result("a"))], "messages.0.content"],
  ])("with %s are -32602, in either era", async (_, messages, path) => {
    const asked = { messages, tools, maxTokens: 10 };
    const session = await openSession(router, key, { capabilities: withTools });
    const answers = [
      await session.sample(asked),
      await callOnce(router, key, asked, { capabilities: withTools }),
    ];
    for (const answer of answers)
      expect(answer.get("error")).toMatchObject({ code: -32602, data: { path } });
  });

  // cites: S-055
  it("may not be used without end", async () => {
    const rounds = (count: number) => ({
      messages: Array.from({ length: count }, (_, round) => [
        assistant(use(`u${round}`)),
        user(result(`u${round}`)),
      ]).flat(),
      tools,
      maxTokens: 10,
    });
    const session = await openSession(router, key, { capabilities: withTools });
    expect((await session.sample(rounds(25))).get("result.role")).toBe("assistant");
    expect((await session.sample(rounds(26))).get("error")).toMatchObject({
      code: -403,
      data: { reason: "forbidden", action: "more than 25 tool rounds" },
    });
  });
});

describe("what a call may hold", () => {
  // cites: S-035
  it.each(["none", "thisServer", "allServers"])(
    "includeContext %s, which adds nothing",
    async (includeContext) => {
      const session = await openSession(router, key);
      const plain = await session.sample(asking("hello"));
      const answer = await session.sample(asking("hello", { includeContext }));
      expect(answer.get("result.content")).toEqual(plain.get("result.content"));
    },
  );

  // cites: U-006
  it("a task, where none was declared: it is processed normally", async () => {
    const session = await openSession(router, key);
    const answer = await session.sample(asking("hello", { task: { ttl: 60_000 } }));
    expect(answer.get("result.content.type")).toBe("text");
    expect(answer.get("result")).not.toHaveProperty("task");
  });

  // cites: S-027
  it("hints of unknown models", async () => {
    const session = await openSession(router, key);
    const hints = [{ name: "no-such-model" }, {}, { name: "" }];
    const answer = await session.sample(asking("hello", { modelPreferences: { hints } }));
    expect(answer.get("result.model")).toMatch(/^demo\//);
  });
});

describe("a result", () => {
  const asked: SamplingCall = {
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    maxTokens: 10,
    hints: [],
    priorities: {},
    includeContext: "none",
    stopSequences: [],
    tools: [],
    metadata: {},
    outputModalities: ["text"],
  };
  const answer: SamplingAnswer = {
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
    model: "demo/x",
    stopReason: "endTurn",
  };
  const encode = (revision: string, call: SamplingCall, given = answer) =>
    codecFor(revision)?.encodeAnswer(given, call, {})["content"];

  // cites: S-044
  it.each(["2024-11-05", "2025-03-26", "2025-06-18"])("is one block on %s", (revision) => {
    expect(encode(revision, asked)).toEqual({ type: "text", text: "onetwo" });
  });

  // cites: M-004
  it.each(["text", "image", "audio"] as const)("that is %s is a block of that type", (modality) => {
    const blocks: SamplingAnswer["content"] = [
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "text", text: "here" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ];
    const wanting = { ...asked, outputModalities: [modality] };
    for (const revision of ["2025-11-25", modernRevision])
      expect(encode(revision, wanting, { ...answer, content: blocks })).toEqual(
        blocks.find(({ type }) => type === modality),
      );
  });

  // cites: S-043, S-050
  it.each(["2025-11-25", modernRevision])(
    "is one block or an array of several on %s",
    (revision) => {
      const calling = { ...asked, tools: [{ name: "look", inputSchema: {} }] };
      const uses: SamplingAnswer["content"] = [
        { type: "tool_use", id: "a", name: "look", input: {} },
        { type: "tool_use", id: "b", name: "look", input: {} },
      ];
      expect(encode(revision, calling, { ...answer, content: uses })).toEqual(uses);
      expect(encode(revision, calling, { ...answer, content: uses.slice(0, 1) })).toEqual(uses[0]);
    },
  );
});

describe("a provider that takes its time", () => {
  // cites: U-007
  it("is waited for no longer than the deadline", async () => {
    const { key: hurried } = await createTenant(router, "protocol-hurried", {
      provider: "openai-compatible",
      baseUrl: faulty.url("openai-compatible"),
      models: [{ id: "one" }],
      policy: { deadlineMs: 1_000 },
    });
    faulty.setMode("slow");
    const session = await openSession(router, hurried);
    const began = performance.now();
    const answer = await session.sample(asking("hello"));
    expect(performance.now() - began).toBeLessThan(slowMs);
    expect(answer.get("error")).toMatchObject({ code: -504, data: { reason: "provider_timeout" } });
  });
});

describe("what a client declares", () => {
  const features = [
    "agent",
    "mcp-capable",
    "interactive",
    "sampling",
    "elicitation",
    "roots",
    "tasks",
    "verbosity=compact",
    "format=markdown",
    "x-team=one",
    "!human",
  ];
  const declaring = {
    sampling: {},
    extensions: { [metaKey("content-negotiation")]: { version: "1.0", features } },
  };
  const negotiationOf = async (id: unknown): Promise<unknown> =>
    (await adminOf(router, key)("GET", `/tenants/protocol/requests/${String(id)}`)).get(
      "decision.negotiation",
    );
  const requestIdOf = (body: unknown): unknown =>
    (at(body, "result._meta") as Record<string, { requestId: string }>)["sampling-router/decision"]
      ?.requestId;

  // cites: N-001, N-004
  it("in a session holds for every call of it, and for no other", async () => {
    const session = await openSession(router, key, { capabilities: declaring });
    for (const text of ["one", "two"]) {
      const { body } = await session.sample(asking(text, { _meta: metaOf({ sampling: {} }) }));
      // Such a `_meta` makes it a modern request, which brings its own capabilities.
      expect(at(body, "error.code")).toBe(-32020);
      const called = await session.sample(asking(text));
      const negotiated = await negotiationOf(requestIdOf(called.body));
      expect(negotiated).toMatchObject({ features, ignored: [] });
    }
    const other = await (await openSession(router, key)).sample(asking("three"));
    expect(await negotiationOf(requestIdOf(other.body))).toBeUndefined();
  });

  // cites: N-001, N-003, N-012
  it("in a modern request holds for it alone", async () => {
    const called = await callOnce(router, key, asking("one"), { capabilities: declaring });
    expect(await negotiationOf(requestIdOf(called.body))).toMatchObject({ features });
    const next = await callOnce(router, key, asking("two"));
    expect(await negotiationOf(requestIdOf(next.body))).toBeUndefined();
    expect(next.get("result.role")).toBe("assistant");
  });

  // cites: N-007
  it.each([
    "human",
    "!agent",
    "!interactive",
    "x-other",
    "verbosity=standard",
    "verbosity=verbose",
    "format=text",
  ])("may be %s", async (tag) => {
    const capabilities = {
      sampling: {},
      extensions: { [metaKey("content-negotiation")]: { version: "1.0", features: [tag] } },
    };
    const called = await callOnce(router, key, asking("one"), { capabilities });
    const negotiated = await negotiationOf(requestIdOf(called.body));
    expect(negotiated).toMatchObject({ features: [tag], ignored: [] });
  });

  const recordOf = async (answer: Answered) =>
    adminOf(router, key)("GET", `/tenants/protocol/requests/${String(requestIdOf(answer.body))}`);

  // cites: L-012, C-013
  it("and nobody here knows changes nothing", async () => {
    const capabilities = {
      sampling: {},
      "acme-capability": { a: 1 },
      extensions: { "com.example/unknown": { b: 2 } },
    };
    const session = await openSession(router, key, { capabilities });
    expect((await session.sample(asking("hello"))).get("result.role")).toBe("assistant");
    const answer = await callOnce(router, key, asking("hello"), { capabilities });
    expect(answer.get("result.role")).toBe("assistant");
    const page = await adminOf(router, key)("GET", "/tenants/protocol/sessions?limit=200");
    const found = (page.get("data") as { id: string; capabilities: unknown }[]).find(
      ({ id }) => id === session.sessionId,
    );
    expect(found?.capabilities).toEqual(capabilities);
    const { extensions: _, ...effective } = capabilities;
    expect(found).toMatchObject({ effective, modalities: ["text"] });
    expect(found).not.toHaveProperty("effective.extensions");
    // A request of 2026-07-28 has no session that keeps them, so its record does.
    const record = await recordOf(answer);
    expect(record.get("asked.declared")).toEqual({
      sampling: {},
      "acme-capability": { a: null },
      extensions: { "com.example/unknown": {} },
    });
    expect((await recordOf(await session.sample(asking("hi")))).get("asked.declared")).toBe(
      undefined,
    );
  });

  // cites: M-001, M-003, M-007
  it("of modalities says what may be asked for; without it only text may be", async () => {
    const wanting = (modality: string) =>
      asking("hello", { metadata: { "sampling-router/outputModalities": [modality] } });
    for (const capabilities of [
      { sampling: {} },
      { sampling: { supportedModalities: ["text"] } },
    ]) {
      const session = await openSession(router, key, { capabilities });
      expect((await session.sample(wanting("text"))).get("result.content.type")).toBe("text");
      expect((await session.sample(wanting("image"))).get("error.data")).toMatchObject({
        reason: "capability_missing",
        requiredCapabilities: { sampling: { supportedModalities: ["image"] } },
      });
    }
  });
});
