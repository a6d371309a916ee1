/**
 * Merges a newer file of models.dev into the catalogue at hand, or says why the file is refused. Of a model
 * that the seed knows, prices, limits, published scores and the end come from models.dev; names, families,
 * aliases, modalities, tiers and days of release stay as curated. No person looks at what comes in. So a file
 * that would break routing for every tenant is refused whole, and the catalogue at hand stays.
 */
import {
  classPrices,
  isEstimated,
  localProviders,
  nameOf,
  type Catalogue,
  type Figure,
  type Model,
  type PriceTier,
} from "./model.ts";
import { tiersOfNew } from "./new-models.ts";
import { err, ok, type Result } from "../result.ts";

/** A model as models.dev has it, in our words. What models.dev doesn't say is null. */
export type CatalogueEntry = Omit<
  Model,
  "aliases" | "intelligence" | "speed" | "source" | "synced" | "estimated" | "unverified"
>;

export type SyncRefusal =
  | { reason: "shrunken"; provider: string; known: number; found: number }
  | { reason: "absurd_price"; models: string[] };

export interface CatalogueChanges {
  /** `provider/model` */
  added: string[];
  /** of these, those whose intelligence is estimated from their price */
  estimated: string[];
  retired: string[];
  repriced: { model: string; from: Price; to: Price }[];
  /** models that were left as they were, because their new prices can't be right */
  odd: string[];
}

/** USD per million tokens */
export interface Price {
  input: number | null;
  output: number | null;
}

export interface Synced {
  /** sorted by name */
  models: Model[];
  changes: CatalogueChanges;
}

/** A provider with fewer models may lose one without its list being broken. */
const countedFrom = 5;
const leastShare = 0.7;
/** The dearest model ever sold asked 600 USD. */
const highestUsdPerMTok = 1_000;
/** No price moves by such a factor overnight: the new one has another unit, or a slipped point. */
const priceStep = 20;
/** A few odd models are skipped. With more of them, the file itself is odd. */
const mostOdd = 3;

/**
 * Names of models that are not for sampling: they embed, judge, transcribe, research for an hour or answer on a
 * socket alone.
 */
export const otherTrades =
  /embed|rerank|deep-research|moderation|guard|safeguard|whisper|transcri|(^|[/-])(asr|ocr|live|realtime)([-.]|$)/i;

const priceOf = (model: CatalogueEntry): Price => ({
  input: model.inputUsdPerMTok,
  output: model.outputUsdPerMTok,
});

const pricesOf = (entry: CatalogueEntry): number[] =>
  [entry, ...entry.priceTiers].flatMap((prices) =>
    (["inputUsdPerMTok", "outputUsdPerMTok", ...classPrices] as const).flatMap(
      (price) => prices[price] ?? [],
    ),
  );

/** models.dev has one output price. For a model that draws and writes, that price is the price of images. */
const textPriceOf = ({ outputUsdPerMTok, mediaPrices }: Model): number | null =>
  mediaPrices?.imageOutputUsdPerMTok ?? outputUsdPerMTok;

const isStep = (from: number | null, to: number | null): boolean =>
  from !== null && to !== null && (to > from * priceStep || from > to * priceStep);

const isAbsurd = (entry: CatalogueEntry, current: Model | undefined): boolean =>
  pricesOf(entry).some((price) => !(price >= 0 && price <= highestUsdPerMTok)) ||
  (current !== undefined &&
    (isStep(current.inputUsdPerMTok, entry.inputUsdPerMTok) ||
      isStep(textPriceOf(current), entry.outputUsdPerMTok)));

/** A context smaller than the output is a mistake in the file, and would exclude the model for good. */
const hasSoundLimits = ({ contextTokens, outputTokens }: CatalogueEntry): boolean =>
  contextTokens === null || outputTokens === null || contextTokens >= outputTokens;

/** Price tiers as models.dev has them. Prices of classes that models.dev doesn't know stay as curated. */
const tiersOver = (seed: Model, { priceTiers }: CatalogueEntry): PriceTier[] =>
  priceTiers.map((tier) => ({
    ...seed.priceTiers.find(({ aboveInputTokens }) => aboveInputTokens === tier.aboveInputTokens),
    ...tier,
  }));

/** The figures that models.dev knows better than the seed, because they change after a model's release. */
function figuresOf(entry: CatalogueEntry, seed: Model): Partial<Model> {
  const { inputUsdPerMTok, outputUsdPerMTok } = entry;
  const figures: Partial<Model> = {};
  if (inputUsdPerMTok !== null && outputUsdPerMTok !== null) {
    Object.assign(figures, { inputUsdPerMTok, priceTiers: tiersOver(seed, entry) });
    for (const price of classPrices)
      if (entry[price] !== null && entry[price] !== undefined) figures[price] = entry[price];
    // Where images have a price of their own, models.dev's output price is not the price of text.
    if (seed.mediaPrices?.imageOutputUsdPerMTok === undefined)
      figures.outputUsdPerMTok = outputUsdPerMTok;
  }
  if (hasSoundLimits(entry)) {
    if (entry.contextTokens !== null) figures.contextTokens = entry.contextTokens;
    if (entry.outputTokens !== null) figures.outputTokens = entry.outputTokens;
  }
  if (entry.status === "retired") figures.status = "retired";
  // The seed's day of release was checked by a person; models.dev has some wrong.
  const releasedAt = seed.releasedAt ?? entry.releasedAt;
  if (releasedAt !== undefined && releasedAt !== seed.releasedAt) figures.releasedAt = releasedAt;
  if (entry.scores !== undefined) figures.scores = entry.scores;
  return figures;
}

const withFigures = (model: Model, figures: Partial<Model>): Model => ({
  ...model,
  ...figures,
  synced: Object.keys(figures).toSorted() as Figure[],
});

/** A model that vanished from the file can't be chosen any more, but a hint that names it still finds its like. */
const retire = (model: Model): Model => ({
  ...model,
  status: "retired",
  synced: [...new Set<Figure>([...(model.synced ?? []), "status"])].toSorted(),
});

function newModel(entry: CatalogueEntry, seed: Catalogue): Model {
  const limits = hasSoundLimits(entry) ? {} : { contextTokens: null, outputTokens: null };
  const figures = Object.keys(entry).filter((key) => key !== "provider" && key !== "id");
  const model: Model = {
    ...entry,
    ...limits,
    aliases: [],
    intelligence: null,
    speed: null,
    source: "catalogue",
    synced: figures.toSorted() as Figure[],
  };
  return { ...model, ...tiersOfNew(model, seed) };
}

const isServable = (entry: CatalogueEntry): boolean =>
  entry.status !== "retired" &&
  entry.outputModalities.length > 0 &&
  !otherTrades.test(entry.id) &&
  !otherTrades.test(entry.family ?? "");

/** Whether a model at hand should be in the file; on the first sync every model of the seed should. */
const isExpected = (model: Model, isFirst: boolean): boolean =>
  model.status !== "retired" && (isFirst || model.synced !== undefined);

function shrinkage(current: Catalogue, isListed: (model: Model) => boolean): SyncRefusal | null {
  const isFirst = current.models.every(({ synced }) => synced === undefined);
  for (const provider of new Set(current.models.map((model) => model.provider))) {
    if (localProviders.has(provider)) continue;
    const expected = current.models.filter(
      (model) => model.provider === provider && isExpected(model, isFirst),
    );
    const found = expected.filter(isListed).length;
    if (expected.length >= countedFrom && found < expected.length * leastShare)
      return { reason: "shrunken", provider, known: expected.length, found };
  }
  return null;
}

function changesOf(
  current: Catalogue,
  models: readonly Model[],
  odd: readonly string[],
): CatalogueChanges {
  const before = new Map(current.models.map((model) => [nameOf(model), model]));
  const changes: CatalogueChanges = {
    added: [],
    estimated: [],
    retired: [],
    repriced: [],
    odd: [...odd],
  };
  for (const model of models) {
    const name = nameOf(model);
    const was = before.get(name);
    if (was === undefined) {
      changes.added.push(name);
      if (isEstimated(model)) changes.estimated.push(name);
      continue;
    }
    if (was.status !== "retired" && model.status === "retired") changes.retired.push(name);
    const [from, to] = [priceOf(was), priceOf(model)];
    if (from.input !== to.input || from.output !== to.output)
      changes.repriced.push({ model: name, from, to });
  }
  return changes;
}

/** `current`: what the last sync left; before the first sync, the seed itself. */
export function syncCatalogue(input: {
  seed: Catalogue;
  current: Catalogue;
  entries: readonly CatalogueEntry[];
}): Result<Synced, SyncRefusal> {
  const { seed, current, entries } = input;
  const listed = new Map(entries.map((entry) => [nameOf(entry), entry]));
  const known = new Map(current.models.map((model) => [nameOf(model), model]));
  const namesOf = ({ provider, id, aliases }: Model): string[] =>
    [id, ...aliases].map((name) => nameOf({ provider, id: name }));
  const shrunken = shrinkage(current, (model) => namesOf(model).some((name) => listed.has(name)));
  if (shrunken !== null) return err(shrunken);

  const odd = entries.filter((entry) => isAbsurd(entry, known.get(nameOf(entry)))).map(nameOf);
  if (odd.length > mostOdd) return err({ reason: "absurd_price", models: odd });
  const skipped = new Set(odd);

  const models = new Map<string, Model>();
  for (const model of seed.models) {
    const name = nameOf(model);
    const entry = listed.get(name);
    const was = known.get(name);
    // Models that are odd or gone today keep what the last sync gave them.
    const figures = was?.synced?.map((figure) => [figure, was[figure]]) ?? [];
    if (entry !== undefined && !skipped.has(name))
      models.set(name, withFigures(model, figuresOf(entry, model)));
    else if (figures.length === 0) models.set(name, model);
    else {
      const kept = withFigures(model, Object.fromEntries(figures) as Partial<Model>);
      models.set(name, entry === undefined ? retire(kept) : kept);
    }
  }
  const curated = new Set(seed.models.flatMap(namesOf));
  for (const entry of entries) {
    const name = nameOf(entry);
    // A name that is an alias of the seed's is the seed's model.
    if (curated.has(name) || skipped.has(name) || !isServable(entry)) continue;
    models.set(name, newModel(entry, seed));
  }
  for (const [name, model] of known)
    if (!models.has(name) && !curated.has(name))
      models.set(name, skipped.has(name) ? model : retire(model));

  const sorted = [...models.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return ok({ models: sorted, changes: changesOf(current, sorted, odd) });
}
