/** Each limit of a registered server's own policy, in both eras: what it stops, what it says, and whom it leaves alone. */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageResultWithToolsSchema,
  type McpError,
  type CreateMessageRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import {
  connectThrough,
  proxyKey,
  register,
  sendModern,
  until,
  type Proxied,
} from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "proxy-policies";
const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];

let provider: FaultyProvider;
let router: SharedRouter;
let servers: { legacy: FakeServer; modern: RawServer };
let admin: ReturnType<typeof adminOf>;
let key = "";
const clients: Proxied[] = [];

/** Samples with the params that it is called with, and says what it got. */
function samples(server: McpServer): void {
  server.registerTool("ask", { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    const params = JSON.parse(text) as CreateMessageRequest["params"];
    const said = await extra
      .sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultWithToolsSchema)
      .then(
        (result) => ({ result }),
        ({ code, message, data }: McpError) => ({ error: { code, message, data } }),
      );
    return { content: [{ type: "text", text: JSON.stringify(said) }] };
  });
}

beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs: 4_000 });
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  // A thousand dollars a million tokens: 17 tokens of an answer are 17,000 micro-USD.
  const price = { inputUsdPerMTok: 1_000, outputUsdPerMTok: 1_000, tools: true };
  await createTenant(router, tenant, {
    provider: "openai-compatible",
    baseUrl: provider.url("openai-compatible"),
    models: [
      { id: "one", ...price },
      { id: "two", ...price },
    ],
  });
  key = await proxyKey(router, tenant);
  servers = { legacy: await startSdkServer({ build: samples }), modern: await startRawServer() };
  servers.modern.handle(({ json: { id, params } }, reply) => {
    const answered = params?.inputResponses?.["llm"];
    const asked = JSON.parse(String(at(params, "arguments.text"))) as unknown;
    reply.json({
      jsonrpc: "2.0",
      id,
      result:
        answered === undefined
          ? {
              resultType: "input_required",
              inputRequests: { llm: { method: "sampling/createMessage", params: asked } },
            }
          : { resultType: "complete", content: [], answered },
    });
  });
});
afterAll(async () => {
  await Promise.all(clients.map(({ client }) => client.close()));
  await Promise.all([servers?.legacy.stop(), servers?.modern.stop(), provider?.stop()]);
});
beforeEach(() => {
  provider.setMode("fine");
  provider.clear();
});

/** What came of a sampling request: in the legacy era as its server sees it, in the modern one as the client does. */
interface Outcome {
  result?: { model: string; content: { text: string } };
  error?: { code: number; message: string; data: Record<string, unknown> };
}
interface Registered {
  id: string;
  slug: string;
  ask(text: string, more?: Record<string, unknown>): Promise<Outcome>;
}

const paramsOf = (text: string, more: Record<string, unknown>) => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 50,
  ...more,
});

async function askModern(url: string, text: string): Promise<Outcome> {
  const response = await sendModern(url, key, {
    params: { name: "ask", arguments: { text } },
    headers: { Accept: "application/json" },
  });
  // What a sampling caller must understand: never in the status, which clients read alone.
  expect(response.status).toBe(200);
  const { error, result } = (await response.json()) as Outcome & {
    result?: { answered: NonNullable<Outcome["result"]> };
  };
  if (error !== undefined) return { error };
  return result === undefined ? {} : { result: result.answered };
}

let slugs = 0;
async function registered(era: Era, policy: object): Promise<Registered> {
  const slug = `s${(slugs += 1)}`;
  const url = await register(router, tenant, { slug, url: servers[era].url, policy });
  const entry = await admin("GET", `/tenants/${tenant}/servers/${slug}`);
  let through: Proxied | null = null;
  return {
    id: String(entry.get("id")),
    slug,
    async ask(text, more = {}) {
      const params = JSON.stringify(paramsOf(text, more));
      if (era === "modern") return askModern(url, params);
      if (through === null) clients.push((through = await connectThrough(url, key)));
      return JSON.parse(await through.call("ask", params)) as Outcome;
    },
  };
}

interface Recorded {
  outcome: string;
  reason: string | null;
  reasonDetail: string | null;
  who: { serverId: string };
  costMicroUsd: number | null;
}
/** The audit records of a server, newest first. */
async function recordsOf({ id }: Registered): Promise<Recorded[]> {
  const page = await admin("GET", `/tenants/${tenant}/requests?limit=200&server=${id}`);
  return page.get("data") as Recorded[];
}

const isAnswered = { result: { content: { type: "text", text: faultyText } } };
const sentToProvider = () =>
  provider.requests().map(({ body }) => JSON.parse(body) as Record<string, unknown>);

/** The newest record of the one says the refusal; the other of the tenant has succeeded throughout. */
async function expectRefused(
  limited: Registered,
  other: Registered,
  reason: string,
): Promise<Recorded[]> {
  const [refused, ...before] = await recordsOf(limited);
  expect(refused).toMatchObject({ outcome: "refused", reason, who: { serverId: limited.id } });
  expect(refused?.costMicroUsd ?? 0).toBe(0);
  expect(await other.ask("and the other?")).toMatchObject(isAnswered);
  const others = await recordsOf(other);
  expect(others.length).toBeGreaterThan(0);
  for (const record of others)
    expect(record).toMatchObject({
      outcome: "succeeded",
      reason: null,
      who: { serverId: other.id },
    });
  return before;
}

describe.each(eras)("a server's own policy, %s era", (era) => {
  const pair = async (policy: object): Promise<[Registered, Registered]> => [
    await registered(era, policy),
    await registered(era, {}),
  ];

  it("requestsPerMinute: the third of two is refused, with when to come back", async () => {
    const [limited, other] = await pair({ limits: { requestsPerMinute: 2 } });
    for (let count = 0; count < 2; count += 1) {
      expect(await limited.ask("hi")).toMatchObject(isAnswered);
      expect(await other.ask("hi")).toMatchObject(isAnswered);
    }
    const { error } = await limited.ask("hi");
    expect(error).toMatchObject({
      code: -429,
      message: expect.stringContaining("Rate limit exceeded"),
      data: {
        reason: "rate_limited",
        limit: "server.requestsPerMinute",
        requestId: expect.stringMatching(/^req_/),
      },
    });
    expect(error?.data["retryAfterMs"]).toBeGreaterThan(0);
    expect(error?.data["retryAfterMs"]).toBeLessThanOrEqual(61_000);
    expect(provider.requests()).toHaveLength(4);
    const before = await expectRefused(limited, other, "rate_limited");
    expect(before.map(({ outcome }) => outcome)).toEqual(["succeeded", "succeeded"]);
  });

  it("tokensPerMinute: counts what a request reserves", async () => {
    const [limited, other] = await pair({ limits: { tokensPerMinute: 500 } });
    expect(await limited.ask("hi")).toMatchObject(isAnswered);
    // This is less than the limit, and more than the first call left of it.
    const { error } = await limited.ask("hi", { maxTokens: 487 });
    expect(error).toMatchObject({
      code: -429,
      data: { reason: "rate_limited", limit: "server.tokensPerMinute" },
    });
    expect(error?.data["retryAfterMs"]).toBeGreaterThan(0);
    // Larger than the limit itself: there is no use in coming back.
    expect((await limited.ask("hi", { maxTokens: 501 })).error?.data).toMatchObject({
      limit: "server.tokensPerMinute",
      retryAfterMs: null,
    });
    expect(await other.ask("hi", { maxTokens: 501 })).toMatchObject(isAnswered);
    expect(provider.requests()).toHaveLength(2);
    await expectRefused(limited, other, "rate_limited");
  });

  it("concurrent: one at a time, and the next as soon as it is over", async () => {
    const [limited, other] = await pair({ limits: { concurrent: 1 } });
    provider.setMode("slow");
    const first = limited.ask("first");
    await until(() => provider.requests().length === 1);
    const beside = other.ask("beside");
    expect((await limited.ask("second")).error).toMatchObject({
      code: -429,
      data: { reason: "rate_limited", limit: "server.concurrent", retryAfterMs: 1_000 },
    });
    await until(() => provider.requests().length === 2);
    expect(await first).toMatchObject(isAnswered);
    expect(await beside).toMatchObject(isAnswered);
    provider.setMode("fine");
    await expectRefused(limited, other, "rate_limited");
    expect(await limited.ask("third")).toMatchObject(isAnswered);
  });

  it.each([
    ["usdPerDay", 24 * 3_600_000],
    ["usdPerMonth", 31 * 24 * 3_600_000],
  ])("%s: no call begins that might cost more than is left", async (limit, windowMs) => {
    const budget = 0.1;
    const [limited, other] = await pair({ limits: { [limit]: budget } });
    let last: Outcome = {};
    for (let count = 0; count < 12 && last.error === undefined; count += 1)
      last = await limited.ask("hi");
    expect(last.error).toMatchObject({
      code: -402,
      message: expect.stringContaining("Budget exceeded"),
      data: { reason: "budget_exceeded", limit: `server.${limit}` },
    });
    expect(last.error?.data["retryAfterMs"]).toBeGreaterThan(0);
    expect(last.error?.data["retryAfterMs"]).toBeLessThanOrEqual(windowMs);
    const paid = await expectRefused(limited, other, "budget_exceeded");
    // A call counts with what it cost, 17 tokens, and not with what it reserved.
    expect(paid.length).toBeGreaterThan(1);
    expect(paid.map(({ costMicroUsd }) => costMicroUsd)).toEqual(paid.map(() => 17_000));
    expect(paid.length * 17_000).toBeLessThanOrEqual(budget * 1_000_000);
  });

  it("maxTokens: a larger maxTokens is lowered to the policy's, and a smaller one is not", async () => {
    const [limited, other] = await pair({ maxTokens: 30 });
    for (const maxTokens of [500, 10]) {
      expect(await limited.ask("hi", { maxTokens })).toMatchObject(isAnswered);
      expect(await other.ask("hi", { maxTokens })).toMatchObject(isAnswered);
    }
    expect(sentToProvider().map(({ max_tokens }) => max_tokens)).toEqual([30, 500, 10, 10]);
    for (const each of [limited, other])
      expect((await recordsOf(each)).map(({ outcome }) => outcome)).toEqual([
        "succeeded",
        "succeeded",
      ]);
  });

  it.each([
    ["allowedModels", { allowedModels: ["*/two"] }],
    ["deniedModels", { deniedModels: ["*/one"] }],
  ])("%s: whatever is hinted, no other model is called", async (_, policy) => {
    const [limited, other] = await pair(policy);
    const hinted = { modelPreferences: { hints: [{ name: "one" }] } };
    expect((await limited.ask("hi", hinted)).result?.model).toBe("openai-compatible/two");
    expect((await other.ask("hi", hinted)).result?.model).toBe("openai-compatible/one");
    expect(sentToProvider().map(({ model }) => model)).toEqual(["two", "one"]);
    const none = await registered(era, { deniedModels: ["*"] });
    const { error } = await none.ask("hi", hinted);
    expect(error).toMatchObject({ code: -422, data: { reason: "no_eligible_model" } });
    expect(error?.data["candidates"]).toContainEqual({
      model: "openai-compatible/one",
      excludedBy: "not_allowed",
    });
    expect(provider.requests()).toHaveLength(2);
    await expectRefused(none, other, "no_eligible_model");
  });

  it("toolRounds: a history with more rounds is refused", async () => {
    const [limited, other] = await pair({ toolRounds: 1 });
    const turn = (id: string) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: id, content: [] }] },
    ];
    const history = (...ids: string[]) => ({
      tools: [{ name: "look", inputSchema: { type: "object" } }],
      messages: [
        { role: "user", content: { type: "text", text: "hi" } },
        ...ids.flatMap((id) => turn(id)),
      ],
    });
    const text = { result: { content: expect.anything() as unknown } };
    expect(await limited.ask("", history("a"))).toMatchObject(text);
    expect((await limited.ask("", history("a", "b"))).error).toMatchObject({
      code: -403,
      data: { reason: "forbidden", action: "more than 1 tool rounds" },
    });
    expect(await other.ask("", history("a", "b"))).toMatchObject(text);
    expect(provider.requests()).toHaveLength(2);
    await expectRefused(limited, other, "forbidden");
  });

  it("disabled: takes effect at once, also on a server in use, and can be undone", async () => {
    const [limited, other] = await pair({});
    expect(await limited.ask("on")).toMatchObject(isAnswered);
    const turn = async (policy: object): Promise<void> => {
      const path = `/tenants/${tenant}/servers/${limited.slug}`;
      expect((await admin("PATCH", path, { policy })).status).toBe(200);
    };
    await turn({ disabled: true });
    provider.clear();
    // The very next one: what an isolate remembers of the server must not let it through.
    expect((await limited.ask("off")).error).toMatchObject({
      code: -403,
      message: expect.stringContaining("Forbidden"),
      data: { reason: "forbidden", action: expect.stringContaining("switched off") },
    });
    expect(provider.requests()).toEqual([]);
    await expectRefused(limited, other, "forbidden");
    await turn({ disabled: null });
    await until(async () => (await limited.ask("on again")).result !== undefined, 15_000);
  });
});

describe("a policy of both", () => {
  it("the narrower policy of tenant and server counts, and the refusal names its owner", async () => {
    const slug = "proxy-both";
    await createTenant(router, slug, {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [{ id: "one", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
      policy: { maxTokens: 20, limits: { requestsPerMinute: 3 } },
    });
    const token = await proxyKey(router, slug);
    const policies = [{ maxTokens: 40, limits: { requestsPerMinute: 1 } }, { maxTokens: 7 }];
    const through = await Promise.all(
      policies.map(async (policy, n) => {
        const url = servers.legacy.url;
        const proxied = await register(router, slug, { slug: `b${n}`, url, policy });
        const client = await connectThrough(proxied, token);
        clients.push(client);
        return async () =>
          JSON.parse(await client.call("ask", JSON.stringify(paramsOf("hi", {})))) as Outcome;
      }),
    );
    const [first, second] = through as [() => Promise<Outcome>, () => Promise<Outcome>];
    expect(await first()).toMatchObject(isAnswered);
    expect((await first()).error?.data["limit"]).toBe("server.requestsPerMinute");
    for (let count = 0; count < 2; count += 1) expect(await second()).toMatchObject(isAnswered);
    // Three were admitted, and the refused one took nobody's room.
    expect((await second()).error?.data["limit"]).toBe("tenant.requestsPerMinute");
    expect(sentToProvider().map(({ max_tokens }) => max_tokens)).toEqual([20, 7, 7]);
  });
});
