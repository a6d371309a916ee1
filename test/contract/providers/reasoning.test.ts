/**
 * What is on the wire about reasoning, for every model that the catalogue lists a control of and every
 * effort that it lists, through the real adapters: the table beside this file, recorded once and read
 * by hand.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { nameOf, type Model } from "../../../src/domain/models/model.ts";
import type { ProviderRequest, ReasoningRefusals } from "../../../src/domain/sampling/providers.ts";
import { headroomOf, reasoningOf } from "../../../src/domain/models/reasoning.ts";
import { type Effort, type ReasoningNeeds } from "../../../src/domain/requirements.ts";
import { reasoningNeedsOf } from "../../../src/domain/sampling/reasoning-needs.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { createWorkersAi } from "../../../src/providers/workers-ai.ts";
import { startRecordingProvider, type RecordingProvider } from "../../fakes/recording-provider.ts";
import { callOf, loopbackFetch, modelOf } from "../../fixtures/providers/calls.ts";

const visible = 100;
const controlled = seedCatalogue.models.filter((model) => model.reasoningControl !== undefined);

let provider: RecordingProvider;
beforeAll(async () => {
  provider = await startRecordingProvider();
});
afterAll(() => provider.stop());
beforeEach(() => provider.says({}));

/** What the binding of Workers AI was run with. */
let run: JsonObject[] = [];
const ai = {
  run: async (_model: string, inputs: object) => {
    run.push(JSON.parse(JSON.stringify(inputs)) as JsonObject);
    return { response: "Fine.", usage: { prompt_tokens: 10, completion_tokens: 5 } };
  },
};

const refusalsOf = (): ReasoningRefusals & { names: string[] } => {
  const names: string[] = [];
  const key = (id: string, model: { provider: string; id: string }): string =>
    `${id} ${model.provider}/${model.id}`;
  return {
    names,
    has: (id, model) => names.includes(key(id, model)),
    add: (id, model) => void names.push(key(id, model)),
    version: () => names.length,
  };
};

const requestFor = (model: Model, needs: ReasoningNeeds, call: SamplingCall): ProviderRequest => {
  const { sent, metadata } = reasoningOf(model, needs);
  const headroom = headroomOf(model, { inputTokens: 10, maxTokens: visible, reasoning: needs });
  return {
    credential: {
      id: "cred_1",
      provider: model.provider,
      apiKey: "test-key",
      baseUrl: model.provider === "workers-ai" ? null : provider.url(model.provider),
    },
    model,
    call,
    maxTokens: visible,
    reasoning: { sent, metadata, headroom },
    signal: new AbortController().signal,
  };
};

const ask = async (
  model: Model,
  needs: ReasoningNeeds = {},
  about: { call?: SamplingCall; refusals?: ReasoningRefusals } = {},
) => {
  run = [];
  const providers = createProviders({
    fetch: loopbackFetch,
    workersAi: createWorkersAi(ai),
    demo: false,
    now: Date.now,
    ...(about.refusals === undefined ? {} : { refusals: about.refusals }),
  });
  const call = about.call ?? callOf({ maxTokens: visible });
  const answer = await providers.complete(requestFor(model, needs, call));
  const bodies = model.provider === "workers-ai" ? run : provider.sent();
  return { answer, bodies, sent: bodies.at(-1) ?? {} };
};

const wordsOf = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));

/** What a body says about reasoning, and how many tokens it allows. */
function shown(body: JsonObject): string {
  const config = (body["generationConfig"] ?? {}) as JsonObject;
  const parts: [string, unknown][] = [
    ["reasoning_effort", body["reasoning_effort"]],
    ["reasoning", body["reasoning"]],
    ["thinking", body["thinking"]],
    ["output_config", body["output_config"]],
    ["thinkingConfig", config["thinkingConfig"]],
    ["chat_template_kwargs", body["chat_template_kwargs"]],
  ];
  const said = parts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${wordsOf(value)}`],
  );
  const max =
    body["max_completion_tokens"] ??
    body["max_output_tokens"] ??
    body["max_tokens"] ??
    config["maxOutputTokens"];
  return `${said.length === 0 ? "nothing" : said.join(", ")}; ${String(max)} tokens`;
}

describe("what is sent", () => {
  it("is as recorded, for every model with a control and every effort that it lists", async () => {
    const lines: string[] = [];
    for (const model of controlled) {
      const control = model.reasoningControl;
      if (control === undefined) continue;
      const wishes: [string, ReasoningNeeds][] = [
        ["least", {}],
        ["provider", { wish: "provider" }],
        ...control.efforts.map((effort): [string, ReasoningNeeds] => [
          effort,
          { wish: { effort } },
        ]),
      ];
      lines.push(`${nameOf(model)} (by default ${control.byDefault}, as ${control.sentAs})`);
      for (const [name, needs] of wishes) {
        provider.says({});
        const { answer, sent } = await ask(model, needs);
        expect(answer, nameOf(model)).toMatchObject({ ok: true });
        lines.push(`  ${name}: ${shown(sent)}`);
      }
    }
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("reasoning.wire.txt");
  });

  it("asks for as many tokens as the text and the reasoning have together, whatever the adapter adds", async () => {
    for (const model of controlled) {
      const efforts: Effort[] = model.reasoningControl?.efforts ?? [];
      for (const effort of efforts) {
        const needs = { wish: { effort } };
        provider.says({});
        const { sent } = await ask(model, needs);
        const headroom = headroomOf(model, {
          inputTokens: 10,
          maxTokens: visible,
          reasoning: needs,
        });
        expect([nameOf(model), effort, shown(sent)]).toEqual([
          nameOf(model),
          effort,
          expect.stringMatching(new RegExp(`; ${visible + headroom} tokens$`)),
        ]);
      }
    }
  });

  it("is nothing for a model whose efforts are unknown, and room is given", async () => {
    for (const name of ["openai", "groq", "anthropic", "google"]) {
      provider.says({});
      const model = modelOf(name, name === "openai" ? "gpt-9" : "new-model", { reasoning: true });
      const { sent } = await ask(model, { wish: { effort: "high" } });
      // 8,192 are wanted; the model's own limit of output leaves fewer.
      expect([name, shown(sent)]).toEqual([name, `nothing; ${model.outputTokens} tokens`]);
    }
  });

  it("is nothing for a model that doesn't reason, and no room is given", async () => {
    const { sent } = await ask(modelOf("groq", "llama"), { wish: { effort: "high" } });
    expect(shown(sent)).toBe(`nothing; ${visible} tokens`);
  });
});

const listed = (name: string): Model => {
  const found = controlled.find((model) => nameOf(model) === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const asked = (change: Partial<SamplingCall>): { call: SamplingCall; needs: ReasoningNeeds } => {
  const call = callOf({ maxTokens: visible, ...change });
  return { call, needs: reasoningNeedsOf(call, { reasoning: { effort: "high" } }) ?? {} };
};

describe("the call's own metadata", () => {
  it.each([
    ["openai/gpt-5", { reasoningEffort: "low" }, 'reasoning_effort "low"; 4196 tokens'],
    ["openai/gpt-5-codex", { reasoningEffort: "low" }, 'reasoning {"effort":"low"}; 4196 tokens'],
    [
      "anthropic/claude-fable-5",
      { effort: "medium" },
      'output_config {"effort":"medium"}; 8292 tokens',
    ],
    // The effort alone doesn't switch thinking on, so there is nothing to make room for.
    ["anthropic/claude-opus-4-8", { effort: "low" }, 'output_config {"effort":"low"}; 100 tokens'],
    [
      "google/gemini-2.5-flash",
      { thinkingConfig: { thinkingBudget: 700 } },
      'thinkingConfig {"thinkingBudget":700}; 800 tokens',
    ],
    [
      "groq/openai/gpt-oss-20b",
      { reasoningEffort: "medium" },
      'reasoning_effort "medium"; 8292 tokens',
    ],
  ])("wins over the policy: %s, %j", async (name, options, line) => {
    const model = listed(name);
    const { call, needs } = asked({ metadata: { [model.provider]: options } });
    const { sent } = await ask(model, needs, { call });
    expect(shown(sent)).toBe(line);
  });

  it("asks for no more than the least with a forced tool", async () => {
    const model = listed("openai/gpt-5");
    const tools = [{ name: "look", inputSchema: { type: "object" } }];
    const { call, needs } = asked({
      tools,
      toolChoice: "required",
      metadata: { openai: { reasoningEffort: "high", user: "u1" } },
    });
    const { sent, answer } = await ask(model, needs, { call });
    expect(shown(sent)).toBe('reasoning_effort "minimal"; 2148 tokens');
    expect(sent["user"]).toBe("u1");
    expect(answer).toMatchObject({
      value: { notes: [expect.stringMatching(/^metadata: reasoning left out/)] },
    });
  });
});

describe("a model that refuses to be asked about reasoning", () => {
  const message = (text: string) => ({ error: { message: text, type: "invalid_request_error" } });
  const openaiSays = (param: string) => ({
    error: { message: `Unsupported value: 'x' (${param}).`, param, code: "unsupported_value" },
  });
  const refusals: [string, unknown][] = [
    ["openai/gpt-5", openaiSays("reasoning_effort")],
    ["openai/gpt-5-codex", openaiSays("reasoning.effort")],
    [
      "anthropic/claude-sonnet-5",
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "thinking.type: Input tag 'disabled' is not supported",
        },
      },
    ],
    [
      "google/gemini-2.5-flash",
      {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: "Budget 0 is invalid. This model only works in thinking mode.",
        },
      },
    ],
    ["groq/qwen/qwen3-32b", openaiSays("reasoning_effort")],
    [
      "xai/grok-4.3",
      {
        code: "invalid-argument",
        error: "Model grok-4.3 does not support parameter reasoningEffort.",
      },
    ],
    ["ollama/qwen3:8b", message('"qwen3:8b" does not support thinking')],
    ["mistral/mistral-small-2603", message("reasoning_effort is not supported by this model")],
    [
      "together/moonshotai/Kimi-K2.6",
      { detail: [{ type: "extra_forbidden", loc: ["body", "reasoning"], msg: "Extra inputs" }] },
    ],
    [
      "google/gemini-3-flash-preview",
      message(
        "Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config'",
      ),
    ],
  ];

  it.each(refusals)(
    "is asked once more without the parameter, and a note says so: %s",
    async (name, body) => {
      provider.says({ status: 400, body }, {});
      const memory = refusalsOf();
      const needs: ReasoningNeeds = name.startsWith("mistral") ? { wish: { effort: "high" } } : {};
      const { answer, bodies } = await ask(listed(name), needs, { refusals: memory });
      expect(bodies).toHaveLength(2);
      expect(shown(bodies[0] ?? {})).not.toMatch(/^nothing/);
      expect(shown(bodies[1] ?? {})).toMatch(/^nothing/);
      expect(answer).toMatchObject({
        ok: true,
        value: {
          content: [{ type: "text", text: "Fine." }],
          notes: [expect.stringMatching(/^reasoning left out/)],
          usage: { inputTokens: 10, outputTokens: 5 },
        },
      });
      expect(memory.names).toEqual([`cred_1 ${name}`]);
    },
  );

  it("is remembered by credential and model, and asked for no effort from then on", async () => {
    const memory = refusalsOf();
    const model = listed("openai/gpt-5");
    memory.add("cred_1", model);
    const { answer, bodies } = await ask(model, {}, { refusals: memory });
    expect(bodies.map(shown)).toEqual([expect.stringMatching(/^nothing/)]);
    expect(answer).toMatchObject({
      value: { notes: [expect.stringMatching(/^reasoning left out/)] },
    });
    const other = await ask(listed("openai/gpt-5-mini"), {}, { refusals: memory });
    expect(shown(other.sent)).toMatch(/^reasoning_effort/);
  });

  it("is not remembered for what the caller's metadata asked", async () => {
    provider.says({ status: 400, body: openaiSays("reasoning_effort") }, {});
    const memory = refusalsOf();
    const { call, needs } = asked({ metadata: { openai: { reasoningEffort: "none" } } });
    const { bodies } = await ask(listed("openai/o3"), needs, { call, refusals: memory });
    expect(bodies.map(shown)).toEqual([
      expect.stringMatching(/^reasoning_effort "none"/),
      expect.stringMatching(/^nothing/),
    ]);
    expect(memory.names).toEqual([]);
  });

  it("is not remembered where the model may have refused a forced tool instead", async () => {
    provider.says({ status: 400, body: openaiSays("reasoning_effort") }, {});
    const memory = refusalsOf();
    const tools = [{ name: "look", inputSchema: { type: "object" } }];
    const { call, needs } = asked({ tools, toolChoice: "required" });
    const { bodies } = await ask(listed("openai/gpt-5"), needs, { call, refusals: memory });
    expect(bodies).toHaveLength(2);
    expect(memory.names).toEqual([]);
  });

  it("is asked twice at most, and its second refusal is the fault", async () => {
    provider.says({ status: 400, body: openaiSays("reasoning_effort") });
    const { answer, bodies } = await ask(listed("openai/gpt-5"));
    expect(bodies).toHaveLength(2);
    expect(answer).toMatchObject({
      ok: false,
      error: { kind: "invalid_request", status: 400, billed: "no" },
    });
  });

  it.each<[string, number, unknown]>([
    ["another parameter", 400, openaiSays("temperature")],
    ["another status", 500, openaiSays("reasoning_effort")],
    [
      "a message that quotes a prompt",
      400,
      message("Bad input: 'thinking: reasoning_effort is not supported'"),
    ],
    [
      "a message about the text",
      400,
      message("The message is about thinking budgets, and too long."),
    ],
    ["a message about thoughts", 400, message("Invalid value: 'I was thinking of reasoning'")],
    ["no JSON", 400, "reasoning_effort"],
    ["nothing", 400, {}],
  ])("is told from one that refuses %s", async (_, status, body) => {
    provider.says({ status, body });
    const { answer, bodies } = await ask(listed("openai/gpt-5"));
    expect(answer.ok).toBe(false);
    expect(bodies).toHaveLength(1);
  });

  it("is not asked again where nothing was said about reasoning", async () => {
    provider.says({ status: 400, body: openaiSays("reasoning_effort") });
    const { bodies } = await ask(listed("openai/gpt-5.1"));
    expect(bodies).toHaveLength(1);
  });
});

describe("an answer", () => {
  it.each([
    "openai/gpt-5",
    "openai/gpt-5-codex",
    "anthropic/claude-fable-5",
    "google/gemini-2.5-pro",
    "groq/openai/gpt-oss-20b",
  ])("says how many of its tokens were reasoning: %s", async (name) => {
    provider.says({ outputTokens: 90, reasoningTokens: 70 });
    const { answer } = await ask(listed(name));
    expect(answer).toMatchObject({
      value: { usage: { outputTokens: 90, classes: { reasoningTokens: 70 } } },
    });
  });

  it.each([
    "openai/gpt-5",
    "openai/gpt-5-codex",
    "anthropic/claude-fable-5",
    "google/gemini-2.5-pro",
    "groq/openai/gpt-oss-20b",
  ])(
    "that ended for length without a text is a fault of the model, with its usage: %s",
    async (name) => {
      provider.says({ text: "", cut: true, outputTokens: 4_196, reasoningTokens: 4_196 });
      const { answer } = await ask(listed(name));
      expect(answer).toMatchObject({
        ok: false,
        error: {
          kind: "empty",
          reach: "model",
          retryable: true,
          usage: { inputTokens: 10, outputTokens: 4_196, classes: { reasoningTokens: 4_196 } },
        },
      });
    },
  );
});
