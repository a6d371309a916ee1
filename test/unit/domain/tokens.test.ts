/** The estimates against real tokenizers, on the published samples of `test/fixtures/tokens`. */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/catalogue.ts";
import { estimateInputTokens } from "../../../src/domain/estimate.ts";
import { nameOf } from "../../../src/domain/models.ts";
import { tokenWeights } from "../../../src/domain/token-weights.ts";
import { tokenFamilyOf, tokensIn, type TokenFamily } from "../../../src/domain/tokens.ts";
import counts from "../../fixtures/tokens/counts.json" with { type: "json" };
import { call, model } from "./models.fixture.ts";

type Counted = Exclude<TokenFamily, "other">;
const families = Object.keys(tokenWeights) as Counted[];
const samples = Object.entries(counts).map(([name, its]) => ({
  name,
  its,
  text: readFileSync(new URL(`../../fixtures/tokens/samples/${name}.txt`, import.meta.url), "utf8"),
}));

describe.each(families)("tokens as %s counts them", (family) => {
  it.each(samples)("are within 15 % for $name, and hardly ever too few", ({ text, its }) => {
    const ratio = tokensIn(text, family) / its[family];
    expect(ratio).toBeLessThan(1.15);
    expect(ratio).toBeGreaterThan(1);
  });
});

describe("tokens as nobody knows whose model counts them", () => {
  it.each(samples)("cover every published vocabulary of today for $name", ({ text, its }) => {
    const { openai, google, llama, qwen, deepseek, cohere } = its;
    expect(tokensIn(text, "other")).toBeGreaterThanOrEqual(
      Math.max(openai, google, llama, qwen, deepseek, cohere),
    );
  });
});

describe("tokens of a text", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["aB", 2],
    ["a b c", 3],
    ["日本語", 3],
    ["😀", 3],
    ["1234567", 9],
  ])("%j are %d", (text, tokens) => {
    expect(tokensIn(text, "other")).toBe(tokens);
  });

  it("grow with the text, whatever it is", () => {
    const any = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(any, any, fc.constantFrom(...families, "other" as const), (a, b, family) => {
        expect(tokensIn(a + b, family)).toBeGreaterThanOrEqual(tokensIn(a, family));
        expect(Number.isInteger(tokensIn(a, family))).toBe(true);
      }),
    );
  });

  it("take one pass: a million characters some milliseconds", () => {
    const text = "The quick brown fox, 1234567 jumps\n  over the größte 懒狗. ".repeat(20_000);
    const from = performance.now();
    tokensIn(text, "other");
    expect(performance.now() - from).toBeLessThan(500);
  });
});

describe("the samples", () => {
  it("are those that were counted", () => {
    for (const { text, its } of samples) expect(text).toHaveLength(its.characters);
  });
});

describe("whose tokenizer a model has", () => {
  it.each<[string, TokenFamily]>([
    ["openai/gpt-5.4", "openai"],
    ["groq/openai/gpt-oss-120b", "openai"],
    ["ollama/gpt-oss:20b", "openai"],
    ["anthropic/claude-sonnet-5", "anthropic"],
    ["google/gemma-4-31b-it", "google"],
    ["workers-ai/@cf/meta/llama-3.1-8b-instruct-fp8", "llama"],
    ["mistral/mistral-large-2512", "mistral"],
    ["workers-ai/@cf/deepseek-ai/deepseek-r1-distill-qwen-32b", "deepseek"],
    ["together/Qwen/Qwen3.7-Max", "qwen"],
    ["cohere/command-a-03-2025", "cohere"],
    ["xai/grok-4.3", "other"],
    ["my-endpoint/local", "other"],
  ])("%s: %s", (name, family) => {
    expect(tokenFamilyOf(model(name))).toBe(family);
  });

  it("is known for most of the catalogue", () => {
    const unknown = seedCatalogue.models.filter((its) => tokenFamilyOf(its) === "other");
    expect(unknown.map(nameOf).length).toBeLessThan(seedCatalogue.models.length / 4);
  });

  it("changes what a call is estimated at", () => {
    const hindi = samples.find(({ name }) => name === "hindi")?.text ?? "";
    const asked = call({ systemPrompt: hindi });
    expect(estimateInputTokens(asked, "mistral")).toBeGreaterThan(
      2 * estimateInputTokens(asked, "openai"),
    );
  });
});
