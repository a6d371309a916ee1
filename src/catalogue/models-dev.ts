/**
 * Parser of https://models.dev/api.json: `{[provider]: {models: {[model]: {…}}}}`. Ignores unknown fields; a known
 * field of another type makes the file malformed.
 */
import { z } from "zod";
import type { CatalogueEntry } from "../domain/models/catalogue-sync.ts";
import { modalities, type Modality } from "../domain/modality.ts";
import type { Model } from "../domain/models/model.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** models.dev's provider names and ours; others are skipped. */
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
/** Benchmarks are optional, so malformed ones are skipped. */
const benchmark = z
  .looseObject({
    name: z.string().min(1).max(60),
    metric: z.string().min(1).max(40),
    score: z.number(),
    version: z.string().max(40).optional(),
    harness: z.string().max(40).optional(),
    dataset: z.string().max(40).optional(),
    variant: z.string().max(40).optional(),
    date: z.string().max(40).optional(),
  })
  .nullable()
  .catch(null);
const model = z.looseObject({
  id: name,
  name,
  family: z.string().max(100).optional(),
  tool_call: z.boolean(),
  reasoning: z.boolean(),
  temperature: z.boolean().optional(),
  status: z.string().optional(),
  release_date: z.string().optional().catch(undefined),
  benchmarks: z.array(benchmark).max(200).optional().catch(undefined),
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
/** Providers whose long-context price includes the boundary. */
const inclusive: ReadonlySet<string> = new Set(["openai", "xai"]);

/** Sampling has no video, PDF or other modalities. */
const ours = (names: readonly string[]): Modality[] =>
  modalities.filter((modality) => names.includes(modality));

/** Indicates that a model may change or end without notice. */
const calledPreview = /(^|[^a-z])(preview|alpha|beta|exp|experimental)([^a-z]|$)/i;

const statusOf = ({ status, id, name: shown }: ModelsDevModel): Model["status"] =>
  status === "deprecated"
    ? "retired"
    : calledPreview.test(`${status ?? ""} ${id} ${shown}`)
      ? "preview"
      : "active";

/** `YYYY-MM-DD` or `YYYY-MM`; otherwise null. */
const releasedAtOf = ({ release_date: date }: ModelsDevModel): string | null =>
  date !== undefined && /^\d{4}-\d{2}(-\d{2})?$/.test(date) ? date : null;

/** Metrics where higher is better. */
const risingMetrics: ReadonlySet<string> = new Set(
  [
    "percent correct",
    "index",
    "success rate",
    "resolve rate",
    "resolved",
    "score",
    "accuracy",
  ].concat(["pass@1", "average pass@1"]),
);

/** By benchmark and setting; the newest result wins. */
function scoresOf({ benchmarks = [] }: ModelsDevModel): Record<string, number> {
  const dated = benchmarks
    .filter((result) => result !== null)
    .toSorted((a, b) => (a.date ?? "").localeCompare(b.date ?? ""));
  const scores: Record<string, number> = {};
  for (const result of dated) {
    if (!risingMetrics.has(result.metric)) continue;
    const setting = (["version", "harness", "dataset", "variant"] as const).flatMap((part) =>
      result[part] === undefined ? [] : [`${part} ${result[part]}`],
    );
    scores[[result.name, result.metric, ...setting].join(", ")] = result.score;
  }
  return scores;
}

/** models.dev also writes 0 for unknown, and an unknown price is never free. */
const known = (figure: number | undefined): number | null =>
  figure === undefined || figure === 0 ? null : figure;

/** Anthropic's documentation of prompt caching: an hour's cache write costs twice the input price. */
const hourTimes: ReadonlyMap<string, number> = new Map([["anthropic", 2]]);

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
    priceTiers: tiers.map(({ tier, ...prices }) => ({
      aboveInputTokens: tier.size - (inclusive.has(ourProvider) ? 1 : 0),
      inputUsdPerMTok: prices.input,
      outputUsdPerMTok: prices.output,
      ...(known(prices.cache_read) === null ? {} : { cachedInputUsdPerMTok: prices.cache_read }),
      ...classPricesOf(ourProvider, prices),
    })),
  };
}

const entryOf = (ourProvider: string, listed: ModelsDevModel): CatalogueEntry => ({
  ...scoredAndDated(listed),
  provider: ourProvider,
  id: listed.id,
  name: listed.name,
  family: listed.family ?? null,
  inputModalities: ours(listed.modalities.input),
  outputModalities: ours(listed.modalities.output),
  contextTokens: known(listed.limit.context),
  outputTokens: known(listed.limit.output),
  tools: listed.tool_call,
  temperature: listed.temperature ?? true,
  reasoning: listed.reasoning,
  ...pricesOf(ourProvider, listed),
  status: statusOf(listed),
});

/** Omits unknown members, so that a sync does not claim them. */
function scoredAndDated(listed: ModelsDevModel): Pick<CatalogueEntry, "releasedAt" | "scores"> {
  const releasedAt = releasedAtOf(listed);
  const scores = scoresOf(listed);
  return {
    ...(releasedAt !== null && { releasedAt }),
    ...(Object.keys(scores).length > 0 && { scores }),
  };
}

const malformed = (at: readonly PropertyKey[]): Result<never, string> =>
  err(`malformed at ${at.length === 0 ? "the top" : at.map(String).join(".")}`);

/** The error names the malformed field. */
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
    for (const listed of Object.values(parsed.data.models))
      entries.push(entryOf(ourProvider, listed));
  }
  return entries.length === 0 ? err("malformed: no model of any known provider") : ok(entries);
}
