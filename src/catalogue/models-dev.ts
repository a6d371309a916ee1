/**
 * The format of https://models.dev/api.json: `{[provider]: {models: {[model]: {…}}}}`. Fields that we
 * don't read may be anything; one that we read and that isn't what it was makes the whole file malformed.
 */
import { z } from "zod";
import type { CatalogueEntry } from "../domain/catalogue-sync.ts";
import { modalities, type Modality } from "../domain/modality.ts";
import type { Model } from "../domain/models.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** Theirs to ours. Providers that are not here are not called by the router. */
const providers: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic"],
  ["cerebras", "cerebras"],
  ["cloudflare-workers-ai", "workers-ai"],
  ["cohere", "cohere"],
  ["deepseek", "deepseek"],
  ["fireworks-ai", "fireworks"],
  ["google", "google"],
  ["groq", "groq"],
  ["mistral", "mistral"],
  ["openai", "openai"],
  ["openrouter", "openrouter"],
  ["togetherai", "together"],
  ["xai", "xai"],
]);

const name = z.string().min(1).max(200);
const price = z.looseObject({
  input: z.number(),
  output: z.number(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  input_audio: z.number().optional(),
});
const model = z.looseObject({
  id: name,
  name,
  family: z.string().max(100).optional(),
  tool_call: z.boolean(),
  reasoning: z.boolean(),
  temperature: z.boolean().optional(),
  status: z.string().optional(),
  modalities: z.looseObject({ input: z.array(z.string()), output: z.array(z.string()) }),
  cost: price
    .extend({
      tiers: z
        .array(price.extend({ tier: z.looseObject({ size: z.int().positive() }) }))
        .max(10)
        .optional(),
      context_over_200k: price.optional(),
    })
    .optional(),
  limit: z.looseObject({ context: z.int().min(0), output: z.int().min(0) }),
});
const file = z.record(z.string(), z.unknown());
const provider = z.looseObject({ models: z.record(z.string(), model) });

type ModelsDevModel = z.infer<typeof model>;

const longContextTokens = 200_000;
/** Their long-context price begins at the boundary itself, everyone else's above it. */
const inclusive: ReadonlySet<string> = new Set(["openai", "xai"]);

/** Video, PDF and whatever comes are nothing that sampling has. */
const ours = (names: readonly string[]): Modality[] =>
  modalities.filter((modality) => names.includes(modality));

const statusOf = ({ status, id }: ModelsDevModel): Model["status"] =>
  status === "deprecated"
    ? "retired"
    : status === "alpha" || status === "beta" || id.includes("preview")
      ? "preview"
      : "active";

/** There, 0 stands for unknown too, and unknown is never free. */
const known = (figure: number | undefined): number | null =>
  figure === undefined || figure === 0 ? null : figure;

/** Anthropic's documentation of prompt caching: what stays for an hour costs twice the plain input. */
const hourTimes: ReadonlyMap<string, number> = new Map([["anthropic", 2]]);

/** What some of the input costs; a price that is not there is left out. */
function classPricesOf(ourProvider: string, cost: z.infer<typeof price>) {
  const hour = hourTimes.get(ourProvider);
  const prices = {
    cacheWriteUsdPerMTok: known(cost.cache_write),
    cacheWriteHourUsdPerMTok: hour === undefined ? null : known(cost.input * hour),
    audioInputUsdPerMTok: known(cost.input_audio),
  };
  return Object.fromEntries(Object.entries(prices).filter(([, usd]) => usd !== null));
}

function pricesOf(ourProvider: string, { cost }: ModelsDevModel) {
  const unpriced = {
    inputUsdPerMTok: null,
    outputUsdPerMTok: null,
    cachedInputUsdPerMTok: null,
    priceTiers: [],
  };
  if (cost === undefined || (cost.input === 0 && cost.output === 0)) return unpriced;
  const over = cost.context_over_200k;
  const tiers =
    cost.tiers ?? (over === undefined ? [] : [{ ...over, tier: { size: longContextTokens } }]);
  return {
    inputUsdPerMTok: cost.input,
    outputUsdPerMTok: cost.output,
    cachedInputUsdPerMTok: known(cost.cache_read),
    ...classPricesOf(ourProvider, cost),
    priceTiers: tiers.map(({ tier, ...its }) => ({
      aboveInputTokens: tier.size - (inclusive.has(ourProvider) ? 1 : 0),
      inputUsdPerMTok: its.input,
      outputUsdPerMTok: its.output,
      ...(known(its.cache_read) === null ? {} : { cachedInputUsdPerMTok: its.cache_read }),
      ...classPricesOf(ourProvider, its),
    })),
  };
}

const entryOf = (ourProvider: string, its: ModelsDevModel): CatalogueEntry => ({
  provider: ourProvider,
  id: its.id,
  name: its.name,
  family: its.family ?? null,
  inputModalities: ours(its.modalities.input),
  outputModalities: ours(its.modalities.output),
  contextTokens: known(its.limit.context),
  outputTokens: known(its.limit.output),
  tools: its.tool_call,
  temperature: its.temperature ?? true,
  reasoning: its.reasoning,
  ...pricesOf(ourProvider, its),
  status: statusOf(its),
});

const malformed = (at: readonly PropertyKey[]): Result<never, string> =>
  err(`malformed at ${at.length === 0 ? "the top" : at.map(String).join(".")}`);

/** The models of the providers that the router calls; the error says where the file is malformed. */
export function parseModelsDev(text: string): Result<CatalogueEntry[], string> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return err("malformed: not JSON");
  }
  const top = file.safeParse(json);
  if (!top.success) return malformed([]);
  const entries: CatalogueEntry[] = [];
  for (const [theirs, ourProvider] of providers) {
    const found = top.data[theirs];
    if (found === undefined) continue;
    const parsed = provider.safeParse(found);
    if (!parsed.success) return malformed([theirs, ...(parsed.error.issues[0]?.path ?? [])]);
    for (const its of Object.values(parsed.data.models)) entries.push(entryOf(ourProvider, its));
  }
  return entries.length === 0 ? err("malformed: no model of any known provider") : ok(entries);
}
