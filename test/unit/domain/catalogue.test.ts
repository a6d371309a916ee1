/** The shipped catalogue is valid, sorted, and marks unverified figures. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import seed from "../../../src/domain/models/catalogue.json" with { type: "json" };
import { nameOf, type Model } from "../../../src/domain/models/model.ts";
import { modalities } from "../../../src/domain/modality.ts";
import { sendings } from "../../../src/domain/models/reasoning-control.ts";
import { efforts } from "../../../src/domain/requirements.ts";

const providers = [
  "anthropic",
  "cerebras",
  "cohere",
  "deepseek",
  "google",
  "groq",
  "mistral",
  "ollama",
  "openai",
  "together",
  "workers-ai",
  "xai",
] as const;

/** Text models whose output is cheaper than their input, each looked at by hand. */
const cheaperOutput: readonly string[] = [];

const price = z.number().min(0).max(1000);
const tokens = z.int().positive();
const tier = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const distinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
const someModalities = z.array(z.enum(modalities)).min(1).refine(distinct);

const isMore = (effort: (typeof efforts)[number], than?: (typeof efforts)[number]): boolean =>
  than === undefined || efforts.indexOf(effort) > efforts.indexOf(than);

/** A model on the operator's own machine costs nothing; anywhere else 0 is a gap in the data. */
const isLocal = (model: { provider: string }): boolean => model.provider === "ollama";

const figures = [
  "inputUsdPerMTok",
  "outputUsdPerMTok",
  "cachedInputUsdPerMTok",
  "mediaPrices",
  "contextTokens",
  "outputTokens",
] as const satisfies readonly (keyof Model)[];

/** Prices that few models have. */
const classPrices = {
  cacheWriteUsdPerMTok: price.optional(),
  cacheWriteHourUsdPerMTok: price.optional(),
  audioInputUsdPerMTok: price.optional(),
  cachedAudioInputUsdPerMTok: price.optional(),
};

// Every other field is required and no other is allowed; unknown is null.
const modelSchema = z.strictObject({
  provider: z.enum(providers),
  id: z.string().min(1),
  name: z.string().min(1),
  family: z.string().min(1).nullable(),
  aliases: z.array(z.string().min(1)),
  inputModalities: someModalities,
  outputModalities: someModalities,
  contextTokens: tokens.nullable(),
  outputTokens: tokens.nullable(),
  tools: z.boolean(),
  temperature: z.boolean(),
  reasoning: z.boolean(),
  reasoningControl: z
    .strictObject({
      efforts: z.array(z.enum(efforts)).min(1).refine(distinct),
      byDefault: z.enum(efforts),
      sentAs: z.enum(sendings),
      budgets: z.partialRecord(z.enum(efforts), z.int().min(0)).optional(),
      source: z.string().startsWith("https://"),
    })
    .refine(({ efforts: taken, byDefault }) => taken.includes(byDefault))
    .refine(({ efforts: taken }) => taken.every((effort, at) => isMore(effort, taken[at - 1])))
    .refine(({ sentAs, budgets }) => sentAs.endsWith("_budget") === (budgets !== undefined))
    .optional(),
  inputUsdPerMTok: price.nullable(),
  outputUsdPerMTok: price.nullable(),
  cachedInputUsdPerMTok: price.nullable(),
  ...classPrices,
  priceTiers: z.array(
    z.strictObject({
      aboveInputTokens: tokens,
      inputUsdPerMTok: price,
      outputUsdPerMTok: price,
      cachedInputUsdPerMTok: price.optional(),
      ...classPrices,
    }),
  ),
  mediaPrices: z
    .strictObject({
      imageInputUsdPerMTok: price.optional(),
      imageOutputUsdPerMTok: price.optional(),
      usdPerImage: price.optional(),
      usdPerAudioMinute: price.optional(),
      usdPerMCharacters: price.optional(),
    })
    .optional(),
  intelligence: tier,
  speed: tier.nullable(),
  status: z.enum(["active", "preview", "retired"]),
  releasedAt: z.iso.date().optional(),
  retiresAt: z.iso.date().optional(),
  scores: z.record(z.string().min(1), z.number()).optional(),
  unverified: z.array(z.enum(figures)).min(1).refine(distinct).optional(),
}) satisfies z.ZodType<Omit<Model, "source">>;

const seedSchema = z.strictObject({
  version: z.iso.date(),
  source: z.string().min(1),
  models: z.array(modelSchema).min(80),
});

const { models } = seedCatalogue;
const namesOf = (chosen: readonly Model[]): string[] => chosen.map(nameOf);

describe("catalogue.json", () => {
  it("marks every price of images and audio as unverified", () => {
    for (const model of models)
      expect([nameOf(model), model.unverified?.includes("mediaPrices") ?? false]).toEqual([
        nameOf(model),
        model.mediaPrices !== undefined,
      ]);
    for (const { unverified = [], ...model } of models)
      for (const figure of unverified) expect(model[figure]).not.toBeUndefined();
  });

  it("lists a control of reasoning only for models that reason", () => {
    const odd = models.filter(
      ({ reasoning, reasoningControl }) => reasoningControl !== undefined && !reasoning,
    );
    expect(namesOf(odd)).toEqual([]);
  });

  it("has the shape of the model type", () => {
    expect(seedSchema.safeParse(seed).error?.issues ?? []).toEqual([]);
  });

  it("has one line per model, sorted by provider, then id", () => {
    const path = new URL("../../../src/domain/models/catalogue.json", import.meta.url);
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('    {"provider": '));
    expect(lines).toHaveLength(seed.models.length);
    const byName = (a: Model, b: Model): number => {
      const [left, right] = a.provider === b.provider ? [a.id, b.id] : [a.provider, b.provider];
      return left < right ? -1 : 1;
    };
    expect(namesOf(models)).toEqual(namesOf(models.toSorted(byName)));
  });
});

describe("the seed catalogue", () => {
  it("carries the seed's version, and says where its figures come from", () => {
    expect(seedCatalogue.version).toBe(seed.version);
    expect(models).toEqual(seed.models.map((model) => ({ ...model, source: "catalogue" })));
  });

  it.each(providers)("has models of %s that can serve", (provider) => {
    const serving = models.filter(
      (model) => model.provider === provider && model.status !== "retired",
    );
    expect(serving.length).toBeGreaterThan(0);
  });

  it.each(modalities)("has a serving model that takes or gives %s", (modality) => {
    const serving = models.filter(({ status }) => status !== "retired");
    expect(serving.some(({ inputModalities }) => inputModalities.includes(modality))).toBe(true);
    expect(serving.some(({ outputModalities }) => outputModalities.includes(modality))).toBe(true);
  });

  it("has a speed for every model, except models that run on unknown machines", () => {
    expect(namesOf(models.filter(({ speed }) => speed === null))).toEqual(
      namesOf(models.filter(isLocal)),
    );
  });

  it("names no model twice, by id or alias, within a provider", () => {
    const names = models.flatMap(({ provider, id, aliases }) =>
      [id, ...aliases].map((name) => `${provider}/${name}`.toLowerCase()),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("has room for the output in the context", () => {
    const cramped = models.filter(
      ({ contextTokens, outputTokens }) =>
        contextTokens !== null && outputTokens !== null && contextTokens < outputTokens,
    );
    expect(namesOf(cramped)).toEqual([]);
  });
});

describe("prices of the seed catalogue", () => {
  it("are 0 on the operator's own machine, and nowhere else", () => {
    const free = models.filter(
      ({ inputUsdPerMTok, outputUsdPerMTok }) => inputUsdPerMTok === 0 || outputUsdPerMTok === 0,
    );
    expect(namesOf(free)).toEqual(namesOf(models.filter(isLocal)));
  });

  it("are both known or both unknown, and unknown ones have no tiers", () => {
    const halfKnown = models.filter(
      ({ inputUsdPerMTok, outputUsdPerMTok, cachedInputUsdPerMTok, priceTiers }) =>
        (inputUsdPerMTok === null) !== (outputUsdPerMTok === null) ||
        (inputUsdPerMTok === null && (cachedInputUsdPerMTok !== null || priceTiers.length > 0)),
    );
    expect(namesOf(halfKnown)).toEqual([]);
  });

  it("ask no less for output text than for input text, except for listed models", () => {
    const cheaper = models.filter(
      ({ inputUsdPerMTok, outputUsdPerMTok, outputModalities }) =>
        inputUsdPerMTok !== null &&
        outputUsdPerMTok !== null &&
        outputModalities.includes("text") &&
        outputUsdPerMTok < inputUsdPerMTok,
    );
    expect(namesOf(cheaper)).toEqual(cheaperOutput);
  });

  it("ask no more for cached input than for other input", () => {
    const dearer = models.filter(
      ({ inputUsdPerMTok, cachedInputUsdPerMTok }) =>
        inputUsdPerMTok !== null &&
        cachedInputUsdPerMTok !== null &&
        cachedInputUsdPerMTok > inputUsdPerMTok,
    );
    expect(namesOf(dearer)).toEqual([]);
  });

  it("rise with each tier, inside the context", () => {
    const odd = models.filter((model) => {
      const { contextTokens, priceTiers, inputUsdPerMTok, outputUsdPerMTok } = model;
      const steps = [{ aboveInputTokens: 0, inputUsdPerMTok, outputUsdPerMTok }, ...priceTiers];
      return priceTiers.some((step, at) => {
        const before = steps[at];
        return (
          before === undefined ||
          step.aboveInputTokens <= before.aboveInputTokens ||
          step.inputUsdPerMTok <= (before.inputUsdPerMTok ?? 0) ||
          step.outputUsdPerMTok <= (before.outputUsdPerMTok ?? 0) ||
          (contextTokens !== null && step.aboveInputTokens >= contextTokens)
        );
      });
    });
    expect(namesOf(odd)).toEqual([]);
  });
});
