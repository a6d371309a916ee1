/** Content negotiation end to end: from what a client declares down to the provider's request. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatSentences, verbositySentences } from "../../src/domain/sampling/shaping.ts";
import { startAimock, usageOf, type Aimock, type WireRequest } from "../fakes/aimock.ts";
import {
  adminOf,
  asking,
  at,
  callOnce,
  createTenant,
  openSession,
  type Answered,
  type SamplingCaller,
} from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const extension = "io.modelcontextprotocol/content-negotiation";
const declaring = (features: unknown, more: object = {}) => ({
  sampling: {},
  extensions: { [extension]: { version: "1.0", features } },
  ...more,
});

const usage = usageOf(21, 5);
const prose = "Sure! Here it is: 12 degrees.";
const value = '{"celsius":12}';
const mini = "openai/gpt-4.1-mini";
const nano = "openai/gpt-5.4-nano";
const hinted = { modelPreferences: { hints: [{ name: "gpt-4.1-mini" }] } };

let aimock: Aimock;
let router: SharedRouter;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  aimock = await startAimock([
    {
      match: { userMessage: "weather as data", model: "gpt-4.1-mini" },
      response: { content: prose, usage },
    },
    { match: { userMessage: "weather as data" }, response: { content: value, usage } },
    { match: { userMessage: "data at once" }, response: { content: value, usage } },
    {
      match: { userMessage: "cut the data" },
      response: { content: '{"celsius":', finishReason: "length", usage },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there!", usage } },
  ]);
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
});
afterAll(async () => {
  await aimock.stop();
});
beforeEach(() => aimock.clear());

const tenant = async (
  slug: string,
  about: { provider?: string; policy?: object; allowedModels?: string[] } = {},
): Promise<string> => {
  const provider = about.provider ?? "openai";
  const { key } = await createTenant(router, slug, {
    provider,
    baseUrl: aimock.url(provider),
    policy: { allowedModels: about.allowedModels ?? [mini], ...about.policy },
  });
  return key;
};

/** The one request that went out since the test began. */
async function sent(): Promise<WireRequest["body"]> {
  const [entry, ...more] = await aimock.journal();
  expect(more).toEqual([]);
  return entry?.body ?? null;
}
const systemOf = (body: WireRequest["body"]): unknown =>
  ((body?.["messages"] ?? []) as { role: string; content: unknown }[]).find(
    ({ role }) => role === "system",
  )?.content;

const metaOf = (answer: Answered) =>
  (answer.get("result._meta") as Record<string, unknown>)["sampling-router/decision"] as {
    requestId: string;
    attempts: number;
    model: string;
  };
const recordOf = (slug: string, answer: Answered): Promise<Answered> => {
  const requestId = answer.get("error.data.requestId") ?? metaOf(answer).requestId;
  return admin("GET", `/tenants/${slug}/requests/${String(requestId)}`);
};
const route = async (key: string, session: SamplingCaller | null, params: object) => {
  const response = await fetch(`${router.url}/v1/route`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      ...(session === null ? {} : { "Mcp-Session-Id": session.sessionId ?? "" }),
    },
    body: JSON.stringify(params),
  });
  return (await response.json()) as Record<string, unknown>;
};

describe("a client that wants JSON", () => {
  const capabilities = declaring(["format=json"]);

  it.each([
    { provider: "openai", model: mini, path: "response_format.type", says: "json_object" },
    {
      provider: "google",
      model: "google/gemini-2.5-flash",
      path: "generationConfig.responseMimeType",
      says: "application/json",
    },
    // This wire has no such setting without a schema, so there is only the sentence.
    {
      provider: "anthropic",
      model: "anthropic/claude-sonnet-4-5",
      path: "response_format",
      says: undefined,
    },
  ])(
    "asks $provider in its own words, and in a sentence",
    async ({ provider, model, path, says }) => {
      const key = await tenant(`json-${provider}`, { provider, allowedModels: [model] });
      const session = await openSession(router, key, { capabilities });
      const answer = await session.sample(asking("data at once"));
      expect(answer.get("result.content")).toEqual({ type: "text", text: value });
      const body = await sent();
      expect(at(body, path)).toBe(says);
      expect(JSON.stringify(body)).toContain(JSON.stringify(formatSentences.json).slice(1, -1));
    },
  );

  it("gets the next candidate's answer where the first is no JSON", async () => {
    const key = await tenant("json-next", { allowedModels: [mini, nano] });
    const session = await openSession(router, key, { capabilities });
    const answer = await session.sample(asking("weather as data", hinted));
    expect(answer.get("result")).toMatchObject({ content: { text: value }, model: nano });
    expect(metaOf(answer)).toMatchObject({ attempts: 2, model: "gpt-5.4-nano" });
    const record = await recordOf("json-next", answer);
    expect(record.get("attempts")).toMatchObject([
      { model: "gpt-4.1-mini", status: 200, fault: expect.any(String) as string, billed: "maybe" },
      { model: "gpt-5.4-nano", status: 200, fault: null, billed: "yes" },
    ]);
  });

  it("is refused where nobody answers JSON, and told who was asked", async () => {
    const key = await tenant("json-never");
    const session = await openSession(router, key, { capabilities });
    const answer = await session.sample(asking("weather as data"));
    expect(answer.get("error")).toMatchObject({
      code: -502,
      data: {
        reason: "provider_failed",
        attempts: expect.arrayContaining([
          {
            provider: "openai",
            model: "gpt-4.1-mini",
            status: 200,
            retryable: true,
            fault: "not_json",
          },
        ]) as unknown[],
      },
    });
    expect(answer.text).not.toContain(prose);
  });

  it("gets the cut answer where its own maxTokens cut it", async () => {
    const key = await tenant("json-cut");
    const session = await openSession(router, key, { capabilities });
    const answer = await session.sample(asking("cut the data"));
    expect(answer.get("result")).toMatchObject({
      content: { text: '{"celsius":' },
      stopReason: "maxTokens",
    });
  });

  it("gets prose where it did not declare JSON", async () => {
    const key = await tenant("json-not");
    const session = await openSession(router, key);
    const answer = await session.sample(asking("weather as data"));
    expect(answer.get("result.content.text")).toBe(prose);
    const body = await sent();
    expect(body).not.toHaveProperty("response_format");
    expect(systemOf(body)).toBeUndefined();
  });
});

describe("a sentence", () => {
  let key = "";
  beforeAll(async () => {
    key = await tenant("sentences");
  });
  const sentences: [tag: string, sentence: string][] = [
    ...Object.entries(formatSentences).map(([name, text]): [string, string] => [
      `format=${name}`,
      text,
    ]),
    ...Object.entries(verbositySentences).map(([name, text]): [string, string] => [
      `verbosity=${name}`,
      text,
    ]),
  ];

  it.each(sentences)("of %s follows the caller's own system prompt", async (tag, sentence) => {
    const session = await openSession(router, key, { capabilities: declaring([tag]) });
    await session.sample(asking("data at once", { systemPrompt: "Be kind." }));
    expect(systemOf(await sent())).toBe(`Be kind.\n\n${sentence}`);
  });

  it.each(sentences)(
    "of %s stands alone where there is no system prompt",
    async (tag, sentence) => {
      const session = await openSession(router, key, { capabilities: declaring([tag]) });
      await session.sample(asking("data at once"));
      expect(systemOf(await sent())).toBe(sentence);
    },
  );

  it("of a format comes before that of a verbosity", async () => {
    const capabilities = declaring(["verbosity=compact", "format=markdown"]);
    await callOnce(router, key, asking("hello", { systemPrompt: "Be kind." }), { capabilities });
    expect(systemOf(await sent())).toBe(
      `Be kind.\n\n${formatSentences.markdown}\n\n${verbositySentences.compact}`,
    );
  });

  it("is said in every revision, the extension being older than none of them", async () => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      aimock.clear();
      const capabilities = declaring(["format=text"]);
      const session = await openSession(router, key, { revision, capabilities });
      await session.sample(asking("hello"));
      expect(systemOf(await sent())).toBe(formatSentences.text);
    }
    aimock.clear();
    await callOnce(router, key, asking("hello"), { capabilities: declaring(["format=text"]) });
    expect(systemOf(await sent())).toBe(formatSentences.text);
  });

  it.each([
    ["format=xml"],
    ["format!=json"],
    ["!format=json"],
    ["format=json=text"],
    ["FORMAT=json"],
    ["verbosity"],
    [" format=json"],
    ["format=json\n"],
  ])("is not said for %j, which is no tag", async (tag) => {
    const session = await openSession(router, key, { capabilities: declaring([tag]) });
    const answer = await session.sample(asking("hello"));
    expect(answer.body).toHaveProperty("result");
    expect(systemOf(await sent())).toBeUndefined();
  });

  it("is not said for another version of the extension", async () => {
    const capabilities = {
      sampling: {},
      extensions: { [extension]: { version: "2.0", features: ["format=text"] } },
    };
    await callOnce(router, key, asking("hello"), { capabilities });
    expect(systemOf(await sent())).toBeUndefined();
  });
});

describe("a tenant's rules", () => {
  const rules = [
    { when: ["agent", "!interactive"], set: { systemPromptSuffix: "Nobody reads along." } },
    { when: ["format!=json"], set: { verbosity: "compact" } },
    { when: ["x-team=red"], set: { format: "markdown", systemPromptSuffix: "Red team." } },
    { when: ["human"], set: { defaultPriorities: { intelligence: 1, cost: 0, speed: 0 } } },
    { when: ["!agent", "!human"], set: { systemPromptSuffix: "Who are you?" } },
  ];
  let key = "";
  beforeAll(async () => {
    key = await tenant("rules", { policy: { rules }, allowedModels: [mini, nano] });
  });

  it.each<[features: string[], applied: number[], system: string[]]>([
    [["agent"], [0], ["Nobody reads along."]],
    [["agent", "interactive"], [], []],
    [["agent", "!interactive"], [0], ["Nobody reads along."]],
    [
      ["agent", "interactive", "format=text"],
      [1],
      [formatSentences.text, verbositySentences.compact],
    ],
    [["agent", "interactive", "format=json"], [], [formatSentences.json]],
    [
      ["agent", "interactive", "format=text", "verbosity=verbose"],
      [1],
      [formatSentences.text, verbositySentences.compact],
    ],
    [
      ["human", "x-team=red"],
      [2, 3],
      [formatSentences.markdown, "Red team."],
    ],
    [["human", "x-team=blue"], [3], []],
    [[], [4], ["Who are you?"]],
  ])(
    "apply for %j if their predicates hold, the last one over the others",
    async (features, applied, system) => {
      const session = await openSession(router, key, { capabilities: declaring(features) });
      const answer = await session.sample(asking("data at once", { systemPrompt: "Be kind." }));
      expect(systemOf(await sent())).toBe(["Be kind.", ...system].join("\n\n"));
      const record = await recordOf("rules", answer);
      expect(record.get("decision.negotiation.rules") ?? []).toEqual(applied);
    },
  );

  it("give priorities only where the call has none of its own", async () => {
    const human = await openSession(router, key, { capabilities: declaring(["human"]) });
    const weights = async (preferences: object) =>
      (await route(key, human, asking("hello", { modelPreferences: preferences })))["weights"];
    expect(await weights({})).toEqual({ cost: 0, speed: 0, intelligence: 1 });
    expect(await weights({ costPriority: 1 })).toEqual({ cost: 0.5, speed: 0, intelligence: 0.5 });
    const machine = await openSession(router, key, { capabilities: declaring(["agent"]) });
    const balanced = (await route(key, machine, asking("hello")))["weights"];
    expect(new Set(Object.values(balanced as object)).size).toBe(1);
  });

  it("are refused where a predicate is none", async () => {
    const wrong = { rules: [{ when: ["format==json"], set: {} }] };
    const answer = await admin("PUT", "/tenants/rules/policy", wrong);
    expect([answer.status, answer.get("path")]).toEqual([400, "rules.0.when.0"]);
  });
});

describe("what was negotiated", () => {
  const features = [
    "agent",
    "!interactive",
    "format=json",
    "x-team=red",
    "nonsense",
    "format=text",
  ];
  const negotiation = {
    features: ["agent", "format=json", "x-team=red", "!interactive"],
    ignored: ["nonsense", "format=text"],
    format: "json",
    verbosity: null,
    rules: [],
    interactive: false,
  };
  let key = "";
  beforeAll(async () => {
    key = await tenant("visible");
  });

  it("stands in the audit record's decision", async () => {
    const session = await openSession(router, key, { capabilities: declaring(features) });
    const legacy = await recordOf("visible", await session.sample(asking("data at once")));
    expect(legacy.get("decision.negotiation")).toEqual(negotiation);
    const modern = await callOnce(router, key, asking("data at once"), {
      capabilities: declaring(features),
    });
    expect((await recordOf("visible", modern)).get("decision.negotiation")).toEqual(negotiation);
  });

  it("stands in the dry run's answer, of the session it is asked for", async () => {
    const session = await openSession(router, key, { capabilities: declaring(features) });
    expect((await route(key, session, asking("hello")))["negotiation"]).toEqual(negotiation);
    expect(await route(key, null, asking("hello"))).not.toHaveProperty("negotiation");
    expect(await aimock.journal()).toEqual([]);
  });

  it("is absent where nothing was declared", async () => {
    const session = await openSession(router, key);
    const record = await recordOf("visible", await session.sample(asking("hello")));
    expect(record.get("decision")).not.toHaveProperty("negotiation");
  });

  it("is kept with its session, raw, and each session has its own", async () => {
    const first = await openSession(router, key, { capabilities: declaring(features) });
    const second = await openSession(router, key, {
      revision: "2024-11-05",
      capabilities: declaring(["human"], { unheard: { of: true } }),
    });
    const page = await admin("GET", "/tenants/visible/sessions?limit=200");
    const sessions = page.get("data") as { id: string; capabilities: unknown }[];
    const kept = (id: string | null) => sessions.find((one) => one.id === id)?.capabilities;
    expect(kept(first.sessionId)).toEqual(declaring(features));
    expect(kept(second.sessionId)).toEqual(declaring(["human"], { unheard: { of: true } }));
    const [a, b] = await Promise.all(
      [first, second].map(async (session) =>
        at(await route(key, session, asking("hello")), "negotiation.features"),
      ),
    );
    expect(a).toEqual(negotiation.features);
    expect(b).toEqual(["human"]);
  });
});

/** Every known tag, some unknown ones, and some that try to be more than content. */
const tags = [
  "agent",
  "human",
  "mcp-capable",
  "interactive",
  "!interactive",
  "sampling",
  "elicitation",
  "roots",
  "tasks",
  "verbosity=compact",
  "verbosity=standard",
  "verbosity=verbose",
  "format=json",
  "format=text",
  "format=markdown",
  "x-admin",
  "x-scope=tenant-admin",
  "x-limit=unlimited",
  "x-model=openai/gpt-5.4-nano",
  "admin",
  "trust=high",
] as const;

describe("no tag", () => {
  let key = "";
  let usedUpKey = "";
  let narrowKey = "";
  let silent: SamplingCaller;
  const bare = { sampling: {} };
  /** The answer without the request's id and the times. */
  const told = (answer: Answered) => {
    const {
      requestId: _,
      retryAfterMs: __,
      ...data
    } = (answer.get("error.data") ?? {}) as Record<string, unknown>;
    return { status: answer.status, code: answer.get("error.code"), data };
  };
  const call = (token: string, capabilities: object, params: object = asking("hello")) =>
    callOnce(router, token, { ...params }, { capabilities });

  beforeAll(async () => {
    key = await tenant("tags", { allowedModels: [mini, nano, "openai/gpt-5"] });
    usedUpKey = await tenant("tags-used-up", { policy: { limits: { requestsPerMinute: 1 } } });
    const narrow = await admin("POST", "/tenants/tags/keys", {
      name: "narrow",
      scopes: ["tenant-admin"],
    });
    narrowKey = String(narrow.get("key"));
    expect((await call(usedUpKey, bare)).body).toHaveProperty("result");
    silent = await openSession(router, key);
  });

  it.each(tags)("changes the candidates or their order: %s", async (tag) => {
    const session = await openSession(router, key, { capabilities: declaring([tag]) });
    const decision = await route(key, session, asking("hello"));
    const baseline = await route(key, silent, asking("hello"));
    expect((baseline["candidates"] as unknown[]).length).toBeGreaterThan(3);
    for (const part of ["provider", "model", "candidates", "excluded", "weights"])
      expect([part, decision[part]]).toEqual([part, baseline[part]]);
    const unsized = ({ requirements }: Record<string, unknown>): Record<string, unknown> => ({
      ...(requirements as Record<string, unknown>),
      inputTokens: null,
      inputTokensByFamily: null,
    });
    const [requirements, before] = [unsized(decision), unsized(baseline)];
    // Only a sentence in the prompt could make the input longer.
    expect(requirements).toEqual(before);
  });

  it.each(tags)("gets round a limit: %s", async (tag) => {
    const refused = told(await call(usedUpKey, declaring([tag])));
    expect(refused).toEqual(told(await call(usedUpKey, bare)));
    expect(refused).toMatchObject({
      code: -429,
      data: { reason: "rate_limited", limit: "tenant.requestsPerMinute" },
    });
  });

  it.each(tags)("replaces a key, a scope or a capability: %s", async (tag) => {
    const capabilities = declaring([tag]);
    for (const [token, code] of [
      ["nonsense", -401],
      [narrowKey, -403],
    ] as const) {
      const refused = told(await call(token, capabilities));
      expect(refused).toEqual(told(await call(token, bare)));
      expect(refused.code).toBe(code);
    }
    const { sampling: _, ...undeclared } = capabilities;
    expect(told(await call(key, undeclared))).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
    const tools = [{ name: "look", inputSchema: { type: "object" } }];
    expect(told(await call(key, capabilities, asking("hello", { tools })))).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: { tools: {} } } },
    });
    expect(await aimock.journal()).toEqual([]);
  });

  it("opens a model that the tenant does not allow, not even all of them together", async () => {
    const session = await openSession(router, key, { capabilities: declaring([...tags]) });
    const decision = await route(key, session, asking("hello"));
    const baseline = await route(key, silent, asking("hello"));
    expect(decision["candidates"]).toEqual(baseline["candidates"]);
    const answer = await session.sample(
      asking("data at once", { modelPreferences: { hints: [{ name: "gpt-4o" }] } }),
    );
    expect([mini, nano, "openai/gpt-5"]).toContain(answer.get("result.model"));
  });
});
