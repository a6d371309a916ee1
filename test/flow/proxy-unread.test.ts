/**
 * Client messages in forms that lead past the era's own reading. Whatever the client sends, a sampling request of the
 * server never reaches it where the router answers sampling or refuses it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { modernMeta, openRaw, proxyKey, register } from "../fakes/proxied.ts";
import { startRawServer, type RawReply, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "unread";
const modes = ["router", "client-then-router", "deny"] as const;
const secret = "what only the router may see";

let router: SharedRouter;
let server: RawServer;
let key = "";
let asJson = false;
/** The server's answer asks in a result, and not in a request of its own. */
let inResult = false;
/** bytes in front of what the server asks, so that its result passes while it arrives */
let padding = "";

const asking = {
  jsonrpc: "2.0",
  id: "s1",
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text: secret } }],
    maxTokens: 9,
  },
};

/** Asks to sample, whatever comes, and then answers. */
const answer = (id: unknown, reply: RawReply): void => {
  if (inResult) {
    const { method, params } = asking;
    const inputRequests = { a: { method, params } };
    const result = { padding, resultType: "input_required", inputRequests };
    const message = { jsonrpc: "2.0", id, result };
    if (asJson) return reply.json(message);
    return reply.text(`data: ${JSON.stringify(message)}\n\n`, {
      headers: { "Content-Type": "text/event-stream" },
    });
  }
  if (asJson) return reply.json(asking);
  const last = { jsonrpc: "2.0", id, result: { resultType: "complete", tools: [] } };
  const events = [asking, last].map((each) => `data: ${JSON.stringify(each)}\n\n`);
  reply.text(events.join(""), { headers: { "Content-Type": "text/event-stream" } });
};

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer()]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  for (const mode of [...modes, "client"])
    await register(router, tenant, { slug: mode, url: server.url, sampling: mode });
  server.handle(({ json: { id, method } }, reply) => {
    if (method !== "initialize") return answer(id, reply);
    const capabilities = { tools: {} };
    const serverInfo = { name: "s", version: "1" };
    reply.json(
      { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } },
      { headers: { "Mcp-Session-Id": "s-1" } },
    );
  });
});
afterAll(() => server?.stop());

const rpc = (method: string, params: object, more: object = { id: 1 }): object => ({
  jsonrpc: "2.0",
  ...more,
  method,
  params,
});
const call = { name: "ask", arguments: {} };
const complete = modernMeta({});
const halfMeta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const era = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask" };
const future = { "MCP-Protocol-Version": "2099-01-01" };

interface Sent {
  headers: Record<string, string>;
  inSession?: true;
  /** absent: GET */
  body?: object;
  /** absent: the server's own answer, without its request */
  refused?: number;
}
const forms: [string, Sent][] = [
  [
    "an unknown revision in a session",
    { headers: future, inSession: true, body: rpc("tools/call", call), refused: 400 },
  ],
  [
    "a GET with an unknown revision in a session",
    { headers: future, inSession: true, refused: 400 },
  ],
  [
    "2026-07-28 in a session, in the header alone",
    { headers: era, inSession: true, body: rpc("tools/call", call), refused: 400 },
  ],
  ["an unknown revision without a session", { headers: future, body: rpc("tools/call", call) }],
  ["a GET with an unknown revision without a session", { headers: future }],
  [
    "a request with half a _meta",
    { headers: era, body: rpc("tools/call", { ...call, _meta: halfMeta }) },
  ],
  [
    "a request with rounds",
    { headers: era, body: rpc("tools/call", { ...call, _meta: complete }) },
  ],
  [
    "a request without rounds",
    {
      headers: { ...era, "Mcp-Method": "tools/list" },
      body: rpc("tools/list", { _meta: complete }),
    },
  ],
  ["a notification", { headers: era, body: rpc("notifications/x", { _meta: complete }, {}) }],
  [
    "an id of null",
    { headers: era, body: rpc("tools/call", { ...call, _meta: complete }, { id: null }) },
  ],
  [
    "a state in a message with an id of null",
    {
      headers: era,
      body: rpc("tools/call", { ...call, requestState: "x", _meta: complete }, { id: null }),
      refused: 400,
    },
  ],
  [
    "answers in a message without an id",
    {
      headers: era,
      body: rpc("tools/call", { ...call, inputResponses: { a: {} }, _meta: complete }, {}),
      refused: 400,
    },
  ],
  [
    "a request of 2026-07-28 in a batch",
    { headers: era, body: [rpc("tools/call", { ...call, _meta: complete })], refused: 400 },
  ],
];

describe.each(modes)("in the mode %s", (mode) => {
  afterEach(() => {
    [inResult, padding] = [false, ""];
  });

  it.each(
    ["tools/list", "server/discover", "completion/complete", "subscriptions/listen"].flatMap(
      (method) =>
        [true, false].flatMap((json) =>
          [0, 200_000].map((bytes) => [method, json, bytes] as const),
        ),
    ),
  )("no result of %s asks the client to sample (JSON: %s, after %i bytes)", async (...given) => {
    const [method, json, bytes] = given;
    [asJson, inResult, padding] = [json, true, "x".repeat(bytes)];
    const response = await fetch(`${router.url}/mcp/${tenant}/${mode}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...era,
        "Mcp-Method": method,
      },
      body: JSON.stringify(rpc(method, { _meta: complete })),
    });
    const parts: string[] = [];
    const decoder = new TextDecoder();
    // What had begun to pass breaks off.
    await (async () => {
      for await (const part of response.body ?? []) parts.push(decoder.decode(part));
    })().catch(() => undefined);
    const text = parts.join("");
    expect(text).not.toContain(secret);
    if (bytes === 0) expect(text).toContain('"reason":"server_failed"');
  });

  it("no result of a round's method asks it either, where its _meta is half", async () => {
    [asJson, inResult] = [true, true];
    const response = await fetch(`${router.url}/mcp/${tenant}/${mode}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...era },
      body: JSON.stringify(rpc("tools/call", { ...call, _meta: halfMeta })),
    });
    expect(await response.text()).not.toContain(secret);
  });

  it.each(
    forms.flatMap(([name, sent]) => [false, true].map((json) => [name, json, sent] as const)),
  )(
    "no sampling request reaches the client: %s (JSON: %s)",
    async (_, json, { headers, inSession, body, refused }) => {
      asJson = json;
      const url = `${router.url}/mcp/${tenant}/${mode}`;
      const session = inSession === true ? (await openRaw(url, key)).sessionId : null;
      server.clear();
      const response = await fetch(url, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...headers,
          ...(session === null ? {} : { "Mcp-Session-Id": session }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect(text).not.toContain(secret);
      if (refused === undefined) return;
      expect(response.status, text).toBe(refused);
      expect(server.requests()).toEqual([]);
    },
  );
});

it("the mode client passes an unknown revision on, for the server to refuse", async () => {
  asJson = false;
  const url = `${router.url}/mcp/${tenant}/client`;
  const client = await openRaw(url, key);
  const response = await client.post(JSON.stringify(rpc("tools/call", call)), future);
  expect(await response.text()).toContain(secret);
});
