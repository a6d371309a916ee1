/** Every spelling of a model's name has the canonical name of that model, and of no other. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { canonicalName, canonicalOf } from "../../../src/domain/models/canonical-name.ts";
import { geographies } from "../../../src/domain/models/cloud-place.ts";
import { localProviders } from "../../../src/domain/models/model.ts";
import { model } from "./models.fixture.ts";

const { models: listed } = JSON.parse(
  readFileSync(new URL("../../fixtures/models-dev/names.json", import.meta.url), "utf8"),
) as { models: Record<string, Record<string, string>> };
const ids = Object.values(listed).flatMap((of) => Object.keys(of));

describe("the canonical name", () => {
  it.each([
    ["claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["us.anthropic.claude-sonnet-5-v1:0", "anthropic/claude-sonnet-5"],
    ["us-gov.anthropic.claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["jp.anthropic.claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["au.anthropic.claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["apac.anthropic.claude-sonnet-5-20261001-v1:0:200k", "anthropic/claude-sonnet-5"],
    ["claude-sonnet-5@20261001", "anthropic/claude-sonnet-5"],
    ["publishers/anthropic/models/claude-sonnet-5@default", "anthropic/claude-sonnet-5"],
    ["anthropic/claude-sonnet-5:thinking", "anthropic/claude-sonnet-5"],
    ["claude-sonnet-5-latest", "anthropic/claude-sonnet-5"],
    ["Claude Sonnet 4.5", "anthropic/claude-sonnet-4-5"],
    ["anthropic/claude-4.5-sonnet", "anthropic/claude-sonnet-4-5"],
    ["claude-3-5-sonnet-20241022", "anthropic/claude-sonnet-3-5"],
    ["gpt-35-turbo", "openai/gpt-3.5-turbo"],
    ["gpt-3.5-turbo-0125", "openai/gpt-3.5-turbo"],
    ["openai/gpt-oss-120b:free", "openai/gpt-oss-120b"],
    ["openai.gpt-oss-120b-1:0", "openai/gpt-oss-120b"],
    ["gpt-4o-2024-11-20", "openai/gpt-4o"],
    ["gpt-5-chat-latest", "openai/gpt-5-chat"],
    ["gpt-5.6", "openai/gpt-5.6-sol"],
    ["o3-mini-2025-01-31", "openai/o3-mini"],
    ["google/gemini-2.5-flash-preview-05-20", "google/gemini-2.5-flash-preview"],
    ["mistral-large-2407-v1:0", "mistral/mistral-large-2407"],
    ["mistral.mistral-large-3-675b-instruct", "mistral/mistral-large-2512"],
    ["meta-llama/Llama-3.3-70B-Instruct", "meta/llama-3.3-70b"],
    ["meta.llama3-3-70b-instruct-v1:0", "meta/llama-3.3-70b"],
    ["llama3.3:70b", "meta/llama-3.3-70b"],
    ["cohere.command-r-plus-v1:0", "cohere/command-r-plus"],
    ["moonshotai.kimi-k2.5", "moonshotai/kimi-k2.5"],
    ["accounts/fireworks/models/kimi-k2p6", "moonshotai/kimi-k2.6"],
    ["deepseek.v3.2", "deepseek/deepseek-v3.2"],
    ["deepseek.r1-v1:0", "deepseek/deepseek-r1"],
    ["qwen.qwen3-32b-v1:0", "qwen/qwen-3-32b"],
  ])("of %s is %s", (id, canonical) => {
    expect(canonicalName(id)).toBe(canonical);
  });

  it.each([
    ["gpt-5.6-luna", "gpt-5.6-terra"],
    ["gpt-5", "gpt-5-chat"],
    ["gpt-4", "gpt-4-turbo"],
    ["gpt-3.5-turbo", "gpt-3.5-turbo-instruct"],
    ["tts-1", "tts-1-hd"],
    ["gemini-3-flash", "gemini-3-flash-preview"],
    ["mistral-large-2411", "mistral-large-2512"],
    ["kimi-k2", "kimi-k2-thinking"],
    ["deepseek-r1", "deepseek-r1-distill-qwen-32b"],
    ["gpt-4o", "ft:gpt-4o:acme::7p4l"],
  ])("tells %s from %s", (one, other) => {
    expect(canonicalName(one)).not.toBe(canonicalName(other));
  });

  const idsOf = (...providers: string[]): string[] =>
    providers.flatMap((provider) => Object.keys(listed[provider] ?? {}));
  const bedrock = idsOf("amazon-bedrock").map((id) =>
    id.replace(/^(us|eu|apac|jp|au|ca|global)\./, ""),
  );
  const vertex = idsOf("google-vertex");
  const claude = idsOf("anthropic");
  const open = idsOf("togetherai", "fireworks-ai");
  const last = (id: string): string => id.split("/").at(-1) ?? id;
  const forms: [form: string, ids: string[], written: (id: string) => string][] = [
    ...geographies.map((geography): [string, string[], (id: string) => string] => [
      `Bedrock's profiles of ${geography}`,
      bedrock,
      (id) => `${geography}.${id}`,
    ]),
    [
      "Bedrock's ARNs of profiles",
      bedrock,
      (id) => `arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:inference-profile/us-gov.${id}`,
    ],
    [
      "Bedrock's ARNs of models",
      bedrock,
      (id) => `arn:aws:bedrock:eu-west-1::foundation-model/${id}`,
    ],
    ["Bedrock's context sizes", bedrock.filter((id) => id.endsWith("v1:0")), (id) => `${id}:200k`],
    ["Bedrock's versions", claude, (id) => `anthropic.${id}-v1:0`],
    ["Vertex's paths", vertex, (id) => `projects/p/locations/eu/publishers/google/models/${id}`],
    ["Vertex's default versions", claude, (id) => `${id}@default`],
    ["Vertex's numbered versions", idsOf("google"), (id) => `${id}@001`],
    ["Hugging Face's routes", open.filter((id) => id.includes("/")), (id) => `${id}:fireworks-ai`],
    ["Hugging Face's cheapest", open.filter((id) => id.includes("/")), (id) => `${id}:cheapest`],
    ["AI Gateway's OpenAI", idsOf("openai"), (id) => `openai/${id}`],
    ["AI Gateway's Google", idsOf("google"), (id) => `google-ai-studio/${id}`],
    ["AI Gateway's Bedrock", bedrock, (id) => `aws-bedrock/${id}`],
    ["LiteLLM's Bedrock", bedrock, (id) => `bedrock/converse/${id}`],
    ["LiteLLM's regions", bedrock, (id) => `bedrock/us-east-1/${id}`],
    ["LiteLLM's Vertex", vertex, (id) => `vertex_ai/${id}`],
    ["LiteLLM's Azure", idsOf("openai"), (id) => `azure/${id}`],
    ["llama.cpp's files", open, (id) => `/models/${last(id)}-Q4_K_M.gguf`],
    ["llama.cpp's split files", open, (id) => `${last(id)}-UD-IQ2_XXS-00001-of-00003.gguf`],
    ["Ollama's quantizations", open, (id) => `hf.co/${id}:Q8_0`],
    ["LM Studio's quantizations", open, (id) => `${id}@q4_k_m`],
  ];

  it.each(forms)("is the same in %s", (_, names, written) => {
    const known = names.filter((id) => canonicalName(id) !== null);
    expect(known.length).toBeGreaterThan(10);
    expect(
      known.filter((id) => canonicalName(written(id)) !== canonicalName(id)).map(written),
    ).toEqual([]);
  });

  it("is what a credential declares, and comes from the display name or an alias where a deployment's id says nothing", () => {
    expect(canonicalOf(model("azure/prod-7", { name: "GPT-5.5" }))).toBe("openai/gpt-5.5");
    expect(canonicalOf(model("azure/prod-7", { aliases: ["gpt-5.5"] }))).toBe("openai/gpt-5.5");
    expect(canonicalOf(model("azure/gpt-4o", { like: "openai/gpt-5.5" }))).toBe("openai/gpt-5.5");
    expect(canonicalOf(model("azure/prod-7"))).toBeNull();
  });

  it("does not change where it is read again, and no provider before it changes it", () => {
    for (const id of ids) {
      const canonical = canonicalName(id);
      if (canonical === null) continue;
      expect(canonicalName(canonical), id).toBe(canonical);
      expect(canonicalName(`my-endpoint/${id}`), id).toBe(canonical);
    }
  });

  it("is one for a model of the catalogue and all of its aliases", () => {
    // At Ollama an alias is a tag, which means one size of several.
    const published = seedCatalogue.models.filter(({ provider }) => !localProviders.has(provider));
    for (const { id, aliases } of published)
      for (const alias of aliases) expect(canonicalName(alias), alias).toBe(canonicalName(id));
  });

  it("differs between the catalogue's models of one provider, but for dated versions of one model", () => {
    const byName = Map.groupBy(
      seedCatalogue.models,
      (each) => `${each.provider} ${canonicalOf(each)}`,
    );
    const shared = [...byName.values()].filter((models) => models.length > 1);
    expect(shared.map((models) => models.map(({ id }) => id))).toEqual([
      ["claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022"],
      ["gpt-4o", "gpt-4o-2024-11-20"],
    ]);
  });

  it("is the same where models.dev names the same base, and differs where it names another", () => {
    const undated = (base: string): string => base.replace(/-(20\d{6}|20\d{2}-\d{2}-\d{2})$/, "");
    const pairs = Object.values(listed)
      .flatMap((of) => Object.entries(of))
      .filter(([, base]) => base !== "" && !base.includes("embedding"))
      .map(([id, base]) => [undated(base), canonicalName(id)] as const);
    const canonicalsOf = Map.groupBy(pairs, ([base]) => base);
    const split = [...canonicalsOf]
      .map(([base, of]) => [base, [...new Set(of.map(([, canonical]) => canonical))]] as const)
      .filter(([, canonicals]) => canonicals.length > 1);
    expect(split).toEqual([
      ["deepseek/deepseek-r1", ["deepseek/deepseek-r1-distill-qwen-32b", "deepseek/deepseek-r1"]],
    ]);
    const basesOf = Map.groupBy(pairs, ([, canonical]) => canonical);
    const merged = [...basesOf]
      .map(([canonical, of]) => [canonical, [...new Set(of.map(([base]) => base))]] as const)
      .filter(([, bases]) => bases.length > 1);
    // Aliases, by their makers' docs.
    expect(merged).toEqual([
      ["anthropic/claude-opus-4", ["anthropic/claude-opus-4-0", "anthropic/claude-opus-4"]],
      ["anthropic/claude-sonnet-4", ["anthropic/claude-sonnet-4-0", "anthropic/claude-sonnet-4"]],
      [
        "mistral/mistral-large-2512",
        ["mistral/mistral-large-2512", "mistral/mistral-large-latest"],
      ],
      [
        "mistral/mistral-small-2603",
        ["mistral/mistral-small-2603", "mistral/mistral-small-latest"],
      ],
      [
        "deepseek/deepseek-v4-flash",
        ["deepseek/deepseek-chat", "deepseek/deepseek-reasoner", "deepseek/deepseek-v4-flash"],
      ],
    ]);
  });

  it("is unknown for these ids of models.dev alone", () => {
    expect([...new Set(ids.filter((id) => canonicalName(id) === null))]).toEqual([
      "text-embedding-3-large",
      "text-embedding-3-small",
      "text-embedding-ada-002",
      "whisper-large-v3-turbo",
      "whisper-large-v3",
      "canopylabs/orpheus-arabic-saudi",
      "canopylabs/orpheus-v1-english",
      "groq/compound-mini",
      "groq/compound",
      "north-mini-code-1-0",
      "essentialai/Rnj-1-Instruct",
      "deepcogito/cogito-v2-1-671b",
      "LiquidAI/LFM2-24B-A2B",
      "writer.palmyra-x4-v1:0",
      "writer.palmyra-x5-v1:0",
      "codex-mini",
      "cohere-embed-v-4-0",
      "cohere-embed-v3-english",
      "cohere-embed-v3-multilingual",
      "model-router",
    ]);
  });
});
