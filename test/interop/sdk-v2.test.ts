/** The official client of both eras against the product as it is started. */
import {
  Client,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  type ClientCapabilities,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, asking, at, createTenant } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { decisionOf, weatherTool } from "../fixtures/interop/client.ts";
import { patient } from "../setup/patience.ts";

const clientInfo = { name: "interop-v2", version: "2.3.4" };
const capabilities: ClientCapabilities = {
  sampling: { tools: {} },
  extensions: {
    "io.modelcontextprotocol/content-negotiation": { version: "1.0", features: ["agent"] },
  },
};
const usage = usageOf(21, 5);
const modern = "2026-07-28";
const policy = { allowedModels: ["openai/gpt-4.1-mini"] };

/** How a program can be set up to find out who it talks to, and what it must find. */
const setups = [
  {
    name: "left as it is",
    mode: undefined,
    era: "legacy",
    revision: "2025-11-25",
    method: "sampling/createMessage",
  },
  {
    name: "pinned to the modern revision",
    mode: { pin: modern },
    era: "modern",
    revision: modern,
    method: "sampling-router/createMessage",
  },
  {
    name: "asking first",
    mode: "auto",
    era: "modern",
    revision: modern,
    method: "sampling-router/createMessage",
  },
] as const;

interface Sent {
  method: string;
  headers: Headers;
  body: unknown;
  status: number;
  answered: Headers;
}

interface Connected {
  client: Client;
  sample(params: object, method?: string): ReturnType<typeof request>;
  /** what went over the wire, oldest first */
  sent: Sent[];
}

const request = async (client: Client, method: string, params: object, signal?: AbortSignal) =>
  client.request(
    { method, params: params as Record<string, unknown> },
    specTypeSchemas.CreateMessageResultWithTools,
    signal === undefined ? {} : { signal },
  );

let aimock: Aimock;
let faulty: FaultyProvider;
let router: SharedRouter;
let key = "";

beforeAll(async () => {
  aimock = await startAimock([
    { match: { hasToolResult: true }, response: { content: "It is 12 °C.", usage } },
    {
      match: { userMessage: "weather in Ghent" },
      response: {
        toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Ghent"}' }],
        usage,
      },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there!", usage } },
  ]);
  faulty = await startFaultyProvider({ slowMs: 15_000 });
  router = await borrowRouter();
  ({ key } = await createTenant(router, "v2", {
    provider: "openai",
    baseUrl: aimock.url("openai"),
    policy,
  }));
});
afterAll(async () => {
  await aimock.stop();
  await faulty.stop();
});
beforeEach(() => aimock.clear());

async function connect(
  token: string,
  setup: (typeof setups)[number],
  declared: ClientCapabilities = capabilities,
): Promise<Connected> {
  const sent: Sent[] = [];
  const versionNegotiation: VersionNegotiationOptions =
    setup.mode === undefined ? {} : { mode: setup.mode };
  const client = new Client(clientInfo, {
    capabilities: declared,
    ...(setup.mode === undefined ? {} : { versionNegotiation }),
  });
  const transport = new StreamableHTTPClientTransport(new URL("/v1/sampling", router.url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      sent.push({
        method: init?.method ?? "GET",
        headers: new Headers(init?.headers),
        body: typeof init?.body === "string" ? (JSON.parse(init.body) as unknown) : null,
        status: answer.status,
        answered: answer.headers,
      });
      return answer;
    },
  });
  await client.connect(transport);
  return {
    client,
    sent,
    sample: (params, method = setup.method) => request(client, method, params),
  };
}

async function refusalOf(asked: Promise<unknown>): Promise<ProtocolError> {
  const refused = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  if (refused instanceof ProtocolError) return refused;
  throw new Error(`Not refused by the protocol: ${String(refused)}`);
}

const dataOf = ({ data }: ProtocolError) => data as Record<string, unknown>;

describe.each(setups)("SDK v2, $name", (setup) => {
  const isModern = setup.era === "modern";
  let connected: Connected;
  beforeAll(async () => {
    connected = await connect(key, setup);
  });
  afterAll(() => connected.client.close());

  it("finds the era and the revision", () => {
    expect(connected.client.getProtocolEra()).toBe(setup.era);
    expect(connected.client.getNegotiatedProtocolVersion()).toBe(setup.revision);
    expect(connected.client.getServerVersion()).toMatchObject({ name: "sampling-router" });
    expect(connected.client.getInstructions()).toMatch(/createMessage/);
  });

  it("learns which modalities the tenant's models and its own capabilities allow", () => {
    expect(connected.client.getServerCapabilities()?.extensions).toEqual({
      "io.modelcontextprotocol/content-negotiation": {},
      "sampling-router/hosted": {
        supportedModalities: ["text"],
        tools: true,
        context: false,
        offered: expect.objectContaining({ tools: true, context: false }) as unknown,
      },
    });
  });

  it("is answered by a model, in its own era's words", async () => {
    const result = await connected.sample({ ...asking("hello"), systemPrompt: "Be brief." });
    expect(result).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "Hi there!" },
      model: "openai/gpt-4.1-mini",
      stopReason: "endTurn",
    });
    expect(decisionOf(result)).toMatchObject({
      requestId: expect.stringMatching(/^req_/) as string,
      provider: "openai",
      usage: { inputTokens: 21, outputTokens: 5 },
    });
    const [provider] = await aimock.journal();
    expect(provider?.body?.["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello" },
    ]);
  });

  it("uses a tool and brings its result", async () => {
    const question = { role: "user", content: { type: "text", text: "weather in Ghent" } };
    const asked = { messages: [question], maxTokens: 50, tools: [weatherTool] };
    const used = await connected.sample(asked);
    expect(used).toMatchObject({
      content: { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Ghent" } },
      stopReason: "toolUse",
    });
    const result = {
      type: "tool_result",
      toolUseId: "call_1",
      content: [{ type: "text", text: "12 °C" }],
    };
    const answered = await connected.sample({
      ...asked,
      messages: [
        question,
        { role: "assistant", content: used.content },
        { role: "user", content: [result] },
      ],
    });
    expect(answered).toMatchObject({ content: { text: "It is 12 °C." }, stopReason: "endTurn" });
  });

  it("gets the right answers to several calls at once", async () => {
    const results = await Promise.all(
      Array.from({ length: 5 }, () => connected.sample(asking("hello"))),
    );
    expect(new Set(results.map((result) => decisionOf(result).requestId)).size).toBe(5);
  });

  it("understands that no model is eligible, and why", async () => {
    const refused = await refusalOf(
      connected.sample(asking("hello", { messages: [{ role: "user", content: tiff }] })),
    );
    expect(refused.code).toBe(-422);
    expect(dataOf(refused)).toEqual({
      reason: "no_eligible_model",
      cause: "all_excluded",
      retryable: false,
      requestId: expect.stringMatching(/^req_/) as string,
      requirements: expect.objectContaining({ inputModalities: ["text", "image"] }) as object,
      candidates: expect.arrayContaining([
        { model: "openai/gpt-4.1-mini", excludedBy: "image_format" },
      ]) as object[],
    });
  });

  it("understands which parameter is wrong", async () => {
    const refused = await refusalOf(connected.sample(asking("hello", { temperature: "hot" })));
    expect(refused.code).toBe(-32602);
    expect(dataOf(refused)).toMatchObject({ reason: "invalid_params", path: "temperature" });
  });

  it("understands that a provider failed, and which", async () => {
    // aimock is strict: what no fixture matches is a 503.
    const refused = await refusalOf(connected.sample(asking("unheard of")));
    expect(refused.code).toBe(-502);
    expect(dataOf(refused)["attempts"]).toContainEqual({
      provider: "openai",
      model: "gpt-4.1-mini",
      status: 503,
      retryable: true,
    });
  });

  it("understands which capability it did not declare", async () => {
    const { client, sample } = await connect(key, setup, { sampling: {} });
    const refused = await refusalOf(sample(asking("hello", { tools: [weatherTool] })));
    expect(refused.code).toBe(isModern ? -32021 : -32602);
    // The SDK's own class for the modern code keeps the capabilities, and drops what stands beside.
    if (isModern) expect(refused).toBeInstanceOf(MissingRequiredClientCapabilityError);
    else expect(dataOf(refused)["reason"]).toBe("capability_missing");
    expect(dataOf(refused)["requiredCapabilities"]).toEqual({ sampling: { tools: {} } });
    await client.close();
  });

  it("understands that a method is not served, and goes on", async () => {
    const asked = connected.sample({}, "acme/unheard-of");
    // The revision prescribes 404, of which the SDK makes an error of HTTP with the body as text.
    if (isModern) await expect(asked).rejects.toThrow(/"code":-32601.*"reason":"method_not_found"/);
    else {
      const refused = await refusalOf(asked);
      expect([refused.code, dataOf(refused)["reason"]]).toEqual([-32601, "method_not_found"]);
    }
    expect(await connected.sample(asking("hello"))).toMatchObject({ role: "assistant" });
  });

  it("is told of a limit with the time to wait", async () => {
    const admin = adminOf(router, router.adminToken);
    // The three setups share a window: each begins with a limit of its own tenant.
    const slug = `v2-limit-${setups.indexOf(setup)}`;
    const { key: own } = await createTenant(router, slug, {
      provider: "openai",
      baseUrl: aimock.url("openai"),
      policy: { ...policy, limits: { requestsPerMinute: 1 } },
    });
    const { client, sample } = await connect(own, setup);
    await sample(asking("hello"));
    const refused = await refusalOf(sample(asking("hello")));
    expect(refused.code).toBe(-429);
    expect(dataOf(refused)).toEqual({
      reason: "rate_limited",
      requestId: expect.any(String) as string,
      limit: "tenant.requestsPerMinute",
      retryAfterMs: expect.any(Number) as number,
      retryable: true,
    });
    const page = await admin("GET", `/tenants/${slug}/requests`);
    expect(page.get("data.0.reason")).toBe("rate_limited");
    await client.close();
  });

  it("takes a call back, and the provider is let go within two seconds", async () => {
    const slug = `v2-back-${setups.indexOf(setup)}`;
    const { key: own } = await createTenant(router, slug, {
      provider: "openai",
      baseUrl: faulty.url("openai"),
      policy,
    });
    const { client } = await connect(own, setup);
    faulty.setMode("slow");
    faulty.clear();
    const taking = new AbortController();
    const asked = request(client, setup.method, asking("hello"), taking.signal);
    const failed = asked.catch((error: unknown) => error);
    await expect.poll(() => faulty.requests().length, { interval: 10 }).toBe(1);
    const takenAt = Date.now();
    taking.abort("not needed any more");
    expect(await failed).toBeInstanceOf(Error);
    const record = async () =>
      (await adminOf(router, router.adminToken)("GET", `/tenants/${slug}/requests`)).get("data.0");
    await expect
      .poll(async () => at(await record(), "outcome"), { interval: 50, timeout: patient(4_000) })
      .toBe("cancelled");
    expect(Number(at(await record(), "settledAt")) - takenAt).toBeLessThan(2_000);
    await client.close();
  });

  it("is recorded by its name and its revision", async () => {
    const result = await connected.sample(asking("hello"));
    const record = await adminOf(router, key)(
      "GET",
      `/tenants/v2/requests/${decisionOf(result).requestId}`,
    );
    expect(record.get("who")).toMatchObject({
      serverId: null,
      tool: null,
      clientName: clientInfo.name,
      clientVersion: clientInfo.version,
      revision: setup.revision,
      sessionId: isModern ? null : (expect.stringMatching(/^ses_/) as string),
    });
  });

  it("has a session in the legacy era, and none in the modern one", () => {
    for (const { headers, answered } of connected.sent) {
      if (isModern) expect(answered.has("mcp-session-id")).toBe(false);
      if (isModern) expect(headers.has("mcp-session-id")).toBe(false);
    }
    expect(connected.sent.some(({ answered }) => answered.has("mcp-session-id"))).toBe(!isModern);
  });

  it("can't begin without a known key", async () => {
    await expect(connect("nonsense", setup)).rejects.toThrow();
  });
});

describe.each(setups.filter(({ era }) => era === "modern"))("SDK v2, $name", (setup) => {
  it("accepts what it discovers", async () => {
    const { client, sent } = await connect(key, setup);
    const discovered = await client.discover();
    expect(discovered).toMatchObject({
      supportedVersions: [modern, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: {
        extensions: {
          "io.modelcontextprotocol/content-negotiation": {},
          "sampling-router/hosted": { supportedModalities: ["text"], tools: true },
        },
      },
      ttlMs: 0,
      cacheScope: "private",
    });
    expect(client.getDiscoverResult()).toEqual(discovered);
    expect(sent.map(({ body }) => (body as { method: string }).method)).toEqual([
      "server/discover",
      "server/discover",
    ]);
    await client.close();
  });

  it("refuses of itself to say sampling/createMessage, which is why ours has another name", async () => {
    const { client, sample, sent } = await connect(key, setup);
    const before = sent.length;
    await expect(sample(asking("hello"), "sampling/createMessage")).rejects.toThrow(
      /not supported by the negotiated protocol version/,
    );
    expect(sent).toHaveLength(before);
    await client.close();
  });

  it("sees HTTP statuses as its revision prescribes them", async () => {
    const { client, sample, sent } = await connect(key, setup, {});
    await refusalOf(sample(asking("hello")));
    expect(sent.at(-1)?.status).toBe(400);
    const unknown = await sample({}, "acme/unheard-of").catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(SdkHttpError);
    expect((unknown as SdkHttpError).status).toBe(404);
    expect(sent.at(-1)?.status).toBe(404);
    await client.close();
  });
});

/** A format that no provider reads. */
const tiff = { type: "image", data: "SUkqAAgAAAA=", mimeType: "image/tiff" } as const;

describe("SDK v2 on a legacy connection", () => {
  it("may say the method by its other name too", async () => {
    const { client, sample } = await connect(key, setups[0]);
    expect(await sample(asking("hello"), "sampling-router/createMessage")).toMatchObject({
      content: { text: "Hi there!" },
    });
    expect(await client.ping()).toEqual({});
    await client.close();
  });

  it("ends its session, which is then gone", async () => {
    const { client, sample } = await connect(key, setups[0]);
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    await expect(sample(asking("hello"))).rejects.toThrow();
    await client.close();
  });
});
