import type { Model } from "../../domain/models/model.ts";

/** `id`: the source lists the model, as only providers' lists do. */
export type Figures = Partial<Omit<Model, "provider" | "source" | "synced">>;

/** By `provider/model`. `day`: ISO date of publication. */
export interface Source {
  name: string;
  day: string;
  figures: ReadonlyMap<string, Figures>;
}

export interface Built {
  figures: Figures;
  /** by source */
  taken: Record<string, string[]>;
  /** where later sources disagree */
  contradictions: string[];
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The first figure wins, even `null`. */
export function combine(name: string, sources: readonly Source[]): Built {
  const built: Built = { figures: {}, taken: {}, contradictions: [] };
  const from = new Map<string, string>();
  for (const { name: source, day, figures } of sources) {
    const label = `${source} ${day}`;
    for (const [figure, value] of Object.entries(figures.get(name) ?? {})) {
      if (value === undefined) continue;
      const winner = from.get(figure);
      const known = (built.figures as Record<string, unknown>)[figure];
      if (winner === undefined) {
        Object.assign(built.figures, { [figure]: value });
        from.set(figure, label);
        (built.taken[label] ??= []).push(figure);
      } else if (!same(known, value))
        built.contradictions.push(
          `${name} ${figure}: ${JSON.stringify(known)} (${winner}), ${JSON.stringify(value)} (${label})`,
        );
    }
  }
  return built;
}
