import { knownAnywhere } from "./tenant-models.ts";
import {
  nameOf,
  withClassPrices,
  type Catalogue,
  type CredentialSummary,
  type Figure,
  type Model,
  type ModelChange,
  type ModelOverride,
} from "./model.ts";

/** `unverified`: from memory or a third party. `estimated`: from the price. `provider`: only in a provider's list. */
export const figureSources = [
  "seed",
  "unverified",
  "estimated",
  "models.dev",
  "provider",
  "credential",
  "override",
] as const;
export type FigureSource = (typeof figureSources)[number];

export type Sources = Partial<Record<Figure, FigureSource>>;

const implied = ({ source }: Model): FigureSource => (source === "catalogue" ? "seed" : source);

export function sourcesFrom(
  catalogue: Catalogue,
  credentials: readonly CredentialSummary[],
  overrides: readonly ModelOverride[],
): (model: Model) => Sources {
  const base = new Map(catalogue.models.map((model) => [nameOf(model), model]));
  const statedSources = new Map<string, Sources>();
  const note = (name: string, change: ModelChange, source: FigureSource): void => {
    const sources = statedSources.get(name) ?? {};
    for (const figure of Object.keys(withClassPrices(change, base.get(name))) as Figure[])
      sources[figure] = source;
    statedSources.set(name, sources);
  };
  for (const { provider, models } of credentials)
    for (const { id, like: _, ...change } of models ?? [])
      note(nameOf({ provider, id }), change, "credential");
  for (const { provider, id, change } of overrides)
    note(nameOf({ provider, id }), change, "override");

  return (model) => {
    const known = base.get(nameOf(model));
    const { id, name, aliases } = model;
    const { estimated: guessed = [], ...anywhere } =
      known === undefined ? knownAnywhere(catalogue, { id, name, aliases }) : {};
    const stated = statedSources.get(nameOf(model)) ?? {};
    const sources: Sources = {};
    for (const figure of Object.keys(anywhere) as Figure[]) sources[figure] = "seed";
    for (const figure of guessed) sources[figure] = "estimated";
    if (known !== undefined) {
      const { provider: _, id: __, source: ___, ...rest } = known;
      const { synced = [], unverified = [], estimated = [], ...figures } = rest;
      for (const figure of Object.keys(figures) as Figure[]) sources[figure] = "seed";
      for (const figure of unverified) sources[figure] = "unverified";
      for (const figure of synced) sources[figure] = "models.dev";
      for (const figure of estimated) sources[figure] = "estimated";
    }
    Object.assign(sources, stated);
    const differing = Object.entries(sources).filter(([, source]) => source !== implied(model));
    return Object.fromEntries(differing);
  };
}
