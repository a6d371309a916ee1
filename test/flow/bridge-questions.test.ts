/** Questions of a modern server to a legacy client: who may answer them, once, and what ends them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { openRaw, proxyKey, register, until, type RawClient } from "../fakes/proxied.ts";
import {
  startRawServer,
  type RawReply,
  type RawRequest,
  type RawServer,
} from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { messagesOf } from "../fakes/sse-messages.ts";

const modern = "2026-07-28";
const tenant = "questions";
const form = { message: "Your name?", requestedSchema: { type: "object", properties: {} } };
let router: SharedRouter;
let server: RawServer;
let key = "";
let url = "";

beforeAll(async () => {
  router = await borrowRouter();
  server = await startRawServer({ probes: "scripted" });
  await createTenant(router, tenant, { provider: "openai", baseUrl: server.url });
  key = await proxyKey(router, tenant);
  url = await register(router, tenant, { slug: "asks", url: server.url });
});
afterAll(() => server?.stop());
beforeEach(() => {
  server.clear();
  server.handle(asking);
});

const answer = ({ json }: RawRequest, reply: RawReply, result: unknown): void =>
  reply.json({ jsonrpc: "2.0", id: json.id, result });

/** Asks until it has an answer, which it gives back with its state. */
function asking(request: RawRequest, reply: RawReply): void {
  const { method, params } = request.json;
  if (method === "server/discover")
    return answer(request, reply, {
      resultType: "complete",
      supportedVersions: [modern],
      capabilities: {},
    });
  if (method === "initialize") return reply.json({}, { status: 400 });
  if (method === "tools/list") return answer(request, reply, { resultType: "complete", tools: [] });
  const { inputResponses, requestState } = params ?? {};
  if (inputResponses !== undefined)
    return answer(request, reply, { resultType: "complete", inputResponses, requestState });
  answer(request, reply, {
    resultType: "input_required",
    inputRequests: { name: { method: "elicitation/create", params: form } },
    requestState: "theirs \u0000",
  });
}

const open = (token = key, at = url): Promise<RawClient> =>
  openRaw(at, token, { capabilities: { elicitation: {} } });
const calls = (): RawRequest[] =>
  server.requests().filter(({ json }) => json.method === "tools/call");
const accepts = (id: unknown, name = "Ada"): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { action: "accept", content: { name } } });

async function asked(client: RawClient, params: object = {}) {
  const response = await client.request("mine", "tools/call", { name: "t", ...params });
  const messages = messagesOf(response);
  const next = async () => (await messages.next()).value;
  const question = await next();
  expect(question).toMatchObject({ method: "elicitation/create", params: form });
  return { question, next };
}

it("a question is answered once, by the first answer of the caller who was asked", async () => {
  const client = await open();
  const { question, next } = await asked(client);
  const otherKey = await proxyKey(router, tenant);
  const otherUrl = await register(router, tenant, { slug: `other-${Date.now()}`, url: server.url });
  await createTenant(router, "strangers", { provider: "openai", baseUrl: server.url });
  const strangersKey = await proxyKey(router, "strangers");
  const strangersUrl = await register(router, "strangers", { slug: "asks", url: server.url });
  const text = accepts(question?.id, "Mallory");
  const crossed = [
    await (await open(otherKey)).post(text),
    await (await open()).post(text),
    await (await open(key, otherUrl)).post(text),
    await (await open(strangersKey, strangersUrl)).post(text),
    await client.post(accepts("qst_00000000000000000000000000")),
    await client.post(accepts(1)),
  ];
  // Crossed answers look like those to questions that were answered before.
  for (const response of crossed) {
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  }
  // In another caller's session.
  for (const [token, at] of [
    [otherKey, url],
    [strangersKey, url],
    [key, otherUrl],
  ] as const) {
    const headers = { "Mcp-Session-Id": client.sessionId ?? "", Authorization: `Bearer ${token}` };
    const stolen = await (await open(token, at).catch(() => client)).post(text, headers);
    expect(stolen.status).toBeGreaterThanOrEqual(400);
  }
  const both = await Promise.all([
    client.post(accepts(question?.id, "Ada")),
    client.post(accepts(question?.id, "Ada")),
  ]);
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  expect(await next()).toMatchObject({
    id: "mine",
    result: {
      inputResponses: { name: { action: "accept", content: { name: "Ada" } } },
      requestState: "theirs \u0000",
    },
  });
  expect((await client.post(accepts(question?.id, "Late"))).status).toBe(202);
  expect(calls()).toHaveLength(2);
  const [first, second] = calls();
  expect(first?.json.params?._meta?.["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
    elicitation: { form: {} },
  });
  expect(first?.json.id).not.toBe(second?.json.id);
});

it.each([
  ["an error", { error: { code: -32_000, message: "secret" } }],
  ["no action", { result: { action: "maybe" } }],
  ["a sampling result", { result: { role: "assistant", model: "m", content: [] } }],
])("%s ends the call, without the server", async (_, answered) => {
  const client = await open();
  const { question, next } = await asked(client);
  await client.post(JSON.stringify({ jsonrpc: "2.0", id: question?.id, ...answered }));
  const ended = await next();
  expect(ended).toMatchObject({ id: "mine", error: { code: -32603 } });
  expect(JSON.stringify(ended)).not.toContain("secret");
  expect(calls()).toHaveLength(1);
});

it("an answer that is too large is refused, and the question stays open", async () => {
  const client = await open();
  const { question, next } = await asked(client);
  expect((await client.post(accepts(question?.id, "x".repeat(300_000)))).status).toBe(413);
  await client.post(accepts(question?.id));
  expect(await next()).toMatchObject({ id: "mine", result: {} });
});

it("the end of the session ends the call", async () => {
  const client = await open();
  const { question, next } = await asked(client);
  expect((await client.end()).status).toBe(200);
  expect(await next()).toMatchObject({
    method: "notifications/cancelled",
    params: { requestId: question?.id },
  });
  expect(await next()).toMatchObject({
    id: "mine",
    error: { data: { reason: "session_not_found" } },
  });
  expect(calls()).toHaveLength(1);
});

it("a client that accepts no stream can't be asked, and the server isn't told that it can", async () => {
  const client = await open();
  const response = await client.post(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}',
    { Accept: "application/json" },
  );
  expect(await response.json()).toMatchObject({
    error: { data: { reason: "capability_missing" } },
  });
  expect(
    calls()[0]?.json.params?._meta?.["io.modelcontextprotocol/clientCapabilities"],
  ).not.toHaveProperty("elicitation");
});

describe("a client with a progress token", () => {
  it("hears of progress while its user is waited for", async () => {
    const client = await open();
    const { question, next } = await asked(client, { _meta: { progressToken: "p" } });
    expect(await next()).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p" },
    });
    await client.post(accepts(question?.id));
    await until(() => calls().length === 2);
  });
});
