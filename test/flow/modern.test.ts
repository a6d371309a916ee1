/** 2026-07-28 at `/v1/sampling`: no session, everything in the request, statuses as it prescribes. */
import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, at, createTenant, type Answered } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { allowedOrigins } from "../setup/shared-settings.ts";
import { patient } from "../setup/patience.ts";

const revision = "2026-07-28";
const [allowedOrigin, otherAllowed] = allowedOrigins;
const ns = "io.modelcontextprotocol";
const metaOf = (capabilities: unknown = { sampling: {} }, version: unknown = revision) => ({
  [`${ns}/protocolVersion`]: version,
  [`${ns}/clientInfo`]: { name: "test", version: "1" },
  [`${ns}/clientCapabilities`]: capabilities,
});

let router: SharedRouter;
let faulty: FaultyProvider;
let key = "";
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  faulty = await startFaultyProvider({ slowMs: 15_000 });
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  ({ key } = await createTenant(router, "modern", {
    provider: "openai",
    baseUrl: faulty.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  }));
});
afterAll(async () => {
  await faulty.stop();
});
beforeEach(() => {
  faulty.setMode("fine");
  faulty.clear();
});

interface Message {
  id?: unknown;
  method?: string;
  params?: unknown;
}
/** undefined: the header is left out */
type Headers_ = Record<string, string | undefined>;

/** Sends one message with its headers, unless others are given. */
async function post(
  message: Message,
  headers: Headers_ = {},
  signal?: AbortSignal,
): Promise<Answered> {
  const method = message.method ?? "sampling/createMessage";
  const all: Headers_ = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
    "Mcp-Method": method,
    ...headers,
  };
  const response = await fetch(`${router.url}/v1/sampling`, {
    method: "POST",
    headers: Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...message }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const body = data === "" ? null : (JSON.parse(data) as unknown);
  // On every answer: the modern era has no sessions.
  expect(response.headers.has("mcp-session-id")).toBe(false);
  return {
    status: response.status,
    headers: response.headers,
    body,
    text,
    get: (path) => at(body, path),
  };
}

const callWith = (meta: unknown, more: Record<string, unknown> = {}) => ({
  params: { ...asking("hello"), ...more, _meta: meta },
});
const call = (more: Record<string, unknown> = {}) => callWith(metaOf(), more);

const wrong = (answer: Answered, status: number, code: number): void => {
  expect([answer.status, answer.get("error.code")], answer.text).toEqual([status, code]);
  expect(answer.get("id")).toBe(1);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(faulty.requests()).toEqual([]);
};

describe("a request", () => {
  it.each(["sampling/createMessage", "sampling-router/createMessage"])(
    "is answered by %s, complete and without a session",
    async (method) => {
      for (const accept of ["application/json, text/event-stream", "application/json"]) {
        const answer = await post({ ...call(), method }, { Accept: accept });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toBe(accept.split(", ").at(-1));
        expect(answer.body).toMatchObject({
          jsonrpc: "2.0",
          id: 1,
          result: {
            resultType: "complete",
            role: "assistant",
            content: { type: "text", text: faultyText },
            model: "openai/gpt-4.1-mini",
            stopReason: "endTurn",
          },
        });
      }
    },
  );

  it("is discovered, never to be cached by others", async () => {
    const answer = await post({ method: "server/discover", params: { _meta: metaOf() } });
    expect(answer.get("result")).toMatchObject({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      capabilities: {
        extensions: {
          [`${ns}/content-negotiation`]: {},
          "sampling-router/hosted": {
            supportedModalities: ["text"],
            tools: false,
            context: false,
            offered: { tools: true, context: false },
          },
        },
      },
    });
    expect(answer.get("result.supportedVersions")).toContain(revision);
  });

  it("may be the params of an input_required entry with `_meta` beside them", async () => {
    // As captured from an official server. A legacy call has members around it, and this entry has
    // none.
    const entry = {
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: "hi" } }],
        maxTokens: 10,
      },
    };
    const answer = await post({ ...entry, params: { ...entry.params, _meta: metaOf() } });
    const { role, content, model, stopReason } = answer.get("result") as Record<string, unknown>;
    // The part that goes back in `inputResponses`.
    expect({ role, content, model, stopReason }).toEqual({
      role: "assistant",
      content: { type: "text", text: faultyText },
      model: "openai/gpt-4.1-mini",
      stopReason: "endTurn",
    });
  });

  it("may leave out who the client is, and say more than anybody knows", async () => {
    const { [`${ns}/clientInfo`]: _, ...meta } = metaOf();
    const answer = await post(callWith({ ...meta, progressToken: 7, "acme/trace": "x" }), {
      "Mcp-Param-Region": "eu",
      "Mcp-Name": "whatever",
    });
    expect(answer.body).toHaveProperty("result");
    const [sent] = faulty.requests();
    expect(sent?.body).not.toMatch(/progressToken|acme|Region|_meta/);
  });

  it("needs no session, and none is looked up", async () => {
    const answer = await post(call(), { "Mcp-Session-Id": "ses_00000000000000000000000000" });
    expect(answer.body).toHaveProperty("result");
    const sessions = await admin("GET", "/tenants/modern/sessions");
    expect(sessions.get("data")).toEqual([]);
  });

  it("declares its own capabilities, and nothing is kept of the request before", async () => {
    const tools = [{ name: "look", inputSchema: { type: "object" } }];
    const withTools = callWith(metaOf({ sampling: { tools: {} } }), { tools });
    expect((await post(withTools)).body).toHaveProperty("result");
    expect((await post(call({ tools }))).get("error.code")).toBe(-32021);
    expect((await post(withTools)).body).toHaveProperty("result");
  });

  it("that is a notification is acknowledged", async () => {
    const answer = await post({
      id: undefined,
      method: "notifications/cancelled",
      params: { requestId: 1, _meta: metaOf() },
    });
    expect([answer.status, answer.text]).toEqual([202, ""]);
  });
});

describe("400 and -32602", () => {
  it.each([
    ["no _meta", undefined, "protocolVersion"],
    ["a _meta that is text", "2026-07-28", "protocolVersion"],
    ["an empty _meta", {}, "protocolVersion"],
    ["no version", { ...metaOf(), [`${ns}/protocolVersion`]: undefined }, "protocolVersion"],
    ["a version that is a number", metaOf({}, 2026), "protocolVersion"],
    ["no capabilities", { [`${ns}/protocolVersion`]: revision }, "clientCapabilities"],
    ["capabilities that are a list", metaOf([]), "clientCapabilities"],
    ["capabilities that are null", metaOf(null), "clientCapabilities"],
  ])("for %s", async (_, meta, missing) => {
    const answer = await post(callWith(meta));
    wrong(answer, 400, -32602);
    expect(answer.get("error.data.path")).toBe(`_meta.${ns}/${missing}`);
  });

  it("for no params at all", async () => {
    wrong(await post({ method: "server/discover" }), 400, -32602);
  });
});

describe("200 and -32602", () => {
  it.each([
    ["no messages", { messages: undefined }, "messages"],
    ["maxTokens of 0", { maxTokens: 0 }, "maxTokens"],
    [
      "a tool use that nobody answers",
      { messages: [{ role: "assistant", content: [use()] }] },
      "messages.1",
    ],
  ])("for any other param that is wrong: %s", async (_, params, path) => {
    const answer = await post(call(params));
    wrong(answer, 200, -32602);
    expect(answer.get("error.data")).toMatchObject({ reason: "invalid_params", path });
  });
});

function use() {
  return { type: "tool_use", id: "a", name: "look", input: {} };
}

describe("400 and -32020", () => {
  it.each([
    ["MCP-Protocol-Version is missing", { "MCP-Protocol-Version": undefined }],
    ["MCP-Protocol-Version says a legacy revision", { "MCP-Protocol-Version": "2025-11-25" }],
    ["MCP-Protocol-Version says an unknown one", { "MCP-Protocol-Version": "2099-01-01" }],
    ["Mcp-Method is missing", { "Mcp-Method": undefined }],
    ["Mcp-Method says another", { "Mcp-Method": "tools/call" }],
    ["Mcp-Method says our other name", { "Mcp-Method": "sampling-router/createMessage" }],
  ])("where %s", async (_, headers: Headers_) => {
    const answer = await post(call(), headers);
    wrong(answer, 400, -32020);
    const [header = "", value] = Object.entries(headers)[0] ?? [];
    expect(answer.get("error.data")).toMatchObject({ header, missing: value === undefined });
  });

  it("for discovery too", async () => {
    const discover = { method: "server/discover", params: { _meta: metaOf() } };
    wrong(await post(discover, { "Mcp-Method": "ping" }), 400, -32020);
  });
});

describe("400 and -32022", () => {
  it.each(["2099-01-01", "1999-01-01", "DRAFT-2026-v1", ""])(
    "for the version %j",
    async (version) => {
      const answer = await post(callWith(metaOf({ sampling: {} }, version)), {
        "MCP-Protocol-Version": version,
      });
      wrong(answer, 400, -32022);
      const { requested, supported } = answer.get("error.data") as Record<string, unknown>;
      expect(requested).toBe(version);
      expect(supported).toEqual([revision, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
    },
  );

  it("for a version that only the header names", async () => {
    const answer = await post(callWith(undefined), { "MCP-Protocol-Version": "2099-01-01" });
    wrong(answer, 400, -32022);
    expect(answer.get("error.data.requested")).toBe("2099-01-01");
  });
});

describe("400 and -32021", () => {
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const image = { metadata: { "sampling-router/outputModalities": ["image"] } };
  it.each([
    ["sampling", {}, {}, { sampling: {} }],
    ["tools", { sampling: {} }, { tools }, { sampling: { tools: {} } }],
    ["toolChoice", { sampling: {} }, { toolChoice: { mode: "auto" } }, { sampling: { tools: {} } }],
    ["tools, without sampling", { roots: {} }, { tools }, { sampling: { tools: {} } }],
    [
      "an image, tools declared",
      { sampling: { tools: {} } },
      { tools, ...image },
      { sampling: { supportedModalities: ["image"] } },
    ],
    [
      "an image and tools",
      { sampling: { supportedModalities: ["text"] } },
      { tools, ...image },
      { sampling: { tools: {}, supportedModalities: ["image"] } },
    ],
  ])("names exactly what is missing: %s", async (_, declared, params, required) => {
    const answer = await post(callWith(metaOf(declared), params));
    wrong(answer, 400, -32021);
    expect(answer.get("error.data.requiredCapabilities")).toEqual(required);
    expect(answer.get("error.data.reason")).toBe("capability_missing");
  });
});

describe("404 and -32601", () => {
  it.each(["tools/list", "ping", "initialize", "acme/unheard-of", "__proto__"])(
    "for %s, which is no method here",
    async (method) => {
      const answer = await post({ method, params: { _meta: metaOf() } });
      wrong(answer, 404, -32601);
    },
  );
});

describe("the transport", () => {
  it("has no GET", async () => {
    const answer = await fetch(`${router.url}/v1/sampling`, {
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: "text/event-stream",
        "MCP-Protocol-Version": revision,
      },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain("POST");
  });

  it("takes no key in a modern request's params", async () => {
    const answer = await post(call(), { Authorization: undefined });
    expect([answer.status, answer.get("error.code")]).toEqual([401, -401]);
    expect(faulty.requests()).toEqual([]);
  });
});

describe("an origin", () => {
  /** `fetch` keeps some of these headers to itself. */
  const asked = (method: string, headers: Record<string, string>) =>
    new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      const sent = request(`${router.url}/v1/sampling`, { method, headers }, (response) => {
        response.resume().once("end", () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers });
        });
      });
      sent.once("error", reject);
      sent.end();
    });

  it.each(["https://evil.example", "null", `${allowedOrigin}.evil.example`, "https://console"])(
    "that nobody allowed is refused, with 403: %s",
    async (Origin) => {
      const answer = await post(call(), { Origin });
      expect(answer.status).toBe(403);
      expect(answer.headers.has("access-control-allow-origin")).toBe(false);
      expect(faulty.requests()).toEqual([]);
      const preflight = await asked("OPTIONS", {
        Origin,
        "Access-Control-Request-Method": "POST",
      });
      expect(preflight.status).toBe(403);
      expect(preflight.headers).not.toHaveProperty("access-control-allow-origin");
    },
  );

  it.each([allowedOrigin, otherAllowed])(
    "that ALLOWED_ORIGINS names may call: %s",
    async (Origin) => {
      const answer = await post(call(), { Origin });
      expect(answer.body).toHaveProperty("result");
      expect(answer.headers.get("access-control-allow-origin")).toBe(Origin);
      expect(answer.headers.get("vary")).toBe("Origin");
      const exposed = answer.headers.get("access-control-expose-headers") ?? "";
      for (const name of [
        "X-Request-Id",
        "RateLimit",
        "Retry-After",
        "Mcp-Session-Id",
        "ETag",
        "X-Next-Cursor",
        "Content-Disposition",
      ])
        expect(exposed).toContain(name);
    },
  );

  it("that is allowed gets its CORS headers with every refusal too", async () => {
    const answer = await post(
      { method: "ping", params: { _meta: metaOf() } },
      { Origin: allowedOrigin },
    );
    expect(answer.status).toBe(404);
    expect(answer.headers.get("access-control-allow-origin")).toBe(allowedOrigin);
  });

  it("that is allowed is told by the preflight what it may send", async () => {
    const { status, headers } = await asked("OPTIONS", {
      Origin: allowedOrigin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization, mcp-param-region, not a name",
    });
    expect(status).toBe(204);
    expect(headers["access-control-allow-origin"]).toBe(allowedOrigin);
    expect(String(headers["access-control-allow-methods"])).toMatch(/POST/);
    const allowed = String(headers["access-control-allow-headers"]).toLowerCase().split(", ");
    for (const name of [
      "authorization",
      "content-type",
      "accept",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-session-id",
      "idempotency-key",
    ])
      expect(allowed).toContain(name);
    expect(allowed).toContain("mcp-param-region");
    expect(allowed).not.toContain("not a name");
    // The key travels in a header that scripts set, so cookies mean nothing here.
    expect(headers).not.toHaveProperty("access-control-allow-credentials");
  });

  it("of the router itself may call", async () => {
    expect((await post(call(), { Origin: router.url })).body).toHaveProperty("result");
  });
});

describe("a caller that leaves", () => {
  it("has cancelled: the provider is let go within two seconds, and the record says so", async () => {
    faulty.setMode("slow");
    const leaving = new AbortController();
    const left = post(call(), {}, leaving.signal).catch((error: unknown) => error);
    await expect.poll(() => faulty.requests().length, { interval: 10 }).toBe(1);
    const page = await admin("GET", "/tenants/modern/requests?outcome=admitted");
    const id = String(page.get("data.0.id"));
    const leftAt = Date.now();
    leaving.abort();
    expect(await left).toMatchObject({ name: "AbortError" });
    const read = () => admin("GET", `/tenants/modern/requests/${id}`);
    await expect
      .poll(async () => (await read()).get("outcome"), { interval: 50, timeout: patient(5_000) })
      .toBe("cancelled");
    const record = await read();
    expect(Number(record.get("settledAt")) - leftAt).toBeLessThan(2_000);
    expect(record.body).toMatchObject({
      reason: "cancelled",
      attempts: [{ provider: "openai", fault: "cancelled" }],
    });
    // The call was not waited for, and no other provider was asked.
    expect(faulty.requests()).toHaveLength(1);
  });

  it("cancels no other caller's call", async () => {
    faulty.setMode("slow");
    const leaving = new AbortController();
    const left = post(call(), {}, leaving.signal).catch(() => null);
    await expect.poll(() => faulty.requests().length, { interval: 10 }).toBe(1);
    faulty.setMode("fine");
    const [answer] = await Promise.all([post(call()), left, leaving.abort()]);
    expect(answer.body).toHaveProperty("result");
  });
});
