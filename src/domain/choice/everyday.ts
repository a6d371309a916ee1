/** The default without preferences. Ignores the request's size, so `maxTokens` does not change the selection. */
import { memoizedByObject } from "../memoized.ts";
import { canonicalOf } from "../models/canonical-name.ts";
import { everydayLines, isForCode, lineOf, newestFirst } from "../models/lines.ts";
import { kindOf, readHint, type Kind } from "../models/model-index.ts";
import { alwaysReasons } from "../models/reasoning.ts";
import { withoutSuperseded } from "../models/superseded.ts";
import { isEstimated, nameOf, type Model } from "../models/model.ts";
import type { ModelPool } from "./model-pool.ts";
import type { Axes } from "./score.ts";

/** Thirds may be written as 0.33, 0.33, 0.34. */
const sameWeight = 0.02;

export const isBalanced = ({ cost, speed, intelligence }: Axes): boolean =>
  Math.abs(cost - speed) < sameWeight && Math.abs(speed - intelligence) < sameWeight;

const priceOf = ({ outputUsdPerMTok }: Model): number =>
  outputUsdPerMTok ?? Number.POSITIVE_INFINITY;

const hasPrice = (model: Model): boolean => Number.isFinite(priceOf(model));

const pricedAmong = (models: readonly Model[]): readonly Model[] =>
  models.some(hasPrice) ? models.filter(hasPrice) : models;

const sharedName = (model: Model): string => canonicalOf(model) ?? nameOf(model);

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
  isNamed: boolean;
}

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

const keyOf = ({ model, isNamed }: Everyday): string =>
  isNamed ? lineOf(model) : sharedName(model);

function everydayAmong(models: readonly Model[]): Everyday[] {
  const ofProviders = [...Map.groupBy(models, ({ provider }) => provider).values()];
  const everyday = ofProviders.flatMap((ofProvider) => everydayOf(ofProvider) ?? []);
  // Several providers may sell different generations of a line.
  const newest = new Set(
    [...Map.groupBy(everyday, keyOf).values()].map(
      (sellers) => sellers.toSorted((a, b) => newestFirst(a.model, b.model))[0],
    ),
  );
  const groups = Map.groupBy(
    everyday,
    (each) =>
      Number(!each.isNamed) + 2 * Number(!hasPrice(each.model)) + 4 * Number(!newest.has(each)),
  );
  return [...groups.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((group) => {
      const members = groups.get(group) ?? [];
      const inOrder = middleFirst(members.map(({ model }) => model));
      return inOrder.flatMap((of) => members.filter(({ model }) => model === of));
    });
}

const ranksOf = memoizedByObject(
  (_: ModelPool["ranked"]) => new Map<Kind, ReadonlyMap<number, number>>(),
);

export function everydayRanks(
  { ranked }: Pick<ModelPool, "ranked">,
  kind: Kind,
): ReadonlyMap<number, number> {
  const ofPool = ranksOf(ranked);
  const known = ofPool.get(kind);
  if (known !== undefined) return known;
  const models = ranked
    .filter(({ exclusion, isPreview, isUnpriced, isUnrated, isLate }) => {
      return exclusion === null && !isPreview && !isUnpriced && !isUnrated && !isLate;
    })
    .map(({ model }) => model)
    .filter((model) => kindOf(model) === kind && !isForCode(lineOf(model)));
  const rankOf = new Map<string, number>();
  for (const [rank, { model }] of everydayAmong(models).entries())
    if (!rankOf.has(sharedName(model))) rankOf.set(sharedName(model), rank);
  const eligible = new Set(models);
  const found = new Map<number, number>();
  for (const [position, { model }] of ranked.entries()) {
    const rank = eligible.has(model) ? rankOf.get(sharedName(model)) : undefined;
    if (rank !== undefined) found.set(position, rank);
  }
  ofPool.set(kind, found);
  return found;
}

const lineOfProvider = (model: Model): string => `${model.provider} ${lineOf(model)}`;

export function leadersAmong(
  models: readonly Model[],
  pool: Pick<ModelPool, "ranked">,
  kind: Kind,
): readonly Model[] {
  const everyday = [...everydayRanks(pool, kind).keys()].flatMap(
    (at) => pool.ranked[at]?.model ?? [],
  );
  const lines = new Set(everyday.map(lineOfProvider));
  const [first] = everydayAmong(models.filter((model) => lines.has(lineOfProvider(model))));
  return first === undefined
    ? withoutSuperseded(models)
    : models.filter((model) => sharedName(model) === sharedName(first.model));
}

/** Whether a hint names only a maker, for example `claude`. Such a hint has no equivalents. */
export function namesMaker(hint: string): boolean {
  const folded = readHint(hint)?.folded ?? "";
  return everydayLines.some((line) => line.startsWith(`${folded}-`)) && !folded.includes("-");
}
