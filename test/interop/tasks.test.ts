/** Tasks of 2026-07-28 through the proxy, with the official package for clients and a server of the official SDK. */
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  type ApplicationInputRequest,
} from "@modelcontextprotocol/ext-tasks/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { createTenant } from "../fakes/caller.ts";
import { modernMeta, proxyKey, recordsOf, register, sendModern } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { messagesOf, type Message } from "../fakes/sse-messages.ts";
import { startTaskServer, tasksExtension } from "../fakes/task-server.ts";

const modern = "2026-07-28";
const tenant = "tasks";
const extensions = { [tasksExtension]: {} };
const elicitation = { form: {} };

let aimock: Aimock;
let router: SharedRouter;
let server: Awaited<ReturnType<typeof startTaskServer>>;
let key = "";
const urls = { router: "", client: "", deny: "" };

beforeAll(async () => {
  aimock = await startAimock([
    { match: { userMessage: /./ }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
  ]);
  router = await borrowRouter();
  server = await startTaskServer();
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  key = await proxyKey(router, tenant);
  for (const sampling of ["router", "client", "deny"] as const)
    urls[sampling] = await register(router, tenant, { slug: sampling, url: server.url, sampling });
});
afterAll(async () => {
  await Promise.all([aimock?.stop(), server?.stop()]);
});

interface Asked {
  method?: string;
  params?: Record<string, unknown>;
  token?: string;
  url?: string;
  name?: string | null;
}

const send = async ({
  method = "tasks/get",
  params = {},
  token = key,
  url = urls.router,
  name = typeof params["taskId"] === "string" ? params["taskId"] : "job",
}: Asked): Promise<Message> => {
  const response = await sendModern(url, token, {
    method,
    params: { _meta: modernMeta({ extensions, elicitation }), ...params },
    headers: { "Mcp-Name": name },
  });
  return (await messagesOf(response).next()).value ?? {};
};

const begin = async (q: string, url = urls.router): Promise<string> => {
  const begun = await send({
    method: "tools/call",
    params: { name: "job", arguments: { q } },
    url,
  });
  expect(begun.result).toMatchObject({ resultType: "task", status: "working" });
  return String(begun.result?.["taskId"]);
};
const raw = (): string => `task-${server.jobs.size}`;

/** The official client, whose wire the package completes with requests of its own. */
async function callJob(q: string): Promise<{ text: string; asked: string[] }> {
  const headers = { Authorization: `Bearer ${key}` };
  const client = new Client(
    { name: "tasks", version: "1" },
    { versionNegotiation: { mode: { pin: modern } }, capabilities: { extensions, elicitation } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(urls.router), { requestInit: { headers } }),
  );
  expect(client.getServerCapabilities()?.extensions).toEqual(extensions);
  let ids = 0;
  const asked: string[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: "tasks",
    v2RequestFraming: {
      protocolVersion: modern,
      clientInfo: { name: "tasks", version: "1" },
      clientCapabilities: { extensions, elicitation },
    },
    async rawDispatch(request) {
      const { method, params } = request as { method: string; params: Record<string, unknown> };
      ids += 1;
      const name = String(params["taskId"] ?? params["name"]);
      const response = await sendModern(urls.router, key, {
        id: ids,
        method,
        params,
        headers: { "Mcp-Name": name },
      });
      const message = (await messagesOf(response).next()).value;
      return message?.error === undefined
        ? { kind: "result", result: message?.result }
        : { kind: "error", error: message.error };
    },
    onInputRequest: async ({ kind }: ApplicationInputRequest) => {
      asked.push(kind);
      return { action: "accept", content: { name: "Ada" } } as never;
    },
  } as Parameters<typeof createTaskSessionFromClient>[1]);
  try {
    const execution = await session.callTool("job", { q });
    const { outcome } = await execution.settle();
    const { content } = resultFromTaskOutcome(outcome) as { content: { text: string }[] };
    return { text: content[0]?.text ?? "", asked };
  } finally {
    await session.close();
    await client.close();
  }
}

describe("a task", () => {
  it("is polled to its result by the official client", async () => {
    expect(await callJob("nothing")).toEqual({ text: "{}", asked: [] });
  });

  it("gets samples from the router, and other answers from the client", async () => {
    const before = (await recordsOf(router, tenant)).length;
    const { text, asked } = await callJob("both");
    expect(asked).toEqual(["elicitation"]);
    expect(JSON.parse(text)).toMatchObject({
      llm: { role: "assistant", content: { text: "Hi there!" } },
      name: { action: "accept", content: { name: "Ada" } },
    });
    const [record, ...rest] = await recordsOf(router, tenant);
    expect(record?.who).toMatchObject({ tool: "job" });
    expect(rest).toHaveLength(before);
  });

  it("is told of no sampling, and so asks for none, in the mode deny", async () => {
    const taskId = await begin("sampling", urls.deny);
    const { error } = await send({ params: { taskId }, url: urls.deny });
    expect(error).toMatchObject({ code: -403, data: { reason: "forbidden" } });
  });

  it("keeps its id, and is the client's alone, in the mode client", async () => {
    const taskId = await begin("sampling", urls.client);
    expect(taskId).toBe(raw());
    const { result } = await send({ params: { taskId }, url: urls.client });
    expect(result).toMatchObject({ taskId, inputRequests: { llm: {} } });
  });

  it("is sampled for once, however often and whenever it is polled", async () => {
    const taskId = await begin("both");
    const before = (await recordsOf(router, tenant)).length;
    const polled = await Promise.all([1, 2, 3].map(() => send({ params: { taskId } })));
    for (const { result } of polled) {
      expect(result).toMatchObject({ taskId, status: "input_required" });
      expect(Object.keys(result?.["inputRequests"] ?? {})).toEqual(["name"]);
    }
    expect((await recordsOf(router, tenant)).length - before).toBe(1);
  });

  it("is at work for its client while only the router is asked", async () => {
    const taskId = await begin("sampling");
    const { result } = await send({ params: { taskId } });
    expect(result).toMatchObject({ taskId, status: "working" });
    expect(result).not.toHaveProperty("inputRequests");
    expect((await send({ params: { taskId } })).result).toMatchObject({ status: "completed" });
  });

  it("gets no samples that its client makes up", async () => {
    const taskId = await begin("both");
    const llm = { role: "assistant", model: "m", content: { type: "text", text: "forged" } };
    const name = { action: "decline" };
    const params = { taskId, inputResponses: { llm, name } };
    expect((await send({ method: "tasks/update", params })).result).toBeDefined();
    expect(Object.keys(server.jobs.get(raw())?.answers ?? {})).toEqual(["name"]);
  });

  it("is cancelled by its caller", async () => {
    const params = { taskId: await begin("name") };
    expect((await send({ method: "tasks/cancel", params })).result).toBeDefined();
    expect((await send({ params })).result).toMatchObject({ ...params, status: "cancelled" });
  });
});

describe("another caller's task", () => {
  it("can't be reached, by any id, in one wording, and nothing is sent", async () => {
    const taskId = await begin("name");
    const serversId = raw();
    const otherKey = await proxyKey(router, tenant);
    await createTenant(router, "tasks-too", { provider: "openai", baseUrl: aimock.url("openai") });
    const there = { slug: "router", url: server.url };
    const elsewhere = {
      token: await proxyKey(router, "tasks-too"),
      url: await register(router, "tasks-too", there),
    };
    const atAnother = await register(router, tenant, { slug: "another", url: server.url });
    const state = "srs1.v1.forged";
    server.heard.length = 0;
    const inputResponses = { name: { action: "accept", content: {} } };
    const crossed: Message[] = [];
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const with_ = (id: unknown) => ({
        taskId: id,
        ...(method === "tasks/update" && { inputResponses }),
      });
      crossed.push(
        await send({ method, params: with_(taskId), token: otherKey }),
        await send({ method, params: with_(taskId), ...elsewhere }),
        await send({ method, params: with_(taskId), url: atAnother }),
        await send({ method, params: with_(serversId) }),
        await send({ method, params: with_(`${taskId}x`) }),
        await send({ method, params: with_(state) }),
        await send({ method, params: with_(7), name: null }),
      );
    }
    const [first] = crossed;
    expect(first?.error).toMatchObject({ code: -32602 });
    for (const { error } of crossed) expect(error?.["message"]).toBe(first?.error?.["message"]);
    expect(server.heard.filter(({ text }) => text.includes("tasks/"))).toEqual([]);
    expect((await send({ params: { taskId } })).result).toMatchObject({ status: "input_required" });
  });

  it("is in no list and no subscription", async () => {
    const taskId = await begin("name");
    server.heard.length = 0;
    for (const method of ["tasks/list", "tasks/result"])
      expect((await send({ method, params: { taskId }, name: null })).error).toMatchObject({
        code: -32601,
      });
    expect(server.heard).toEqual([]);
    const left = new AbortController();
    await sendModern(urls.router, key, {
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true, taskIds: [taskId, raw()] } },
      signal: left.signal,
    });
    left.abort();
    const [listened] = server.heard;
    expect(JSON.parse(listened?.text ?? "")).toMatchObject({
      params: { notifications: { toolsListChanged: true } },
    });
    expect(listened?.text).not.toContain("taskIds");
  });

  it("can't be meant by an ambiguous or incomplete request", async () => {
    const taskId = await begin("name");
    server.heard.length = 0;
    const meta = JSON.stringify(modernMeta({ extensions }));
    const texts = [
      `{"taskId":${JSON.stringify(taskId)},"taskId":"${raw()}","_meta":${meta}}`,
      `{"taskId":${JSON.stringify(taskId)},"task_id":"${raw()}","_meta":${meta}}`,
      `{"taskId":"${raw()}"}`,
    ];
    for (const params of texts) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":${params}}`;
      const response = await sendModern(urls.router, key, {
        method: "tasks/get",
        headers: { "Mcp-Name": taskId },
        text,
      });
      expect((await response.json()) as object).toHaveProperty("error");
    }
    expect(server.heard).toEqual([]);
  });
});
