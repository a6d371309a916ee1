/** A handful of models with figures that are easy to remember, and calls for them. */
import type { CredentialSummary, Model } from "../../../src/domain/models/model.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { poolFrom, type ModelPool, type PoolParts } from "../../../src/domain/choice/model-pool.ts";
import { narrow } from "../../../src/domain/choice/hints.ts";

export const model = (name: string, fields: Partial<Model> = {}): Model => {
  const [provider = "", ...id] = name.split("/");
  return {
    provider,
    id: id.join("/"),
    name: id.join("/"),
    family: null,
    aliases: [],
    inputModalities: ["text"],
    outputModalities: ["text"],
    contextTokens: 128_000,
    outputTokens: 16_000,
    tools: true,
    temperature: true,
    reasoning: false,
    inputUsdPerMTok: 1,
    outputUsdPerMTok: 1,
    cachedInputUsdPerMTok: null,
    priceTiers: [],
    intelligence: 3,
    speed: 3,
    status: "active",
    source: "catalogue",
    ...fields,
  };
};

const priced = (inputUsdPerMTok: number | null, outputUsdPerMTok: number | null) => ({
  inputUsdPerMTok,
  outputUsdPerMTok,
});

export const models = {
  big: model("openai/gpt-big", {
    ...priced(10, 40),
    intelligence: 5,
    speed: 1,
    family: "gpt",
    inputModalities: ["text", "image"],
    contextTokens: 200_000,
    outputTokens: 32_000,
  }),
  small: model("openai/gpt-small", {
    ...priced(0.1, 0.4),
    intelligence: 1,
    speed: 4,
    family: "gpt-small",
  }),
  old: model("openai/gpt-old", { ...priced(0.01, 0.01), status: "retired", family: "gpt" }),
  sonnet: model("anthropic/claude-sonnet-9", {
    ...priced(3, 15),
    intelligence: 4,
    speed: 3,
    family: "claude-sonnet",
    aliases: ["sonnet-latest"],
    inputModalities: ["text", "image"],
    contextTokens: 200_000,
  }),
  haiku: model("anthropic/claude-haiku-9", {
    ...priced(1, 5),
    intelligence: 2,
    speed: 4,
    family: "claude-haiku",
  }),
  flash: model("google/gemini-flash", {
    ...priced(0.3, 2),
    intelligence: 3,
    speed: 5,
    family: "gemini-flash",
    inputModalities: ["text", "image", "audio"],
    contextTokens: 1_000_000,
    outputTokens: 64_000,
  }),
  painter: model("google/gemini-painter", {
    ...priced(0.3, 30),
    outputModalities: ["text", "image"],
    tools: false,
    contextTokens: 32_000,
  }),
  speaker: model("google/gemini-speaker", { ...priced(0.5, 10), outputModalities: ["audio"] }),
};

export const credential = (
  provider: string,
  fields: Partial<CredentialSummary> = {},
): CredentialSummary => ({
  id: `cred_${provider}`,
  provider,
  status: "active",
  models: null,
  ...fields,
});

export const field = (fields: Partial<PoolParts> = {}): ModelPool =>
  poolFrom({
    models: Object.values(models),
    credentials: ["openai", "anthropic", "google"].map((provider) => credential(provider)),
    catalogueVersion: "test",
    policy: {},
    ...fields,
  });

export const call = (fields: Partial<SamplingCall> = {}): SamplingCall => ({
  messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
  maxTokens: 100,
  hints: [],
  priorities: {},
  includeContext: "none",
  stopSequences: [],
  tools: [],
  metadata: {},
  outputModalities: ["text"],
  ...fields,
});

/** Whether the hint means this model itself, and not only one of its class. */
export function matchesHint(named: Model, hint: string): boolean {
  const alone = [named];
  const { levels, viaEquivalence } = narrow(
    [hint],
    { models: alone, isFeasible: () => true },
    alone,
  );
  return levels !== null && !viaEquivalence;
}
