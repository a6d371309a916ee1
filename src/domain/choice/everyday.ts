/**
 * What is chosen for a request without any preference: the model that its provider sells for everyday use. Of several
 * providers, the one whose price is in the middle. Nothing of the request's size counts, so the answer does not change
 * with `maxTokens`.
 */
import { everydayLines, isForCode, newestFirst, parseModel } from "../models/lines.ts";
import { writesOnly } from "../models/model-index.ts";
import { alwaysReasons } from "../models/reasoning.ts";
import { isEstimated, type Model } from "../models/model.ts";
import type { ModelPool } from "./model-pool.ts";
import type { Axes } from "./score.ts";

const sameWeight = 1e-9;

/** Whether the priorities prefer nothing: absent, or all three equal. */
export const isBalanced = ({ cost, speed, intelligence }: Axes): boolean =>
  Math.abs(cost - speed) < sameWeight && Math.abs(speed - intelligence) < sameWeight;

/** USD per million tokens of output; unknown counts as the dearest. */
const priceOf = ({ outputUsdPerMTok }: Model): number =>
  outputUsdPerMTok ?? Number.POSITIVE_INFINITY;

const hasPrice = (model: Model): boolean => Number.isFinite(priceOf(model));

/** Without a price a model has no place between others, so it counts only where none has a price. */
const pricedAmong = (models: readonly Model[]): readonly Model[] =>
  models.some(hasPrice) ? models.filter(hasPrice) : models;

const lineOf = (model: Model): string => parseModel(model)?.line ?? model.id;

/** By distance from the middle, which is the cheaper one of two. */
function middleFirst(models: readonly Model[]): Model[] {
  const sorted = models.toSorted(
    (a, b) =>
      // Two unknown prices differ by NaN, which sorts like 0.
      priceOf(a) - priceOf(b) ||
      Number(alwaysReasons(a)) - Number(alwaysReasons(b)) ||
      newestFirst(a, b),
  );
  const middle = Math.floor((sorted.length - 1) / 2);
  const far = (at: number): number => Math.abs(at - middle);
  return [...sorted.keys()]
    .toSorted((a, b) => far(a) - far(b) || a - b)
    .flatMap((at) => sorted[at] ?? []);
}

interface Everyday {
  model: Model;
  /** the provider has a line for everyday use, so nothing was guessed */
  isNamed: boolean;
}

/** `all`: of one provider */
function everydayOf(all: readonly Model[]): Everyday | null {
  const models = pricedAmong(all);
  for (const line of everydayLines) {
    const [newest] = models.filter((model) => lineOf(model) === line).toSorted(newestFirst);
    if (newest !== undefined) return { model: newest, isNamed: true };
  }
  const judged = models.filter((model) => !isEstimated(model));
  const byLine = Map.groupBy(judged.length > 0 ? judged : models, lineOf);
  const newest = [...byLine.values()].flatMap((ofLine) => ofLine.toSorted(newestFirst)[0] ?? []);
  const [middle] = middleFirst(newest);
  return middle === undefined ? null : { model: middle, isNamed: false };
}

/** Pools are never changed. */
const ranks = new WeakMap<ModelPool["ranked"], ReadonlyMap<number, number>>();

/** By position in the pool, the rank of each provider's everyday model, from 0. */
export function everydayRanks({ ranked }: Pick<ModelPool, "ranked">): ReadonlyMap<number, number> {
  const known = ranks.get(ranked);
  if (known !== undefined) return known;
  const models = ranked
    .filter(({ exclusion, isPreview, isUnpriced, isUnjudged, isLate }) => {
      return exclusion === null && !isPreview && !isUnpriced && !isUnjudged && !isLate;
    })
    .map(({ model }) => model)
    .filter((model) => writesOnly(model) && !isForCode(lineOf(model)));
  const everyday = [...Map.groupBy(models, ({ provider }) => provider).values()].flatMap(
    (ofProvider) => everydayOf(ofProvider) ?? [],
  );
  const groups = Map.groupBy(
    everyday,
    ({ model, isNamed }) => Number(!isNamed) + 2 * Number(!hasPrice(model)),
  );
  const inOrder = [...groups.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((group) => middleFirst((groups.get(group) ?? []).map(({ model }) => model)));
  const found = new Map(
    inOrder.map((model, rank) => [ranked.findIndex((entry) => entry.model === model), rank]),
  );
  ranks.set(ranked, found);
  return found;
}
