/** A parked call in an object of its own: it outlives its client's requests, and what its client hears once it is gone. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { DurableObjectNamespace, DurableObjectStub } from "@cloudflare/workers-types";
import worker from "../../src/worker.ts?parked";
import { adminOf, createTenant, until } from "../fakes/caller.ts";
import { messagesOf, type Message } from "../fakes/sse-messages.ts";

const ns = "io.modelcontextprotocol";
const router = { url: "https://router.test", adminToken: "of-the-tests-of-parking" };
/** The objects, oldest first. */
const objects: DurableObjectStub[] = [];
const namespace = {
  newUniqueId: () => env.PARKED_CALLS.newUniqueId(),
  idFromString: (id: string) => env.PARKED_CALLS.idFromString(id),
  get(id: ReturnType<DurableObjectNamespace["newUniqueId"]>) {
    const object = env.PARKED_CALLS.get(id);
    objects.push(object);
    return object;
  },
};
const bindings = {
  ...env,
  ADMIN_TOKEN: router.adminToken,
  PARKED_CALLS: namespace as unknown as DurableObjectNamespace,
};

/** What the legacy server got. */
const heard: string[] = [];
const question = {
  jsonrpc: "2.0",
  id: "q",
  method: "elicitation/create",
  params: { message: "Name?", requestedSchema: { type: "object", properties: {} } },
};
/** The stream of the server's only open call. */
let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
const say = (message: object): void =>
  stream?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
/** Resolves when the server may answer a call whose question was answered. */
let answers = Promise.withResolvers<void>();

async function serve(request: Request): Promise<Response> {
  const text = await request.text();
  heard.push(`${request.method} ${text}`);
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const message = JSON.parse(text) as Message & { params?: { protocolVersion?: string } };
  if (message.method === "server/discover") return new Response(null, { status: 400 });
  if (message.method === "initialize") {
    const result = {
      protocolVersion: message.params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    };
    const headers = { "Mcp-Session-Id": crypto.randomUUID() };
    return Response.json({ jsonrpc: "2.0", id: message.id, result }, { headers });
  }
  if (message.method === "tools/call") {
    const { id } = message;
    const body = new ReadableStream<Uint8Array>({ start: (begun) => void (stream = begun) });
    say(question);
    void answers.promise.then(() =>
      say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } }),
    );
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }
  return new Response(null, { status: 202 });
}

const realFetch = globalThis.fetch;
let key = "";
beforeAll(async () => {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    return new URL(request.url).host === "router.test"
      ? worker.fetch(request, bindings)
      : serve(request);
  };
  await createTenant(router, "parks", { provider: "openai" });
  const admin = adminOf(router, router.adminToken);
  const entry = { slug: "s", url: "https://legacy.test/mcp", bridge: "always", parking: true };
  const made = await admin("POST", "/tenants/parks/servers", { ...entry, sampling: "router" });
  expect(made.status).toBe(201);
  const issued = await admin("POST", "/tenants/parks/keys", { name: "p", scopes: ["proxy"] });
  key = String(issued.get("key"));
  return () => void (globalThis.fetch = realFetch);
});
beforeEach(() => {
  heard.length = 0;
  objects.length = 0;
  answers = Promise.withResolvers();
});
afterEach(() => answers.resolve());

async function send(more: object = {}): Promise<Message> {
  const response = await fetch(`${router.url}/mcp/parks/s`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "t",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: {
        name: "t",
        arguments: {},
        ...more,
        _meta: {
          [`${ns}/protocolVersion`]: "2026-07-28",
          [`${ns}/clientInfo`]: { name: "test", version: "1" },
          [`${ns}/clientCapabilities`]: { elicitation: {} },
        },
      },
    }),
  });
  return (await messagesOf(response).next()).value ?? {};
}
async function begin() {
  const { result } = await send();
  expect(result).toMatchObject({ resultType: "input_required" });
  return {
    requestState: result?.["requestState"],
    inputResponses: { "sampling-router/question": { action: "accept", content: {} } },
  };
}
const callsHeard = () => heard.filter((each) => each.includes("tools/call")).length;
const isAnswered = () => heard.some((each) => each.includes('"action":"accept"')) || undefined;
const lost = "may have taken effect, and isn't repeated";

it("keeps the call between its client's requests, in one object", async () => {
  const given = await begin();
  const answered = send(given);
  await until(isAnswered);
  answers.resolve();
  expect((await answered).result).toMatchObject({ content: [{ text: "done" }] });
  expect(new Set(objects.map(({ id }) => String(id))).size).toBe(1);
  await until(() => heard.some((each) => each.startsWith("DELETE")) || undefined);
  const [object] = objects as [DurableObjectStub];
  const stored = await runInDurableObject(object, (_, { storage }) => storage.list());
  expect(stored.size).toBe(0);
});

/** As a deployment or a crash does. While a call is parked, the runtime doesn't evict its object. */
const reset = (): Promise<void> =>
  runInDurableObject(objects[0] as DurableObjectStub, (_, state) =>
    state.abort("reset by a test"),
  ).catch(() => {});

it("an object that is gone: the client hears that the call may have run, and nothing runs again", async () => {
  const given = await begin();
  await reset();
  for (let tries = 0; tries < 2; tries += 1)
    expect((await send(given)).error?.["message"]).toContain(lost);
  expect(callsHeard()).toBe(1);
});

it("an object that goes while its client waits: the client hears the same", async () => {
  const given = await begin();
  const answered = send(given);
  await until(isAnswered);
  await reset();
  expect((await answered).error?.["message"]).toContain(lost);
  expect(callsHeard()).toBe(1);
});
