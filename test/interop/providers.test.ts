/**
 * The whole way, from the official SDK client to each provider's wire and back, and what the audit
 * record says of it. Cost, hash and counts are computed here again, from the catalogue and the bytes.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import catalogue from "../../src/domain/models/catalogue.json" with { type: "json" };
import { startAimock, usageOf, type Aimock, type WireRequest } from "../fakes/aimock.ts";
import { adminOf, asking, createTenant, type Answered } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import {
  clientInfo,
  connect,
  decisionOf,
  refusalOf,
  weatherTool,
  type Connected,
} from "../fixtures/interop/client.ts";
import { png, wav } from "../fixtures/providers/calls.ts";

const revision = "2025-11-25";
const capabilities = { sampling: { tools: {}, supportedModalities: ["text"] } };
const tokens = { inputTokens: 1_237, outputTokens: 77 };
const usage = usageOf(tokens.inputTokens, tokens.outputTokens);
/** Nothing that a record without content may hold. */
const canary = "xyzzy-canary";
const providerKey = "provider-key-0123456789";

interface Asked {
  maxTokens: number;
  system: string;
  temperature: number;
  stop: string[];
}

interface Wire {
  provider: string;
  model: string;
  path: string;
  keyHeader: string;
  /** What a body must hold for the settings that were asked for. */
  settings(asked: Asked): object;
  tools: object;
  image: object;
  toolResult(id: string): object;
}

const { name, description, inputSchema } = weatherTool;
const wires: Wire[] = [
  {
    provider: "openai",
    model: "gpt-4.1-mini",
    path: "/v1/chat/completions",
    keyHeader: "authorization",
    settings: ({ maxTokens, system, temperature, stop }) => ({
      model: "gpt-4.1-mini",
      max_tokens: maxTokens,
      temperature,
      stop,
      messages: [
        { role: "system", content: system },
        { role: "user", content: `hello ${canary}` },
      ],
    }),
    tools: {
      tools: [{ type: "function", function: { name, description, parameters: inputSchema } }],
    },
    image: { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    toolResult: (id) => ({ role: "tool", tool_call_id: id, content: "12 °C" }),
  },
  {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    path: "/v1/messages",
    keyHeader: "x-api-key",
    settings: ({ maxTokens, system, temperature, stop }) => ({
      model: "claude-sonnet-4-5",
      max_tokens: maxTokens,
      temperature,
      stop_sequences: stop,
      system: [{ type: "text", text: system }],
      messages: [{ role: "user", content: [{ type: "text", text: `hello ${canary}` }] }],
    }),
    tools: { tools: [{ name, description, input_schema: inputSchema }] },
    image: { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    toolResult: (id) => ({ type: "tool_result", tool_use_id: id, content: "12 °C" }),
  },
  {
    provider: "google",
    model: "gemini-2.5-flash",
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    keyHeader: "x-goog-api-key",
    settings: ({ maxTokens, system, temperature, stop }) => ({
      generationConfig: { maxOutputTokens: maxTokens, temperature, stopSequences: stop },
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: "user", parts: [{ text: `hello ${canary}` }] }],
    }),
    tools: {
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: inputSchema }] }],
    },
    image: { inlineData: { mimeType: "image/png", data: png } },
    toolResult: () => ({ response: { name, content: "12 °C" } }),
  },
];

let aimock: Aimock;
let router: SharedRouter;

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
    { match: { userMessage: "what is this" }, response: { content: "A red pixel.", usage } },
    { match: { userMessage: "what is said" }, response: { content: "Nothing at all.", usage } },
    {
      match: { userMessage: "cut me off" },
      response: { content: "Once upon", finishReason: "length", usage },
    },
    { match: { userMessage: "hello" }, response: { content: `Hi, ${canary}!`, usage } },
  ]);
  router = await borrowRouter();
});
afterAll(async () => {
  await aimock.stop();
});
beforeEach(() => aimock.clear());

/** The one request that went out since the test began. */
async function sent(): Promise<WireRequest> {
  const [entry, ...more] = await aimock.journal();
  if (entry === undefined) throw new Error("Nothing was sent.");
  expect(more).toEqual([]);
  return entry;
}

/** Of the params as they came, without the `_meta` that belongs to the transport. */
const hashOf = (params: object): string =>
  createHash("sha256").update(JSON.stringify(params)).digest("hex");

/** Whole micro-USD, rounded up, in integers: dollars a million tokens are micro-dollars a token. */
function microUsdOf(provider: string, model: string): number {
  const found = catalogue.models.find((one) => one.provider === provider && one.id === model);
  const [input, output] = [found?.inputUsdPerMTok ?? null, found?.outputUsdPerMTok ?? null];
  if (input === null || output === null) throw new Error(`No price of ${provider}/${model}.`);
  const scale = 1_000_000;
  const picoUsd =
    BigInt(tokens.inputTokens) * BigInt(Math.round(input * scale)) +
    BigInt(tokens.outputTokens) * BigInt(Math.round(output * scale));
  return Number((picoUsd + BigInt(scale) - 1n) / BigInt(scale));
}

describe.each(wires)("$provider, through the official client", (wire) => {
  const { provider, model } = wire;
  const slug = `to-${provider}`;
  const allowed = { allowedModels: [`${provider}/${model}`] };
  let keyId = "";
  let admin: ReturnType<typeof adminOf>;
  let connected: Connected;

  beforeAll(async () => {
    const made = await createTenant(router, slug, {
      provider,
      apiKey: providerKey,
      baseUrl: aimock.url(provider),
      policy: allowed,
    });
    ({ keyId } = made);
    admin = adminOf(router, made.key);
    connected = await connect(router.url, made.key, { revision, capabilities });
  });
  afterAll(() => connected.client.close());

  const recordOf = async (result: Parameters<typeof decisionOf>[0]): Promise<Answered> => {
    const record = await admin("GET", `/tenants/${slug}/requests/${decisionOf(result).requestId}`);
    expect(record.status).toBe(200);
    return record;
  };

  it("answers a text, asked with every setting", async () => {
    const asked = { maxTokens: 321, system: "Be brief.", temperature: 0.25, stop: ["END", "##"] };
    const result = await connected.sample({
      ...asking(`hello ${canary}`),
      maxTokens: asked.maxTokens,
      systemPrompt: asked.system,
      temperature: asked.temperature,
      stopSequences: asked.stop,
      metadata: { note: "metadata-stays-here" },
      modelPreferences: { hints: [{ name: "hint-stays-here" }] },
    });
    expect(result).toMatchObject({
      role: "assistant",
      content: { type: "text", text: `Hi, ${canary}!` },
      model: `${provider}/${model}`,
      stopReason: "endTurn",
    });
    expect(decisionOf(result)).toMatchObject({
      provider,
      model,
      attempts: 1,
      usage: tokens,
      costUsd: microUsdOf(provider, model) / 1e6,
      notes: ['hint "hint-stays-here" matched no model'],
    });
    const entry = await sent();
    expect(entry).toMatchObject({ method: "POST", path: wire.path, status: 200 });
    expect(entry.body).toMatchObject(wire.settings(asked));
    expect(entry.headers[wire.keyHeader]).toContain(providerKey);
    // The caller's key, session and extras are nothing to the provider.
    expect(JSON.stringify(entry)).not.toMatch(/srk_|ses_|stays-here/);
  });

  it("answers what an image shows", async () => {
    const result = await connected.sample({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "what is this" },
            { type: "image", data: png, mimeType: "image/png" },
          ],
        },
      ],
      maxTokens: 50,
    });
    expect(result.content).toEqual({ type: "text", text: "A red pixel." });
    expect(JSON.stringify((await sent()).body)).toContain(JSON.stringify(wire.image));
    expect((await recordOf(result)).get("asked.inputModalities")).toEqual(["text", "image"]);
  });

  it("uses a tool and goes on with its result", async () => {
    const question = { role: "user", content: { type: "text", text: "weather in Ghent" } };
    const asked = { messages: [question], maxTokens: 50, tools: [weatherTool] };
    const used = await connected.sampleWithTools({ ...asked, toolChoice: { mode: "auto" } });
    const [use] = [used.content].flat();
    if (use?.type !== "tool_use") throw new Error("no tool use");
    expect(use).toMatchObject({ name: "get_weather", input: { city: "Ghent" } });
    expect(used.stopReason).toBe("toolUse");
    expect((await sent()).body).toMatchObject(wire.tools);
    expect((await recordOf(used)).get("asked.tools")).toBe(1);

    aimock.clear();
    const result = {
      type: "tool_result",
      toolUseId: use.id,
      content: [{ type: "text", text: "12 °C" }],
    };
    const answered = await connected.sampleWithTools({
      ...asked,
      messages: [
        question,
        { role: "assistant", content: used.content },
        { role: "user", content: result },
      ],
    });
    expect(answered).toMatchObject({
      content: { type: "text", text: "It is 12 °C." },
      stopReason: "endTurn",
    });
    const { body } = await sent();
    expect(contains(body, wire.toolResult(use.id))).toBe(true);
    expect((await recordOf(answered)).body).toMatchObject({
      outcome: "succeeded",
      asked: { messages: 3, tools: 1 },
      usage: tokens,
    });
  });

  it("says that the answer was cut off", async () => {
    const result = await connected.sample(asking("cut me off"));
    expect(result).toMatchObject({ content: { text: "Once upon" }, stopReason: "maxTokens" });
  });

  // cites: S-033
  it("is asked for no more tokens than the policy allows, and says so", async () => {
    await admin("PUT", `/tenants/${slug}/policy`, { ...allowed, maxTokens: 40 });
    const result = await connected.sample({ ...asking("hello"), maxTokens: 500 });
    await admin("PUT", `/tenants/${slug}/policy`, allowed);
    expect(JSON.stringify((await sent()).body)).toMatch(/"max(_t|OutputT)okens":40\b/);
    expect(decisionOf(result).notes).toEqual(["maxTokens capped by policy"]);
  });

  it("leaves a record of who, what, which, how much and how long, without the content", async () => {
    const params = { ...asking(`hello ${canary}`), temperature: 0.5, systemPrompt: canary };
    const before = Date.now();
    const result = await connected.sample(params);
    const after = Date.now();
    const record = await recordOf(result);
    const decision = decisionOf(result);
    const models = (await everyModel(admin, slug)).length;
    expect(record.body).toMatchObject({
      id: decision.requestId,
      who: {
        keyId,
        sessionId: connected.sessionId,
        serverId: null,
        tool: null,
        clientName: clientInfo.name,
        clientVersion: clientInfo.version,
        revision,
      },
      asked: {
        messages: 1,
        characters: `hello ${canary}${canary}`.length,
        inputModalities: ["text"],
        outputModalities: ["text"],
        tools: 0,
        maxTokens: 50,
        temperature: 0.5,
      },
      contentSha256: hashOf(params),
      outcome: "succeeded",
      reason: null,
      model: `${provider}/${model}`,
      usage: { ...tokens, estimated: false },
      costMicroUsd: microUsdOf(provider, model),
      attempts: [{ provider, model, status: 200, retryable: false, fault: null, billed: "yes" }],
      captured: false,
      content: null,
    });
    expect(record.get("decision")).toMatchObject({
      provider,
      model,
      candidates: [{ provider, model, score: expect.any(Number) as number }],
      catalogueVersion: catalogue.version,
    });
    // Every model of the catalogue is accounted for: one was chosen, the others are counted.
    const excluded = Object.values(record.get("decision.excluded") as Record<string, number>);
    expect(excluded.reduce((sum, count) => sum + count, 1)).toBe(models);
    const number = (path: string): number => Number(record.get(path));
    expect(number("createdAt")).toBeGreaterThanOrEqual(before);
    expect(number("settledAt")).toBeLessThanOrEqual(after);
    expect(number("totalMs")).toBeLessThanOrEqual(after - before);
    expect(number("overheadMs")).toBe(number("totalMs") - number("timing.provider"));
    const { settle: _, ...steps } = decision.timingMs;
    expect(record.get("timing")).toEqual(steps);
    for (const ms of Object.values(decision.timingMs)) expect(ms).toBeGreaterThanOrEqual(0);
    const list = await admin("GET", `/tenants/${slug}/requests?limit=200`);
    expect(list.text).toContain(decision.requestId);
    for (const { text } of [record, list]) {
      expect(text).not.toContain(canary);
      expect(text).not.toContain(providerKey);
      expect(text).not.toContain("srk_");
    }
  });

  it("records the content only if the policy captures it", async () => {
    const params = { ...asking(`hello ${canary}`), stopSequences: ["END"] };
    await admin("PUT", `/tenants/${slug}/policy`, { ...allowed, capture: "full" });
    const kept = await recordOf(await connected.sample(params));
    await admin("PUT", `/tenants/${slug}/policy`, allowed);
    const notKept = await recordOf(await connected.sample(params));
    expect([kept.get("captured"), notKept.get("captured")]).toEqual([true, false]);
    expect(kept.get("content")).toEqual({
      params,
      result: [{ type: "text", text: `Hi, ${canary}!` }],
    });
    expect(notKept.get("content")).toBeNull();
    const list = await admin("GET", `/tenants/${slug}/requests?limit=200`);
    expect(list.text).not.toContain(canary);
  });

  it("leaves a record of a refusal and of a failure too, charged nothing", async () => {
    const data = btoa("<svg/>");
    // No provider reads this format.
    const unreadable = {
      ...asking("hello"),
      messages: [{ role: "user", content: { type: "image", data, mimeType: "image/svg+xml" } }],
    } as const;
    const refused = await refusalOf(connected.sample(unreadable));
    const failed = await refusalOf(connected.sample(asking("unheard of")));
    const read = (requestId: unknown) =>
      admin("GET", `/tenants/${slug}/requests/${String(requestId)}`);
    expect((await read(refused.data["requestId"])).body).toMatchObject({
      outcome: "refused",
      reason: "no_eligible_model",
      attempts: [],
      usage: null,
      costMicroUsd: null,
    });
    const record = await read(failed.data["requestId"]);
    expect(record.body).toMatchObject({ outcome: "failed", reason: "provider_failed" });
    expect(record.get("attempts.0")).toMatchObject({ provider, model, status: 503 });
    expect(Number(record.get("costMicroUsd"))).toBe(0);
  });
});

describe("audio", () => {
  const listening = (data: string) => ({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "what is said" },
          { type: "audio", data, mimeType: "audio/wav" },
        ],
      },
    ],
    maxTokens: 50,
  });

  it("goes to Gemini, whose models accept audio", async () => {
    const { key } = await createTenant(router, "audio-google", {
      provider: "google",
      baseUrl: aimock.url("google"),
      policy: { allowedModels: ["google/gemini-2.5-flash"] },
    });
    const { client, sample } = await connect(router.url, key, { revision, capabilities });
    const result = await sample(listening(wav));
    expect(result.content).toEqual({ type: "text", text: "Nothing at all." });
    expect(
      contains((await sent()).body, { inlineData: { mimeType: "audio/wav", data: wav } }),
    ).toBe(true);
    const record = await adminOf(router, key)(
      "GET",
      `/tenants/audio-google/requests/${decisionOf(result).requestId}`,
    );
    expect(record.get("asked.inputModalities")).toEqual(["text", "audio"]);
    await client.close();
  });

  it("goes to a model of OpenAI's that the tenant defined as accepting audio", async () => {
    const { key } = await createTenant(router, "audio-openai", {
      provider: "openai",
      baseUrl: aimock.url("openai"),
    });
    const defined = await adminOf(router, key)(
      "PUT",
      "/tenants/audio-openai/models/openai/gpt-audio",
      { inputModalities: ["text", "audio"], inputUsdPerMTok: 2.5, outputUsdPerMTok: 10 },
    );
    expect(defined.status).toBe(200);
    const { client, sample } = await connect(router.url, key, { revision, capabilities });
    const result = await sample(listening(wav));
    expect(result.model).toBe("openai/gpt-audio");
    // 1,237 × 2.5 + 77 × 10 = 3,862.5 micro-USD, rounded up.
    expect(decisionOf(result).costUsd).toBe(0.003863);
    const audio = { type: "input_audio", input_audio: { data: wav, format: "wav" } };
    expect(contains((await sent()).body, audio)).toBe(true);
    await client.close();
  });

  it.each(["openai", "anthropic"])("is refused where only %s is held", async (provider) => {
    const { key } = await createTenant(router, `no-audio-${provider}`, {
      provider,
      baseUrl: aimock.url(provider),
    });
    const { client, sample } = await connect(router.url, key, { revision, capabilities });
    const { code, data } = await refusalOf(sample(listening(wav)));
    expect([code, data["reason"]]).toEqual([-422, "no_eligible_model"]);
    expect(data["requirements"]).toMatchObject({ inputModalities: ["text", "audio"] });
    const reasons = (data["candidates"] as { excludedBy: string }[]).map(
      ({ excludedBy }) => excludedBy,
    );
    expect(new Set(reasons)).toEqual(new Set(["input_modality", "retired"]));
    expect(await aimock.journal()).toEqual([]);
    await client.close();
  });
});

describe("a reasoning model of OpenAI's", () => {
  // cites: S-039
  it("is asked with OpenAI's own parameters, and the caller learns what was left out", async () => {
    const { key } = await createTenant(router, "reasoning", {
      provider: "openai",
      baseUrl: aimock.url("openai"),
      policy: { allowedModels: ["openai/gpt-5.4-mini"] },
    });
    const { client, sample } = await connect(router.url, key, { revision, capabilities });
    const result = await sample({ ...asking("hello"), temperature: 0.5, stopSequences: ["END"] });
    const { body } = await sent();
    expect(body).toMatchObject({ model: "gpt-5.4-mini", max_completion_tokens: 50, store: false });
    for (const absent of ["max_tokens", "temperature", "stop"])
      expect(body).not.toHaveProperty(absent);
    expect(decisionOf(result).notes).toEqual([
      "temperature left out: this model does not take it",
      "stopSequences left out: this model does not take them",
    ]);
    expect(decisionOf(result).costUsd).toBe(microUsdOf("openai", "gpt-5.4-mini") / 1e6);
    await client.close();
  });
});

/** Whether an object somewhere in a value has all of the expected keys, whatever else it has. */
function contains(value: unknown, expected: object): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    expect(value).toMatchObject(expected);
    return true;
  } catch {
    return Object.values(value).some((inner) => contains(inner, expected));
  }
}

async function everyModel(admin: ReturnType<typeof adminOf>, slug: string): Promise<unknown[]> {
  const models: unknown[] = [];
  for (let cursor = ""; ;) {
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await admin("GET", `/tenants/${slug}/models?limit=200${query}`);
    models.push(...(page.get("data") as unknown[]));
    const next = page.get("nextCursor");
    if (typeof next !== "string") return models;
    cursor = next;
  }
}
