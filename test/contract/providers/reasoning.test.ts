/**
 * What is on the wire about reasoning, for every model that the catalogue lists a control of and every
 * effort that it lists, through the real adapters: the table beside this file, recorded once and read
 * by hand.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/catalogue.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { nameOf, type Model } from "../../../src/domain/models.ts";
import type { ProviderRequest, ReasoningRefusals } from "../../../src/domain/providers.ts";
import {
  headroomOf,
  reasoningOf,
  type Effort,
  type ReasoningNeeds,
} from "../../../src/domain/reasoning.ts";
import { reasoningNeedsOf } from "../../../src/domain/reasoning-needs.ts";
import type { SamplingCall } from "../../../src/domain/sampling.ts";
import { createProviders } from "../../../src/providers/registry.ts";
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
    ai,
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
  const most =
    body["max_completion_tokens"] ??
    body["max_output_tokens"] ??
    body["max_tokens"] ??
    config["maxOutputTokens"];
  return `${said.length === 0 ? "nothing" : said.join(", ")}; ${String(most)} tokens`;
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

  it("is nothing for a model of which only reasoning is known, and room is given", async () => {
    for (const name of ["openai", "groq", "anthropic", "google"]) {
      provider.says({});
      const model = modelOf(name, name === "openai" ? "gpt-9" : "new-model", { reasoning: true });
      const { sent } = await ask(model, { wish: { effort: "high" } });
      // 8,192 are wanted; the model's own limit of output leaves fewer.
      expect([name, shown(sent)]).toEqual([name, `nothing; ${model.outputTokens} tokens`]);
    }
  });

  it("is nothing, without room, for a model that doesn't reason", async () => {
    const { sent } = await ask(modelOf("groq", "llama"), { wish: { effort: "high" } });
    expect(shown(sent)).toBe(`nothing; ${visible} tokens`);
  });
});
