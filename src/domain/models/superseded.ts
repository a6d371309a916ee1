import { generationOf, lineOf } from "./lines.ts";
import type { Model } from "./model.ts";

const priceOf = ({ outputUsdPerMTok }: Model): number =>
  outputUsdPerMTok ?? Number.POSITIVE_INFINITY;

export function withoutSuperseded(models: readonly Model[]): readonly Model[] {
  const kept = new Set<Model>();
  const lines = Map.groupBy(models, (of) => `${of.provider} ${lineOf(of)}`);
  for (const line of lines.values()) {
    const byGeneration = Map.groupBy(line, (model) => generationOf(model) ?? 0);
    let lowest: number | null = null;
    for (const generation of [...byGeneration.keys()].toSorted((a, b) => b - a)) {
      const members = byGeneration.get(generation) ?? [];
      for (const model of members) if (lowest === null || priceOf(model) < lowest) kept.add(model);
      lowest = Math.min(lowest ?? Number.POSITIVE_INFINITY, ...members.map(priceOf));
    }
  }
  return models.filter((model) => kept.has(model));
}
