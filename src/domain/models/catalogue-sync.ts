/**
 * Curated models take only prices, limits, scores and retirement from models.dev. Unattended, so a file that
 * would break routing is rejected.
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

export type CatalogueEntry = Omit<
  Model,
  "aliases" | "intelligence" | "speed" | "source" | "synced" | "estimated" | "unverified"
>;

export type SyncRefusal =
  | { reason: "shrunken"; provider: string; known: number; found: number }
  | { reason: "absurd_price"; models: string[] };

export interface CatalogueChanges {
  added: string[];
  estimated: string[];
  retired: string[];
  repriced: { model: string; from: Price; to: Price }[];
  implausible: string[];
}

export interface Price {
  input: number | null;
  output: number | null;
}

export interface Synced {
  models: Model[];
  changes: CatalogueChanges;
}

/** Smaller providers may lose a model without an error in the file. */
const countedFrom = 5;
const minShare = 0.7;
/** The highest price ever was 600 USD. */
const highestUsdPerMTok = 1_000;
/** A larger factor indicates another unit or a misplaced decimal point. */
const priceStep = 20;
/** With more implausible models, the file itself is rejected. */
const maxSuspectPrices = 3;

export const notForChat =
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

/** models.dev has one output price, which for a model with images and text is the image price. */
const textPriceOf = ({ outputUsdPerMTok, mediaPrices }: Model): number | null =>
  mediaPrices?.imageOutputUsdPerMTok ?? outputUsdPerMTok;

const isStep = (from: number | null, to: number | null): boolean =>
  from !== null && to !== null && (to > from * priceStep || from > to * priceStep);

const isAbsurd = (entry: CatalogueEntry, current: Model | undefined): boolean =>
  pricesOf(entry).some((price) => !(price >= 0 && price <= highestUsdPerMTok)) ||
  (current !== undefined &&
    (isStep(current.inputUsdPerMTok, entry.inputUsdPerMTok) ||
      isStep(textPriceOf(current), entry.outputUsdPerMTok)));

/** A context smaller than the output is an error that would exclude the model. */
const hasSoundLimits = ({ contextTokens, outputTokens }: CatalogueEntry): boolean =>
  contextTokens === null || outputTokens === null || contextTokens >= outputTokens;

/** Class prices that models.dev lacks stay curated. */
const tiersOver = (seed: Model, { priceTiers }: CatalogueEntry): PriceTier[] =>
  priceTiers.map((tier) => ({
    ...seed.priceTiers.find(({ aboveInputTokens }) => aboveInputTokens === tier.aboveInputTokens),
    ...tier,
  }));

function figuresOf(entry: CatalogueEntry, seed: Model): Partial<Model> {
  const { inputUsdPerMTok, outputUsdPerMTok } = entry;
  const figures: Partial<Model> = {};
  if (inputUsdPerMTok !== null && outputUsdPerMTok !== null) {
    Object.assign(figures, { inputUsdPerMTok, priceTiers: tiersOver(seed, entry) });
    for (const price of classPrices)
      if (entry[price] !== null && entry[price] !== undefined) figures[price] = entry[price];
    if (seed.mediaPrices?.imageOutputUsdPerMTok === undefined)
      figures.outputUsdPerMTok = outputUsdPerMTok;
  }
  if (hasSoundLimits(entry)) {
    if (entry.contextTokens !== null) figures.contextTokens = entry.contextTokens;
    if (entry.outputTokens !== null) figures.outputTokens = entry.outputTokens;
  }
  if (entry.status === "retired") figures.status = "retired";
  // Curated release dates are verified; some of models.dev are wrong.
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

/** Retired models can't be selected, but hints still find their equivalents. */
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
  !notForChat.test(entry.id) &&
  !notForChat.test(entry.family ?? "");

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
    if (expected.length >= countedFrom && found < expected.length * minShare)
      return { reason: "shrunken", provider, known: expected.length, found };
  }
  return null;
}

function changesOf(
  current: Catalogue,
  models: readonly Model[],
  implausible: readonly string[],
): CatalogueChanges {
  const before = new Map(current.models.map((model) => [nameOf(model), model]));
  const changes: CatalogueChanges = {
    added: [],
    estimated: [],
    retired: [],
    repriced: [],
    implausible: [...implausible],
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

/** @param input `current`: result of the last sync, initially the seed */
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

  const implausible = entries
    .filter((entry) => isAbsurd(entry, known.get(nameOf(entry))))
    .map(nameOf);
  if (implausible.length > maxSuspectPrices)
    return err({ reason: "absurd_price", models: implausible });
  const skipped = new Set(implausible);

  const models = new Map<string, Model>();
  for (const model of seed.models) {
    const name = nameOf(model);
    const entry = listed.get(name);
    const was = known.get(name);
    // Odd and missing models keep the figures of the last sync.
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
    if (curated.has(name) || skipped.has(name) || !isServable(entry)) continue;
    models.set(name, newModel(entry, seed));
  }
  for (const [name, model] of known)
    if (!models.has(name) && !curated.has(name))
      models.set(name, skipped.has(name) ? model : retire(model));

  const sorted = [...models.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return ok({ models: sorted, changes: changesOf(current, sorted, implausible) });
}
