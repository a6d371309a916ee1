/** Copies of a model count once, otherwise they would distort the scale of each axis. */
import { canonicalOf } from "../models/canonical-name.ts";
import type { RankedModel } from "./ranked-model.ts";

export interface Copies {
  group: Uint32Array;
  copyOrder: Uint32Array;
}

/** Input plus output, USD per million tokens; unknown counts as the highest price. */
const priceOf = ({ model: { inputUsdPerMTok, outputUsdPerMTok } }: RankedModel): number =>
  (inputUsdPerMTok ?? Number.POSITIVE_INFINITY) + (outputUsdPerMTok ?? Number.POSITIVE_INFINITY);

const asked = (a: RankedModel, b: RankedModel): number =>
  // Two unknown prices differ by NaN, which sorts like 0.
  a.preference - b.preference || priceOf(a) - priceOf(b) || a.expectedMs - b.expectedMs;

const datesIn = (id: string): string => (id.match(/\d{4,}(-\d{2}-\d{2})?/g) ?? []).join();

/** Keeps the undated or newest version of each provider; other dated versions are models of their own. */
function withoutVersions(positions: readonly number[], ranked: readonly RankedModel[]): number[] {
  const modelAt = (position: number): string => ranked[position]?.model.id ?? "";
  const byProvider = Map.groupBy(positions, (position) => ranked[position]?.model.provider);
  return [...byProvider.values()].flatMap((its) => {
    const byDates = Map.groupBy(its, (position) => datesIn(modelAt(position)));
    const [newest = ""] = [...byDates.keys()].toSorted().toReversed();
    return byDates.get("") ?? byDates.get(newest) ?? [];
  });
}

export function copiesAmong(ranked: readonly RankedModel[]): Copies | null {
  const byName = new Map<string, number[]>();
  for (const [position, { model, exclusion }] of ranked.entries()) {
    const name = exclusion === null ? canonicalOf(model) : null;
    if (name === null) continue;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [position]);
    else known.push(position);
  }
  const groups = [...byName.values()]
    .filter((positions) => positions.length > 1)
    .map((positions) => withoutVersions(positions, ranked))
    .filter((positions) => positions.length > 1);
  if (groups.length === 0) return null;
  const group = new Uint32Array(ranked.length);
  const copyOrder = new Uint32Array(ranked.length);
  for (const [at, positions] of groups.entries()) {
    const inOrder = positions.toSorted((a, b) => {
      const [one, other] = [ranked[a], ranked[b]];
      return one === undefined || other === undefined ? 0 : asked(one, other);
    });
    for (const [place, position] of inOrder.entries()) {
      group[position] = at + 1;
      copyOrder[position] = place;
    }
  }
  return { group, copyOrder };
}

/** The place of each model's representative: the copy that hints prefer, otherwise the tenant's preferred copy. */
export function leadersOf(
  { group, copyOrder }: Copies,
  positions: readonly number[],
  levels: readonly number[],
): number[] {
  const leaders = [...positions.keys()];
  const best = new Map<number, number>();
  const orderOf = (place: number): number => copyOrder[positions[place] ?? 0] ?? 0;
  for (let place = 0; place < positions.length; place += 1) {
    const its = group[positions[place] ?? 0] ?? 0;
    const before = best.get(its) ?? -1;
    const isBetter =
      before === -1 ||
      ((levels[place] ?? 0) - (levels[before] ?? 0) || orderOf(place) - orderOf(before)) < 0;
    if (its !== 0 && isBetter) best.set(its, place);
  }
  for (let place = 0; place < positions.length; place += 1) {
    const its = group[positions[place] ?? 0] ?? 0;
    if (its !== 0) leaders[place] = best.get(its) ?? place;
  }
  return leaders;
}
