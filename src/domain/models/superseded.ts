/** Older models of a line whose newer model is not more expensive. */
import { parseModel } from "./lines.ts";
import type { Model } from "./model.ts";

const generationOf = (model: Model): number => parseModel(model)?.generation ?? 0;

const priceOf = ({ outputUsdPerMTok }: Model): number =>
  outputUsdPerMTok ?? Number.POSITIVE_INFINITY;

export function withoutSuperseded(models: readonly Model[]): readonly Model[] {
  const kept = new Set<Model>();
  const lines = Map.groupBy(models, (of) => `${of.provider} ${parseModel(of)?.line ?? of.id}`);
  for (const line of lines.values()) {
    const byGeneration = Map.groupBy(line, generationOf);
    let least: number | null = null;
    for (const generation of [...byGeneration.keys()].toSorted((a, b) => b - a)) {
      const members = byGeneration.get(generation) ?? [];
      for (const model of members) if (least === null || priceOf(model) < least) kept.add(model);
      least = Math.min(least ?? Number.POSITIVE_INFINITY, ...members.map(priceOf));
    }
  }
  return models.filter((model) => kept.has(model));
}
