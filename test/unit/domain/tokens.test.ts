/** The estimates against real tokenizers, on the published texts of `test/fixtures/tokens`. */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { estimateInputTokens, maxInputTokens } from "../../../src/domain/sampling/estimate.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { weighedFamilies } from "../../../src/domain/tokens/token-weights.ts";
import { tokenFamilyOf, tokensIn } from "../../../src/domain/tokens/tokenizers.ts";
import { type TokenFamily } from "../../../src/domain/requirements.ts";
import fitted from "../../fixtures/tokens/counts.json" with { type: "json" };
import heldOut from "../../fixtures/tokens/held-out.json" with { type: "json" };
import { call, model } from "./models.fixture.ts";
import { anyText } from "../../fixtures/any-text.ts";

type Counted = Exclude<TokenFamily, "other">;
type Counts = Record<string, Record<Counted | "characters", number>>;
const families = weighedFamilies;
const textsOf = (folder: string, counts: Counts) =>
  Object.entries(counts).map(([name, its]) => {
    const path = `../../fixtures/tokens/${folder}/${name}.txt`;
    return { name, its, text: readFileSync(new URL(path, import.meta.url), "utf8") };
  });
/** Texts to which the weights were fitted, among others. */
const samples = textsOf("samples", fitted);
/** Texts to which no weight was fitted. */
const unseen = textsOf("held-out", heldOut);

const off = (estimated: number, counted: number): number => Math.abs(estimated / counted - 1);

describe.each(families)("texts that no weight was fitted to, as %s counts them,", (family) => {
  const errors = unseen.map(({ text, its }) => off(tokensIn(text, family), its[family]));

  it("are estimated within 15 % for 34 of 38 at least, and half of them within 7 %", () => {
    expect(errors).toHaveLength(38);
    expect(errors.filter((error) => error <= 0.15).length).toBeGreaterThanOrEqual(34);
    expect(errors.toSorted((a, b) => a - b)[19]).toBeLessThan(0.07);
  });

  it("are estimated within 2 % together", () => {
    const estimated = unseen.reduce((sum, { text }) => sum + tokensIn(text, family), 0);
    const counted = unseen.reduce((sum, { its }) => sum + its[family], 0);
    expect(off(estimated, counted)).toBeLessThan(0.02);
  });

  it.each(unseen)("are never far off: $name", ({ text, its }) => {
    expect(off(tokensIn(text, family), its[family])).toBeLessThan(0.28);
  });

  it.each(samples)("nor are those that some were fitted to: $name", ({ text, its }) => {
    expect(off(tokensIn(text, family), its[family])).toBeLessThan(0.16);
  });
});

describe("the most that an input will be", () => {
  it("covers the count of every tokenizer, but for two texts of 38, once each", () => {
    const uncovered = unseen.flatMap(({ name, text, its }) =>
      families
        .filter((family) => maxInputTokens(tokensIn(text, family)) < its[family])
        .map((family) => `${name}, ${family}`),
    );
    expect(uncovered).toEqual(["polish, llama", "thai, deepseek"]);
  });

  it("covers every published vocabulary where nobody knows whose model counts", () => {
    for (const { text, its } of [...samples, ...unseen]) {
      const { openai, google, llama, qwen, deepseek, cohere } = its;
      expect(maxInputTokens(tokensIn(text, "other"))).toBeGreaterThanOrEqual(
        Math.max(openai, google, llama, qwen, deepseek, cohere),
      );
    }
  });
});

describe("tokens of a text", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["aB", 4],
    ["a b c", 3],
    ["日本語", 3],
    ["😀", 4],
    ["1234567", 7],
  ])("%j are %d", (text, tokens) => {
    expect(tokensIn(text, "other")).toBe(tokens);
  });

  it("grow with the text, whatever it is", () => {
    const any = anyText();
    fc.assert(
      fc.property(any, any, fc.constantFrom(...families, "other" as const), (a, b, family) => {
        expect(tokensIn(a + b, family)).toBeGreaterThanOrEqual(tokensIn(a, family));
        expect(Number.isInteger(tokensIn(a, family))).toBe(true);
      }),
    );
  });

  it("take one pass: a million characters some milliseconds", () => {
    const text = "The quick brown fox, 1234567 jumps\n  over the größte 懒狗. ".repeat(20_000);
    // The process's own time: a busy machine lets every text wait.
    const before = process.cpuUsage();
    tokensIn(text, "other");
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});

describe("the samples", () => {
  it("are those that were counted", () => {
    for (const { text, its } of [...samples, ...unseen]) expect(text).toHaveLength(its.characters);
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
