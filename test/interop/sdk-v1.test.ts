/** The official client of the legacy revisions against the product as it is started. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import {
  clientInfo,
  connect,
  decisionOf,
  refusalOf,
  weatherTool,
  type Connected,
} from "../fixtures/interop/client.ts";
import { isSecondHost, onOneHost } from "../setup/on-both-hosts.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const latest = "2025-11-25";

/** What an SDK's parsed copy would lose, and what no revision knows, included. */
const capabilities = {
  sampling: { tools: {}, supportedModalities: ["text", "image"] },
  roots: { listChanged: true },
  experimental: { "acme/thing": { level: 3 } },
  extensions: {
    "io.modelcontextprotocol/content-negotiation": { version: "1.0", features: ["agent"] },
  },
};

const usage = usageOf(21, 5);
let aimock: Aimock;
let router: SharedRouter;
let key = "";
let keyId = "";

beforeAll(async () => {
  aimock = await startAimock([
    { match: { hasToolResult: true }, response: { content: "It is 12 °C.", usage } },
    {
      match: { userMessage: "weather in Ghent" },
      response: {
        toolCalls: [
          { id: "call_1", name: "get_weather", arguments: '{"city":"Ghent"}' },
          { id: "call_2", name: "get_weather", arguments: '{"city":"Bruges"}' },
        ],
        usage,
      },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there!", usage } },
  ]);
  router = await borrowRouter();
  ({ key, keyId } = await createTenant(router, "interop", {
    provider: "openai",
    baseUrl: aimock.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  }));
});
afterAll(async () => {
  await aimock.stop();
});

const sessionsOf = async (): Promise<Record<string, unknown>[]> => {
  const answer = await adminOf(router, router.adminToken)(
    "GET",
    "/tenants/interop/sessions?limit=200",
  );
  return answer.get("data") as Record<string, unknown>[];
};

const bySession = (sessionId: string) =>
  sessionsOf().then((sessions) => sessions.find(({ id }) => id === sessionId));

describe.each(isSecondHost ? [latest] : revisions)("SDK v1 on %s", (revision) => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connect(router.url, key, { revision, capabilities });
  });
  afterAll(() => connected.client.close());

  // cites: L-004
  it("agrees on the revision it asked for", async () => {
    expect(connected.transport.protocolVersion).toBe(revision);
    expect(connected.client.getServerVersion()).toMatchObject({ name: "sampling-router" });
    expect(await bySession(connected.sessionId)).toMatchObject({ revision });
  });

  // cites: M-005
  it("has its capabilities and its name kept as it declared them", async () => {
    const session = await bySession(connected.sessionId);
    expect(session?.["capabilities"]).toEqual(capabilities);
    expect(session?.["clientInfo"]).toEqual(clientInfo);
    expect(session?.["keyId"]).toBe(keyId);
  });

  it("learns which modalities the tenant's models and its own capabilities allow", () => {
    // Sub-capabilities of sampling exist from the latest of them only.
    expect(connected.client.getServerCapabilities()).toMatchObject({
      extensions: {
        "sampling-router/hosted": {
          supportedModalities: ["text"],
          tools: revision === latest,
          context: false,
        },
      },
    });
  });

  // cites: S-041, S-042
  it("is answered by a model", async () => {
    const result = await connected.sample({
      ...asking("hello"),
      modelPreferences: { hints: [{ name: "gpt" }], costPriority: 0.4 },
    });
    expect(result).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "Hi there!" },
      model: "openai/gpt-4.1-mini",
      stopReason: "endTurn",
    });
    expect(decisionOf(result)).toMatchObject({
      provider: "openai",
      model: "gpt-4.1-mini",
      attempts: 1,
      usage: { inputTokens: 21, outputTokens: 5 },
    });
  });

  it("gets the right answers to several calls at once", async () => {
    const results = await Promise.all(
      Array.from({ length: 5 }, () => connected.sample(asking("hello"))),
    );
    expect(new Set(results.map((result) => decisionOf(result).requestId)).size).toBe(5);
  });

  // cites: U-001
  it("is answered a ping", async () => {
    expect(await connected.client.ping()).toEqual({});
  });

  it("understands a refusal by its code and its data", async () => {
    const refusal = await refusalOf(
      connected.sample({ ...asking("hello"), messages: [{ role: "user", content: tiff }] }),
    );
    expect(refusal).toEqual({
      code: -422,
      data: {
        reason: "no_eligible_model",
        cause: "all_excluded",
        retryable: false,
        requestId: expect.stringMatching(/^req_/) as string,
        requirements: expect.objectContaining({ inputModalities: ["text", "image"] }) as object,
        candidates: expect.arrayContaining([
          { model: "openai/gpt-4.1-mini", excludedBy: "image_format" },
          { model: "openai/gpt-5", excludedBy: "not_allowed" },
        ]) as object[],
      },
    });
  });

  it("understands which parameter is wrong", async () => {
    const { code, data } = await refusalOf(
      connected.sample({ ...asking("hello"), temperature: "hot" }),
    );
    expect(code).toBe(-32602);
    expect(data).toMatchObject({ reason: "invalid_params", path: "temperature" });
  });

  it("understands that a provider failed, and which", async () => {
    // aimock is strict: what no fixture matches is a 503.
    const { code, data } = await refusalOf(connected.sample(asking("unheard of")));
    expect(code).toBe(-502);
    expect(data["attempts"]).toContainEqual({
      provider: "openai",
      model: "gpt-4.1-mini",
      status: 503,
      retryable: true,
    });
  });

  it("understands that a method is not served, and goes on", async () => {
    const { code, data } = await refusalOf(connected.client.listTools());
    expect([code, data["reason"]]).toEqual([-32601, "method_not_found"]);
    expect(await connected.client.ping()).toEqual({});
  });

  // cites: H-020
  it("ends its session, and the session is gone for every caller", async () => {
    const { sessionId } = connected;
    expect(await bySession(sessionId)).toBeDefined();
    await connected.transport.terminateSession();
    expect(await bySession(sessionId)).toBeUndefined();
    const again = await fetch(`${router.url}/v1/sampling`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Session-Id": sessionId,
        "MCP-Protocol-Version": revision,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "sampling/createMessage",
        params: asking("hello"),
      }),
    });
    expect(again.status).toBe(404);
    expect(await again.json()).toMatchObject({ error: { data: { reason: "session_not_found" } } });
  });
});

onOneHost(() => {
  describe.each(revisions.filter((revision) => revision !== latest))("SDK v1 on %s", (revision) => {
    let connected: Connected;
    beforeAll(async () => {
      connected = await connect(router.url, key, { revision, capabilities });
    });
    afterAll(() => connected.client.close());

    // cites: C-015
    it("has no tools: the revision has no such capability", async () => {
      const { code, data } = await refusalOf(
        connected.sampleWithTools({ ...asking("weather in Ghent"), tools: [weatherTool] }),
      );
      expect(code).toBe(-32602);
      expect(data).toMatchObject({
        reason: "capability_missing",
        requiredCapabilities: { sampling: { tools: {} } },
      });
    });

    it("has one block in a message, not several", async () => {
      const { code, data } = await refusalOf(
        connected.sample({
          messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
          maxTokens: 50,
        }),
      );
      expect([code, data["path"]]).toEqual([-32602, "messages.0.content"]);
    });
  });
});

/** A format that no provider reads. */
const tiff = { type: "image", data: "SUkqAAgAAAA=", mimeType: "image/tiff" } as const;

describe("SDK v1", () => {
  // cites: S-012, S-050
  it("uses tools, several at once, and brings their results", async () => {
    const connected = await connect(router.url, key, { revision: latest, capabilities });
    const question = { role: "user", content: { type: "text", text: "weather in Ghent" } };
    const asked = { messages: [question], maxTokens: 50, tools: [weatherTool] };
    const used = await connected.sampleWithTools(asked);
    expect(used).toMatchObject({
      content: [
        { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Ghent" } },
        { type: "tool_use", id: "call_2", name: "get_weather", input: { city: "Bruges" } },
      ],
      stopReason: "toolUse",
    });
    const results = ["call_1", "call_2"].map((toolUseId) => ({
      type: "tool_result",
      toolUseId,
      content: [{ type: "text", text: "12 °C" }],
    }));
    const answered = await connected.sampleWithTools({
      ...asked,
      messages: [
        question,
        { role: "assistant", content: used.content },
        { role: "user", content: results },
      ],
    });
    expect(answered).toMatchObject({
      content: { type: "text", text: "It is 12 °C." },
      stopReason: "endTurn",
    });
    const unanswered = await refusalOf(
      connected.sampleWithTools({
        ...asked,
        messages: [question, { role: "assistant", content: used.content }],
      }),
    );
    expect(unanswered.code).toBe(-32602);
    await connected.client.close();
  });

  it("sees a 404 when an administrator ends its session under it", async () => {
    const { client, sessionId, sample } = await connect(router.url, key, {
      revision: latest,
      capabilities,
    });
    // Once before, so that the isolate remembers the session.
    await sample(asking("hello"));
    const admin = adminOf(router, router.adminToken);
    expect((await admin("DELETE", `/tenants/interop/sessions/${sessionId}`)).status).toBe(204);
    const failed = await sample(asking("hello")).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StreamableHTTPError);
    expect((failed as StreamableHTTPError).code).toBe(404);
    await client.close();
  });

  it("can't begin without a known key", async () => {
    for (const wrong of ["", "nonsense", `srk_${"0".repeat(26)}_${"A".repeat(43)}`])
      await expect(
        connect(router.url, wrong, { revision: latest, capabilities }),
      ).rejects.toThrow();
  });

  // cites: L-005
  it("is offered the latest legacy revision when it asks for an unknown revision", async () => {
    const { client, sessionId, transport } = await connect(router.url, key, {
      revision: "1999-01-01",
      capabilities,
    });
    expect(transport.protocolVersion).toBe(latest);
    expect(await bySession(sessionId)).toMatchObject({ revision: latest });
    await client.close();
  });

  it("without the sampling capability is refused sampling, and told which is missing", async () => {
    const { client, sample } = await connect(router.url, key, {
      revision: latest,
      capabilities: { roots: {} },
    });
    const { code, data } = await refusalOf(sample(asking("hello")));
    expect(code).toBe(-32602);
    expect(data["requiredCapabilities"]).toEqual({ sampling: {} });
    await client.close();
  });

  it("is told of a limit with the time to wait", async () => {
    const { key: limited } = await createTenant(router, "interop-limited", {
      provider: "openai",
      baseUrl: aimock.url("openai"),
      policy: { allowedModels: ["openai/gpt-4.1-mini"], limits: { requestsPerMinute: 1 } },
    });
    const { client, sample } = await connect(router.url, limited, {
      revision: latest,
      capabilities,
    });
    await sample(asking("hello"));
    const { code, data } = await refusalOf(sample(asking("hello")));
    expect(code).toBe(-429);
    expect(data).toMatchObject({ reason: "rate_limited", limit: "tenant.requestsPerMinute" });
    expect(data["retryAfterMs"]).toBeGreaterThan(0);
    expect(data["retryAfterMs"]).toBeLessThanOrEqual(62_000);
    await client.close();
  });

  it("and a plain HTTP caller get the same answer, by the method's other name too", async () => {
    const session = await openSession(router, key, { revision: latest, capabilities });
    const plain = await session.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 7,
        method: "sampling-router/createMessage",
        params: asking("hello"),
      }),
    );
    expect(plain.body).toMatchObject({
      id: 7,
      result: { content: { type: "text", text: "Hi there!" }, model: "openai/gpt-4.1-mini" },
    });
  });
});
