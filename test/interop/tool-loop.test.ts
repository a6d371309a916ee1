/**
 * A loop of tools: three rounds of two uses each, then the answer. Through the official client and by
 * modern calls, on each provider's wire, looking at what the provider got every time.
 */
import type { Fixture } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, at, callOnce, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { toolsIn } from "../fakes/strict-wires.ts";
import { answerAt } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { connect, refusalOf, weatherTool } from "../fixtures/interop/client.ts";

interface ToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}
interface Turn {
  role: string;
  content: unknown;
}
interface Answer {
  role: string;
  content: unknown;
  stopReason?: string | undefined;
}
type Sample = (params: object) => Promise<Answer>;

const capabilities = { sampling: { tools: {} } };
const timeTool = { name: "get_time", inputSchema: { type: "object", properties: {} } } as const;
const usage = usageOf(31, 9);
/** One use of the same tool twice, and one of two tools: what only an id, and what a name tells apart. */
const rounds = [
  [
    { name: "get_weather", input: { city: "Ghent" }, result: "12 °C" },
    { name: "get_weather", input: { city: "Bruges" }, result: "13 °C" },
  ],
  [
    { name: "get_time", input: {}, result: "noon" },
    { name: "get_weather", input: { city: "Ypres" }, result: "14 °C" },
  ],
  [
    { name: "get_weather", input: { city: "Mons" }, result: "15 °C" },
    { name: "get_time", input: {}, result: "one o'clock" },
  ],
];
const question: Turn = { role: "user", content: { type: "text", text: "weather everywhere" } };
const asked = { maxTokens: 100, tools: [weatherTool, timeTool] };

/** One fixture a round, told apart by how many results the history holds. */
const fixtures: Fixture[] = [...rounds, null].map((round, index) => ({
  match: {
    userMessage: "weather everywhere",
    predicate: ({ messages }) =>
      messages.filter(({ role }) => role === "tool").length === index * 2,
  },
  response:
    round === null
      ? { content: "Mild everywhere.", usage }
      : {
          toolCalls: round.map(({ name, input }, use) => ({
            id: `call_${index}_${use}`,
            name,
            arguments: JSON.stringify(input),
          })),
          usage,
        },
}));

const wires = [
  { provider: "openai", model: "gpt-4.1-mini" },
  { provider: "anthropic", model: "claude-sonnet-4-5" },
  { provider: "google", model: "gemini-2.5-flash" },
] as const;

/** A history as the provider got it, in one spelling. */
type Told =
  | { said: string }
  | { uses: { id: string; name: string; input: unknown }[] }
  | { results: { id: string; text: string }[] };

type Json = Record<string, unknown>;

function toldOpenai(body: Json): Told[] {
  const told: Told[] = [];
  for (const message of body["messages"] as Json[]) {
    if (message["role"] === "tool") {
      const result = { id: String(message["tool_call_id"]), text: String(message["content"]) };
      const last = told.at(-1);
      if (last !== undefined && "results" in last) last.results.push(result);
      else told.push({ results: [result] });
    } else if (message["role"] === "assistant")
      told.push({
        uses: (message["tool_calls"] as { id: string; function: Json }[]).map((call) => ({
          id: call.id,
          name: String(call.function["name"]),
          input: JSON.parse(String(call.function["arguments"])) as unknown,
        })),
      });
    else told.push({ said: String(message["content"]) });
  }
  return told;
}

const toldAnthropic = (body: Json): Told[] =>
  (body["messages"] as { role: string; content: Json[] }[]).map(({ role, content }): Told => {
    if (role === "assistant")
      return {
        uses: content.map((block) => {
          expect(block["type"]).toBe("tool_use");
          return { id: String(block["id"]), name: String(block["name"]), input: block["input"] };
        }),
      };
    if (content.some(({ type }) => type === "tool_result"))
      return {
        results: content.map((block) => ({
          id: String(block["tool_use_id"]),
          text: String(block["content"]),
        })),
      };
    return { said: content.map(({ text }) => String(text)).join("") };
  });

const toldGoogle = (body: Json): Told[] =>
  (body["contents"] as { role: string; parts: Json[] }[]).map(({ role, parts }): Told => {
    if (role === "model")
      return {
        uses: parts.map((part) => {
          const call = part["functionCall"] as Json;
          return { id: String(call["id"]), name: String(call["name"]), input: call["args"] };
        }),
      };
    if (parts.some((part) => "functionResponse" in part))
      return {
        results: parts.map((part) => {
          const answer = part["functionResponse"] as Json;
          return {
            id: String(answer["id"]),
            text: String((answer["response"] as Json)["content"]),
          };
        }),
      };
    return { said: parts.map(({ text }) => String(text)).join("") };
  });

const toldBy = { openai: toldOpenai, anthropic: toldAnthropic, google: toldGoogle };

let aimock: Aimock;
let router: SharedRouter;
const keys: Record<string, string> = {};

beforeAll(async () => {
  aimock = await startAimock(fixtures);
  router = await borrowRouter();
  for (const { provider, model } of wires)
    keys[provider] = (
      await createTenant(router, `loop-${provider}`, {
        provider,
        baseUrl: aimock.url(provider),
        policy: { allowedModels: [`${provider}/${model}`] },
      })
    ).key;
});
afterAll(async () => {
  await aimock.stop();
});
beforeEach(() => aimock.clear());

/** The two ways in; each is a function that samples, and one that ends it. */
const ways = [
  {
    way: "the official client on 2025-11-25",
    async open(key: string): Promise<{ sample: Sample; close: () => Promise<void> }> {
      const { client, sampleWithTools } = await connect(router.url, key, {
        revision: "2025-11-25",
        capabilities,
      });
      return { sample: sampleWithTools, close: () => client.close() };
    },
  },
  {
    way: "modern calls",
    open: (key: string): Promise<{ sample: Sample; close: () => Promise<void> }> =>
      Promise.resolve({
        async sample(params) {
          const answer = await callOnce(router, key, { ...params }, { capabilities });
          expect(answer.get("error"), answer.text).toBeUndefined();
          expect(answer.get("result.resultType")).toBe("complete");
          return answer.get("result") as Answer;
        },
        close: () => Promise.resolve(),
      }),
  },
];

const usesOf = (answer: Answer): ToolUse[] => answer.content as ToolUse[];
const resultOf = (toolUseId: string, text: string) => ({
  type: "tool_result",
  toolUseId,
  content: [{ type: "text", text }],
});

describe.each(ways)("through $way", ({ open }) => {
  it.each(wires)("$provider gets every use and every result of three rounds", async (wire) => {
    const { sample, close } = await open(keys[wire.provider] ?? "");
    const messages: Turn[] = [question];
    const expected: Told[] = [{ said: "weather everywhere" }];
    const seen = new Set<string>();
    for (const round of rounds) {
      const answer = await sample({ ...asked, messages });
      expect(answer).toMatchObject({ role: "assistant", stopReason: "toolUse" });
      const uses = usesOf(answer);
      expect(uses.map(({ type, name, input }) => ({ type, name, input }))).toEqual(
        round.map(({ name, input }) => ({ type: "tool_use", name, input })),
      );
      for (const { id } of uses) seen.add(id);
      messages.push(
        { role: "assistant", content: answer.content },
        {
          role: "user",
          content: uses.map(({ id }, index) => resultOf(id, round[index]?.result ?? "")),
        },
      );
      expected.push(
        { uses: uses.map(({ id, name, input }) => ({ id, name, input })) },
        { results: uses.map(({ id }, index) => ({ id, text: round[index]?.result ?? "" })) },
      );
    }
    const last = await sample({ ...asked, messages });
    expect(last).toMatchObject({
      content: { type: "text", text: "Mild everywhere." },
      stopReason: "endTurn",
    });
    expect(seen.size).toBe(6);
    const journal = await aimock.journal();
    expect(journal.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const [index, { body }] of journal.entries()) {
      expect(toldBy[wire.provider](body ?? {})).toEqual(expected.slice(0, 1 + index * 2));
    }
    await close();
  });
});

describe("a history", () => {
  const used = (ids: string[]): Turn => ({
    role: "assistant",
    content: ids.map((id) => ({ type: "tool_use", id, name: "get_time", input: {} })),
  });
  const answered = (ids: string[]): Turn => ({
    role: "user",
    content: ids.map((id) => resultOf(id, `of ${id}`)),
  });
  const broken: [string, Turn[], string][] = [
    ["a use without its result", [used(["a", "b"]), answered(["a"])], "messages.2.content"],
    ["a result of nobody's", [used(["a"]), answered(["a", "c"])], "messages.2.content"],
    ["a result twice", [used(["a"]), answered(["a", "a"])], "messages.2.content"],
    ["two uses of one id", [used(["a", "a"]), answered(["a"])], "messages.1.content"],
    ["a use that is left open", [used(["a"])], "messages.2"],
    [
      "a result beside a text",
      [
        used(["a"]),
        { role: "user", content: [resultOf("a", "x"), { type: "text", text: "and this" }] },
      ],
      "messages.2.content",
    ],
  ];

  it.each(broken)("with %s reaches no provider", async (_, turns, path) => {
    const params = { ...asked, messages: [question, ...turns] };
    const { client, sampleWithTools } = await connect(router.url, keys["openai"] ?? "", {
      revision: "2025-11-25",
      capabilities,
    });
    const { code, data } = await refusalOf(sampleWithTools(params));
    expect([code, data["reason"], data["path"]]).toEqual([-32602, "invalid_params", path]);
    await client.close();
    const modern = await callOnce(router, keys["openai"] ?? "", params, { capabilities });
    expect([modern.status, modern.get("error.code"), modern.get("error.data.path")]).toEqual([
      200,
      -32602,
      path,
    ]);
    expect(await aimock.journal()).toEqual([]);
  });

  it.each(wires)("may answer in another order; $provider gets the right ones", async (wire) => {
    const uses = [
      { type: "tool_use", id: "a", name: "get_time", input: {} },
      { type: "tool_use", id: "b", name: "get_weather", input: { city: "Ghent" } },
    ];
    const answer = await callOnce(
      router,
      keys[wire.provider] ?? "",
      {
        ...asked,
        messages: [question, { role: "assistant", content: uses }, answered(["b", "a"])],
      },
      { capabilities },
    );
    expect(answer.get("result.stopReason")).toBe("toolUse");
    const [sent] = await aimock.journal();
    const told = toldBy[wire.provider](sent?.body ?? {});
    expect(told.find((turn) => "results" in turn)).toEqual({
      results: ["b", "a"].map((id) => ({ id, text: `of ${id}` })),
    });
  });
});

describe("what a provider wants back with its tool use", () => {
  /** Gemini's wire with thought signatures, which aimock doesn't emit: recorded shapes, two turns. */
  let gemini: WireServer;
  let sent: Json[] = [];
  let key = "";
  const signatures = ["c2lnLTE=", "c2lnLTI="];
  const finished = (parts: Json[]) => ({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
  });
  const turns = [
    finished([
      {
        functionCall: { name: "get_weather", args: { city: "Ghent" } },
        thoughtSignature: signatures[0],
      },
      {
        functionCall: { name: "get_weather", args: { city: "Bruges" } },
        thoughtSignature: signatures[1],
      },
    ]),
    finished([{ text: "Mild." }]),
  ];

  beforeAll(async () => {
    gemini = await startWireServer({
      answers({ json }, response) {
        sent.push(json);
        sendJson(response, 200, (json["contents"] as []).length > 1 ? turns[1] : turns[0]);
      },
    });
    ({ key } = await createTenant(router, "loop-signed", {
      provider: "google",
      baseUrl: gemini.url("google"),
      policy: { allowedModels: ["google/gemini-3-flash-preview"] },
    }));
  });
  afterAll(() => gemini.stop());
  beforeEach(() => {
    sent = [];
  });

  it.each(ways)("travels in the block's _meta, there and back, through $way", async ({ open }) => {
    const { sample, close } = await open(key);
    const first = await sample({ ...asked, messages: [question] });
    const uses = usesOf(first);
    expect(uses.map(({ _meta }) => _meta)).toEqual(
      signatures.map((thoughtSignature) => ({
        "sampling-router/providerMetadata": { google: { thoughtSignature } },
        "sampling-router/origin": {
          provider: "google",
          model: expect.any(String),
          credentialId: expect.stringMatching(/^cred_/),
        },
      })),
    );
    const last = await sample({
      ...asked,
      messages: [
        question,
        { role: "assistant", content: first.content },
        { role: "user", content: uses.map(({ id }) => resultOf(id, "12 °C")) },
      ],
    });
    expect(last).toMatchObject({ content: { type: "text", text: "Mild." }, stopReason: "endTurn" });
    expect(sent).toHaveLength(2);
    const model = (at(sent[1], "contents.1.parts") ?? []) as Json[];
    expect(
      model.map((part) => [
        ((part["functionCall"] as Json)["args"] as Json)["city"],
        part["thoughtSignature"],
      ]),
    ).toEqual([
      ["Ghent", signatures[0]],
      ["Bruges", signatures[1]],
    ]);
    await close();
  });

  it("is nothing that another key of _meta could smuggle in", async () => {
    const { sample } = await (ways[1] as (typeof ways)[number]).open(key);
    const use = {
      type: "tool_use",
      id: "a",
      name: "get_time",
      input: {},
      _meta: { google: { thoughtSignature: "smuggled" }, "acme/thing": "smuggled" },
    };
    await sample({
      ...asked,
      messages: [
        question,
        { role: "assistant", content: [use] },
        { role: "user", content: [resultOf("a", "noon")] },
      ],
    });
    expect(JSON.stringify(sent)).not.toContain("smuggled");
  });
});

describe("policy.toolRounds", () => {
  it("ends a loop that goes round too often, before the provider is asked", async () => {
    const { key } = await createTenant(router, "loop-limited", {
      provider: "openai",
      baseUrl: aimock.url("openai"),
      policy: { allowedModels: ["openai/gpt-4.1-mini"], toolRounds: 2 },
    });
    const { client, sampleWithTools } = await connect(router.url, key, {
      revision: "2025-11-25",
      capabilities,
    });
    const messages: Turn[] = [question];
    for (let round = 0; round < 3; round += 1) {
      const uses = usesOf(await sampleWithTools({ ...asked, messages }));
      messages.push(
        { role: "assistant", content: uses },
        { role: "user", content: uses.map(({ id }) => resultOf(id, "x")) },
      );
    }
    expect(await aimock.journal()).toHaveLength(3);
    const { code, data } = await refusalOf(sampleWithTools({ ...asked, messages }));
    expect(code).toBe(-403);
    expect(data).toMatchObject({ reason: "forbidden", action: "more than 2 tool rounds" });
    const modern = await callOnce(router, key, { ...asked, messages }, { capabilities });
    expect([modern.status, modern.get("error.code")]).toEqual([200, -403]);
    expect(modern.get("error.message")).toContain("more than 2 tool rounds");
    expect(await aimock.journal()).toHaveLength(3);
    await client.close();
  });
});

describe("a loop of six rounds whose provider fails after each", () => {
  const models = [
    { provider: "openai", model: "gpt-4.1-mini" },
    { provider: "anthropic", model: "claude-sonnet-4-6" },
    { provider: "google", model: "gemini-3-flash-preview" },
    { provider: "mistral", model: "mistral-large-2512" },
    { provider: "groq", model: "llama-3.3-70b-versatile" },
    { provider: "deepseek", model: "deepseek-v4-flash" },
  ];
  const tools = ["a.b", "a/b", "3d", "x".repeat(80), "constructor", "plain"].map((name) => ({
    name,
    inputSchema: { type: "object", properties: { $top: { type: "integer" } } },
  }));
  let providers: WireServer;
  let failing = "";
  let key = "";

  beforeAll(async () => {
    providers = await startWireServer({
      answers({ provider, wire, json }, response) {
        if (provider === failing) return sendJson(response, 500, { error: { message: "down" } });
        // The tool of the round, under the name and with the argument that the wire got.
        const round = JSON.stringify(json).split("result of round").length - 1;
        const sent = toolsIn(json)[round];
        const [member = ""] = Object.keys(sent?.schema["properties"] ?? {});
        const id = `functions.${round}:é`;
        const toolUse = { id, name: sent?.name ?? "", input: { [member]: round } };
        sendJson(response, 200, answerAt(wire ?? "compatible", { toolUse }));
      },
    });
    const baseUrl = (provider: string) => providers.url(provider);
    const [first, ...others] = models.map(({ provider }) => provider);
    ({ key } = await createTenant(router, "loop-failing", {
      provider: first ?? "",
      baseUrl: baseUrl(first ?? ""),
      policy: {
        allowedModels: models.map(({ provider, model }) => `${provider}/${model}`),
        toolRounds: 6,
      },
    }));
    const admin = adminOf(router, router.adminToken);
    for (const provider of others)
      await admin("POST", "/tenants/loop-failing/credentials", {
        provider,
        name: provider,
        apiKey: "provider-key",
        baseUrl: baseUrl(provider),
      });
  });
  afterAll(() => providers.stop());

  it("goes on at the others under the caller's names", async () => {
    const { sample } = await (ways[1] as (typeof ways)[number]).open(key);
    const messages: Turn[] = [question];
    const answered: string[] = [];
    for (const [round, { provider, model }] of models.entries()) {
      const modelPreferences = { hints: [{ name: `${provider}/${model}` }] };
      const answer = await sample({ maxTokens: 100, tools, messages, modelPreferences });
      const content = [answer.content].flat() as ToolUse[];
      expect(content).toMatchObject([
        { type: "tool_use", name: tools[round]?.name, input: { $top: round } },
      ]);
      failing = String(at(content[0]?._meta, "sampling-router/origin.provider"));
      answered.push(failing);
      const results = content.map(({ id }) => resultOf(id, `result of round ${round}`));
      messages.push({ role: "assistant", content }, { role: "user", content: results });
    }
    expect(answered).toEqual(models.map(({ provider }) => provider));
  });
});
