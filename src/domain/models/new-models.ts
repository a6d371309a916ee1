/** Tiers of synced models: from the newest member of a known line, otherwise estimated from the price. */
import { generationOf, isForCode, lineOf, newestFirst, parseModel } from "./lines.ts";
import type { Catalogue, Model } from "./model.ts";

type Tiers = Pick<Model, "intelligence" | "speed" | "estimated">;

const wholeGenerationOf = (model: Model): number | null => {
  const generation = generationOf(model);
  return generation === null ? null : Math.floor(generation);
};

const newestOfLines = (models: readonly Model[]): Model[] =>
  [...Map.groupBy(models, lineOf).values()].flatMap((line) => line.toSorted(newestFirst)[0] ?? []);

function nearGeneration(model: Model, known: readonly Model[]): readonly Model[] {
  const series = parseModel(model)?.series;
  const generation = wholeGenerationOf(model);
  const ofSeries = known.filter((other) => parseModel(other)?.series === series);
  const earlier = ofSeries.flatMap((other) => {
    const its = wholeGenerationOf(other);
    return its !== null && generation !== null && its <= generation ? [its] : [];
  });
  if (earlier.length === 0) return ofSeries.length > 0 ? ofSeries : known;
  const nearest = Math.max(...earlier);
  return ofSeries.filter((other) => wholeGenerationOf(other) === nearest);
}

const tierOf = ({ intelligence }: Model): number => intelligence ?? 0;

const priceOf = ({ outputUsdPerMTok }: Model): number => outputUsdPerMTok ?? 0;

/** By price ratio, preferring the less able; never abler than the most expensive line. */
function nearestByPrice(model: Model, lines: readonly Model[]): Model | undefined {
  const distance = (other: Model): number =>
    Math.abs(Math.log(priceOf(other)) - Math.log(priceOf(model)));
  const nearest = lines.toSorted(
    (a, b) => distance(a) - distance(b) || tierOf(a) - tierOf(b) || newestFirst(a, b),
  )[0];
  const mostExpensive = lines.toSorted((a, b) => priceOf(b) - priceOf(a))[0];
  if (nearest === undefined || mostExpensive === undefined) return undefined;
  return tierOf(nearest) > tierOf(mostExpensive) ? mostExpensive : nearest;
}

function likeOf(model: Model, seed: readonly Model[]): Model | undefined {
  if (priceOf(model) === 0) return undefined;
  const kind = (other: Model): string =>
    `${other.outputModalities.toSorted().join()} ${isForCode(lineOf(other))}`;
  const comparable = seed.filter(
    (other) => other.status === "active" && priceOf(other) > 0 && kind(other) === kind(model),
  );
  const there = comparable.filter(({ provider }) => provider === model.provider);
  return nearestByPrice(
    model,
    newestOfLines(nearGeneration(model, there.length > 0 ? there : comparable)),
  );
}

export function tiersOfNew(model: Model, { models: seed }: Catalogue): Tiers {
  const line = parseModel(model)?.line;
  const members = seed.filter(
    (other) => other.status !== "retired" && parseModel(other)?.line === line,
  );
  const kin = members.toSorted(newestFirst)[0];
  // Ability is independent of the provider, speed is not.
  if (kin?.provider === model.provider) return { intelligence: kin.intelligence, speed: kin.speed };
  const like = likeOf(model, seed);
  const speed = like?.provider === model.provider ? like.speed : null;
  const guessed: Tiers = {
    intelligence: kin?.intelligence ?? like?.intelligence ?? null,
    speed,
  };
  const estimated = [
    ...(kin === undefined && guessed.intelligence !== null ? (["intelligence"] as const) : []),
    ...(speed === null ? [] : (["speed"] as const)),
  ];
  return estimated.length === 0 ? guessed : { ...guessed, estimated };
}
