/** The answer has the form that was asked for, in both eras, and what was ignored is named. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import {
  adminOf,
  asking,
  at,
  callOnce,
  createTenant,
  openSession,
  type Answered,
} from "../fakes/caller.ts";
import { startMediaProvider, type MediaProvider } from "../fakes/media-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const extension = "io.modelcontextprotocol/content-negotiation";
const ns = "io.modelcontextprotocol";
const wanted = "sampling-router/outputModalities";
const mini = "openai/gpt-4.1-mini";
const nano = "openai/gpt-5.4-nano";
const usage = usageOf(21, 5);
const tagged = (features: string[], sampling: object = {}) => ({
  sampling,
  extensions: { [extension]: { version: "1.0", features } },
});
const json = tagged(["format=json"]);
const withTools = { sampling: { tools: {} } };
const look = { name: "look", inputSchema: { type: "object", properties: {} } };
const miniFirst = { modelPreferences: { hints: [{ name: "gpt-4.1-mini" }] } };

let aimock: Aimock;
let media: MediaProvider;
let router: SharedRouter;
let admin: ReturnType<typeof adminOf>;

const uses = (name: string) => ({ toolCalls: [{ id: "call_1", name, arguments: "{}" }], usage });

beforeAll(async () => {
  aimock = await startAimock([
    {
      match: { userMessage: "fenced" },
      response: { content: '```json\n{"celsius":12}\n```', usage },
    },
    {
      match: { userMessage: "use it", model: "gpt-4.1-mini" },
      response: { content: "No.", usage },
    },
    { match: { userMessage: "use it" }, response: uses("look") },
    { match: { userMessage: "leave it", model: "gpt-4.1-mini" }, response: uses("look") },
    { match: { userMessage: "leave it" }, response: { content: "As you wish.", usage } },
    { match: { userMessage: "another", model: "gpt-4.1-mini" }, response: uses("delete_all") },
    { match: { userMessage: "another" }, response: uses("look") },
    {
      match: { userMessage: "cut short" },
      response: { content: "I will", finishReason: "length", usage },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there!", usage } },
  ]);
  media = await startMediaProvider();
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
});
afterAll(async () => {
  await aimock.stop();
  await media.stop();
});
beforeEach(() => aimock.clear());

let tenants = 0;
async function tenant(about: {
  provider?: string;
  baseUrl?: string;
  policy?: object;
  models?: string[];
}): Promise<{ key: string; slug: string }> {
  const provider = about.provider ?? "openai";
  const slug = `asked-${(tenants += 1)}`;
  const { key } = await createTenant(router, slug, {
    provider,
    baseUrl: about.baseUrl ?? aimock.url(provider),
    policy: { allowedModels: about.models ?? [mini, nano], ...about.policy },
  });
  return { key, slug };
}

const eras = ["2024-11-05", "2025-11-25", "2026-07-28"] as const;
const withToolEras = ["2025-11-25", "2026-07-28"] as const;
type Era = (typeof eras)[number];

async function sampled(
  era: Era,
  key: string,
  about: { params: Record<string, unknown>; capabilities: object },
): Promise<Answered> {
  const { params, capabilities } = about;
  if (era === "2026-07-28") return callOnce(router, key, params, { capabilities });
  return (await openSession(router, key, { revision: era, capabilities })).sample(params);
}

const decisionOf = (answer: Answered) =>
  (answer.get("result._meta") as Record<string, unknown>)["sampling-router/decision"] as {
    requestId: string;
    attempts: number;
    model: string;
    notes: string[];
    ignored: { tags: string[]; hints: string[]; parameters: string[] };
  };

describe.each(eras)("JSON in a code fence, %s", (era) => {
  it("comes back bare, at the first attempt, and a note says so", async () => {
    const { key, slug } = await tenant({ models: [mini] });
    const answer = await sampled(era, key, { params: asking("fenced"), capabilities: json });
    expect(answer.get("result.content")).toEqual({ type: "text", text: '{"celsius":12}' });
    const { attempts, notes, requestId } = decisionOf(answer);
    expect(attempts).toBe(1);
    expect(notes).toContain("format: a code fence around the JSON was taken off");
    const record = await admin("GET", `/tenants/${slug}/requests/${requestId}`);
    expect(record.get("attempts")).toMatchObject([
      { fault: null, notes: ["format: a code fence around the JSON was taken off"] },
    ]);
  });

  it("comes back as it is to a client that asked for no JSON", async () => {
    const { key } = await tenant({ models: [mini] });
    const capabilities = { sampling: {} };
    const answer = await sampled(era, key, { params: asking("fenced"), capabilities });
    expect(answer.get("result.content.text")).toBe('```json\n{"celsius":12}\n```');
  });
});

describe.each(eras)("JSON and an image, %s", (era) => {
  const drawing = async (
    wants: string[],
    features = ["format=json", "verbosity=compact"],
  ): Promise<Answered> => {
    const { key } = await tenant({
      provider: "google",
      baseUrl: media.url("google"),
      models: ["google/gemini-3.1-flash-image"],
    });
    media.clear();
    return sampled(era, key, {
      params: asking("a cat", { metadata: { [wanted]: wants } }),
      capabilities: tagged(features, { supportedModalities: ["text", "image"] }),
    });
  };

  it("are asked for without JSON mode, which the provider would refuse", async () => {
    const answer = await drawing(["text", "image"]);
    // The text beside the image is prose, and prose is no JSON.
    expect(answer.get("error.data")).toMatchObject({
      reason: "provider_failed",
      attempts: [{ model: "gemini-3.1-flash-image", status: 200 }],
    });
    for (const { body } of media.requests()) {
      expect(body).not.toContain("responseMimeType");
      expect(body).toContain("one JSON value");
    }
  });

  it("an image alone is not asked for in a format of text, and the tags count as ignored", async () => {
    const answer = await drawing(["image"]);
    expect(answer.get("result.content.type")).toBe("image");
    const [sent, ...more] = media.requests();
    expect(more).toEqual([]);
    for (const word of ["responseMimeType", "JSON", "Be brief"])
      expect(sent?.body).not.toContain(word);
    expect(decisionOf(answer).ignored.tags).toEqual(["format=json", "verbosity=compact"]);
  });
});

describe.each(withToolEras)("toolChoice, %s", (era) => {
  const choosing = (text: string, mode: string) =>
    asking(text, { ...miniFirst, tools: [look], toolChoice: { mode } });

  // cites: S-048, S-049
  it.each([
    ["required, and the first answers with words", "use it", "required", "tool_use"],
    ["none, and the first uses a tool", "leave it", "none", "text"],
    ["auto, and the first uses what was not offered", "another", "auto", "tool_use"],
  ])("%s: the next candidate is asked", async (_, text, mode, type) => {
    const { key, slug } = await tenant({});
    const answer = await sampled(era, key, {
      params: choosing(text, mode),
      capabilities: withTools,
    });
    expect(answer.get("result")).toMatchObject({ model: nano });
    const content = answer.get("result.content") as object | object[];
    expect(Array.isArray(content) ? content : [content]).toMatchObject([{ type }]);
    const { attempts, requestId } = decisionOf(answer);
    expect(attempts).toBe(2);
    const record = await admin("GET", `/tenants/${slug}/requests/${requestId}`);
    expect(record.get("attempts")).toMatchObject([
      { model: "gpt-4.1-mini", status: 200, fault: "wrong_tool_use", retryable: true },
      { model: "gpt-5.4-nano", status: 200, fault: null },
    ]);
  });

  it("is refused where no model obeys the choice, and the refusal names the models that were asked", async () => {
    const { key } = await tenant({ models: [mini] });
    const answer = await sampled(era, key, {
      params: choosing("use it", "required"),
      capabilities: withTools,
    });
    expect(answer.get("error")).toMatchObject({
      code: -502,
      data: {
        reason: "provider_failed",
        attempts: [{ provider: "openai", model: "gpt-4.1-mini", status: 200, retryable: true }],
      },
    });
    expect(answer.text).not.toContain("No.");
  });

  it("required passes an answer that the caller's own maxTokens cut, and its stop reason says so", async () => {
    const { key } = await tenant({ models: [mini] });
    const answer = await sampled(era, key, {
      params: choosing("cut short", "required"),
      capabilities: withTools,
    });
    expect(answer.get("result")).toMatchObject({ stopReason: "maxTokens" });
  });

  it("without tools is not sent, so nothing is held against the answer", async () => {
    const { key } = await tenant({ models: [mini] });
    const answer = await sampled(era, key, {
      params: asking("hello", { toolChoice: { mode: "required" } }),
      capabilities: withTools,
    });
    expect(answer.get("result.content.text")).toBe("Hi there!");
    expect(decisionOf(answer).ignored.parameters).toEqual(["toolChoice"]);
  });
});

describe.each(eras)("what was ignored, %s", (era) => {
  const capabilities = tagged(["format=xml", "agent", "human=1", "verbosity=compact"]);

  it("stands in the result: tags, hints and parameters", async () => {
    const { key } = await tenant({ models: [mini] });
    const params = asking("hello", {
      modelPreferences: {
        hints: [{ name: "no-such-model" }, { name: "gpt-4.1-mini" }, { name: "claude" }],
        urgency: 1,
      },
      includeContext: "thisServer",
      stopSequences: ["a", "b", "c", "d", "e"],
      metadata: { anthropic: { effort: "low" }, openai: { user: "u", store: true }, traceId: "t" },
      top_p: 0.5,
      seed: null,
    });
    const answer = await sampled(era, key, { params, capabilities });
    const { ignored, notes } = decisionOf(answer);
    expect(ignored).toEqual({
      tags: ["format=xml", "human=1"],
      hints: ["no-such-model"],
      parameters: [
        "top_p",
        "modelPreferences.urgency",
        "includeContext",
        "metadata.anthropic",
        "metadata.traceId",
        "metadata.openai",
        "stopSequences",
      ],
    });
    expect(notes).toEqual(
      expect.arrayContaining([
        'includeContext "thisServer" treated as "none"',
        "metadata.openai: 1 option(s) not passed on",
        "stopSequences after the first 4 left out: this model takes no more",
      ]),
    );
  });

  it("names the tags that a rule of the tenant overruled", async () => {
    const rules = [{ when: ["agent"], set: { verbosity: "verbose" } }];
    const { key } = await tenant({ models: [mini], policy: { rules } });
    const answer = await sampled(era, key, { params: asking("hello"), capabilities });
    expect(decisionOf(answer).ignored.tags).toEqual(["format=xml", "human=1", "verbosity=compact"]);
  });

  it("is nothing where all was followed", async () => {
    const { key } = await tenant({ models: [mini] });
    const params = asking("hello", { temperature: 0.5, metadata: { openai: { user: "u" } } });
    const answer = await sampled(era, key, { params, capabilities: { sampling: {} } });
    expect(decisionOf(answer).ignored).toEqual({ tags: [], hints: [], parameters: [] });
  });

  it("stands in a repeated result too", async () => {
    const { key } = await tenant({ models: [mini] });
    const params = asking("hello", {
      top_p: 1,
      metadata: { "sampling-router/idempotencyKey": "again" },
      modelPreferences: { hints: [{ name: "nobody" }] },
    });
    const [first, second] = [
      await sampled(era, key, { params, capabilities }),
      await sampled(era, key, { params, capabilities }),
    ];
    expect(decisionOf(second)).toMatchObject({
      requestId: decisionOf(first).requestId,
      ignored: { hints: ["nobody"], parameters: ["top_p"] },
    });
    expect(decisionOf(second).ignored).toEqual(decisionOf(first).ignored);
  });
});

describe.each(eras)("null, %s", (era) => {
  const nothing = {
    modelPreferences: { hints: [{ name: null }], costPriority: null, speedPriority: null },
    systemPrompt: null,
    includeContext: null,
    temperature: null,
    stopSequences: null,
    tools: null,
    toolChoice: null,
    metadata: {
      [wanted]: null,
      "sampling-router/idempotencyKey": null,
      openai: { user: null, reasoningEffort: null },
      anthropic: null,
    },
  };

  it("in an optional place is read as if it were absent", async () => {
    const { key } = await tenant({ models: [mini] });
    const capabilities = { sampling: {} };
    const bare = await sampled(era, key, { params: asking("hello"), capabilities });
    const nulled = await sampled(era, key, { params: asking("hello", nothing), capabilities });
    expect(nulled.get("result.content")).toEqual(bare.get("result.content"));
    expect(decisionOf(nulled).ignored).toEqual({ tags: [], hints: [], parameters: [] });
    const [one, two] = (await aimock.journal()).map(({ body }) => body);
    expect(two).toEqual(one);
  });

  it.each(["messages", "maxTokens"])("in place of %s is refused", async (name) => {
    const { key } = await tenant({ models: [mini] });
    const answer = await sampled(era, key, {
      params: asking("hello", { [name]: null }),
      capabilities: { sampling: {} },
    });
    expect(answer.get("error")).toMatchObject({
      code: -32602,
      data: { reason: "invalid_params", path: name },
    });
    expect(await aimock.journal()).toEqual([]);
  });
});

describe("what is hosted", () => {
  const all = { supportedModalities: ["text", "image"], tools: true, context: false };
  let key = "";
  beforeAll(async () => {
    ({ key } = await tenant({
      provider: "google",
      models: ["google/gemini-2.5-flash", "google/gemini-3.1-flash-image"],
    }));
  });
  const told = async (era: Era, capabilities: object): Promise<unknown> => {
    const answer =
      era === "2026-07-28"
        ? await callOnce(router, key, {}, { method: "server/discover", capabilities })
        : await initialized(era, capabilities);
    const { extensions } = answer.get("result.capabilities") as {
      extensions: Record<string, unknown>;
    };
    return extensions["sampling-router/hosted"];
  };
  const initialized = async (revision: string, capabilities: object): Promise<Answered> => {
    const response = await fetch(`${router.url}/v1/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: revision,
          capabilities,
          clientInfo: { name: "test", version: "1" },
        },
      }),
    });
    const body: unknown = await response.json();
    const { status, headers } = response;
    return { status, headers, body, text: "", get: (path) => at(body, path) };
  };

  it.each<[string, object, object]>([
    [
      "everything",
      { sampling: { tools: {}, supportedModalities: ["text", "image", "audio"] } },
      { supportedModalities: ["text", "image"], tools: true },
    ],
    ["text alone", { sampling: {} }, { supportedModalities: ["text"], tools: false }],
    ["no sampling", {}, { supportedModalities: [], tools: false }],
    [
      "what nobody offers",
      { sampling: { supportedModalities: ["audio"] } },
      { supportedModalities: [], tools: false },
    ],
  ])("is what this caller gets, beside what the tenant has: %s", async (_, declared, has) => {
    const hosted = { ...has, context: false, offered: all };
    expect(await told("2025-11-25", declared)).toEqual(hosted);
    expect(await told("2026-07-28", declared)).toEqual(hosted);
    // Tools are newer than that revision, and the tenant offers them all the same.
    expect(await told("2024-11-05", declared)).toEqual({ ...hosted, tools: false });
  });
});

describe("the dry run", () => {
  let key = "";
  /** the weights in the record of such a call */
  let weights: unknown;
  const features = ["agent", "format=json", "format=xml"];
  beforeAll(async () => {
    const made = await tenant({
      policy: { rules: [{ when: ["agent"], set: { defaultPriorities: { cost: 1 } } }] },
    });
    key = made.key;
    const capabilities = tagged(features);
    const answer = await callOnce(router, key, asking("fenced"), { capabilities });
    const path = `/tenants/${made.slug}/requests/${decisionOf(answer).requestId}`;
    weights = (await admin("GET", path)).get("decision.weights");
  });
  const dryRun = async (params: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${router.url}/v1/route`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        ...headers,
      },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body };
  };
  const metaOf = (capabilities: object, revision = "2026-07-28") => ({
    _meta: {
      [`${ns}/protocolVersion`]: revision,
      [`${ns}/clientCapabilities`]: capabilities,
    },
  });
  const modernHeaders = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "sampling/createMessage",
  };
  const negotiation = {
    features: ["agent", "format=json"],
    ignored: ["format=xml"],
    format: "json",
    rules: [0],
  };

  it.each([
    ["sampling/createMessage", modernHeaders],
    ["its own name", { ...modernHeaders, "Mcp-Method": "sampling-router/createMessage" }],
    ["no headers at all", {}],
    // A modern request has no session, whatever session header it carries.
    ["a session nobody knows", { ...modernHeaders, "Mcp-Session-Id": "ses_nobody" }],
  ])("reads the tags of a modern request: %s", async (_, headers) => {
    const params = { ...asking("hello"), ...metaOf(tagged(features)) };
    const { status, body } = await dryRun(params, headers);
    expect([status, body["negotiation"]]).toMatchObject([200, negotiation]);
    expect(body["weights"]).toEqual(weights);
    expect(body["ignored"]).toEqual({ tags: ["format=xml"], hints: [], parameters: [] });
  });
  it("reads the tags and capabilities of a session", async () => {
    const session = await openSession(router, key, { capabilities: tagged(features) });
    const its = { "Mcp-Session-Id": session.sessionId ?? "" };
    const { body } = await dryRun(asking("hello"), its);
    expect(body["negotiation"]).toMatchObject(negotiation);
    const refused = await dryRun(asking("hello", { tools: [look] }), its);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        reason: "capability_missing",
        requiredCapabilities: { sampling: { tools: {} } },
      },
    });
  });

  it.each([
    ["tools", { tools: [look] }, { tools: {} }],
    ["an image", { metadata: { [wanted]: ["image"] } }, { supportedModalities: ["image"] }],
  ])("refuses what a modern request did not declare: %s", async (_, more, missing) => {
    const params = { ...asking("hello", more), ...metaOf({ sampling: {} }) };
    expect(await dryRun(params, modernHeaders)).toMatchObject({
      status: 400,
      body: { reason: "capability_missing", requiredCapabilities: { sampling: missing } },
    });
    const sampling = await callOnce(router, key, asking("hello", more), {
      capabilities: { sampling: {} },
    });
    expect(sampling.get("error.data")).toMatchObject({
      reason: "capability_missing",
      requiredCapabilities: { sampling: missing },
    });
  });

  it("counts every capability as declared where none are given", async () => {
    const { status, body } = await dryRun(asking("hello", { tools: [look] }));
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("negotiation");
  });

  it.each([
    [
      "another revision in the header",
      asking("hello", metaOf({})),
      { "MCP-Protocol-Version": "2025-11-25" },
      { reason: "header_mismatch", header: "MCP-Protocol-Version", missing: false },
    ],
    [
      "another method in the header",
      asking("hello", metaOf({})),
      { ...modernHeaders, "Mcp-Method": "tools/call" },
      { reason: "header_mismatch", header: "Mcp-Method", missing: false },
    ],
    [
      "a revision that nobody speaks",
      asking("hello", metaOf({}, "2031-01-01")),
      {},
      { reason: "unsupported_protocol_version", requested: "2031-01-01" },
    ],
    [
      "the modern header without the modern _meta",
      asking("hello"),
      modernHeaders,
      { reason: "invalid_params", path: `_meta.${ns}/protocolVersion` },
    ],
  ])("refuses %s, as /v1/sampling does", async (_, params, headers, refusal) => {
    expect(await dryRun(params, headers)).toMatchObject({ status: 400, body: refusal });
  });

  it("says which hints and parameters it would ignore", async () => {
    const { body } = await dryRun(
      asking("hello", {
        modelPreferences: { hints: [{ name: "nobody" }, { name: "nano" }] },
        includeContext: "allServers",
        n: 2,
      }),
    );
    expect(body["model"]).toBe("gpt-5.4-nano");
    expect(body["ignored"]).toEqual({
      tags: [],
      hints: ["nobody"],
      parameters: ["n", "includeContext"],
    });
  });
});
