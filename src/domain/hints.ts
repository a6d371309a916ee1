/**
 * Hints, as `ModelPreferences.hints` means them: tried in order, each a case-insensitive substring of
 * a model's name; the first that matches is taken, priorities choose among several matches.
 */
import { nameOf, type Model } from "./models.ts";

/** Between names; no hint that holds it matches, so none can reach over it. */
const separator = "\n";

/** Models are never changed, only replaced, so what was made of one stays right. */
const searchable = new WeakMap<Model, string>();

function namesOf(model: Model): string {
  let names = searchable.get(model);
  if (names === undefined) {
    names = [nameOf(model), model.family ?? "", ...model.aliases].join(separator).toLowerCase();
    searchable.set(model, names);
  }
  return names;
}

/** A hint as it is looked for; null when it can match nothing. */
function needleOf(hint: string): string | null {
  const needle = hint.trim().toLowerCase();
  return needle === "" || needle.includes(separator) ? null : needle;
}

export function matchesHint(model: Model, hint: string): boolean {
  const needle = needleOf(hint);
  return needle !== null && namesOf(model).includes(needle);
}

/** The names of many models in one text: one search of it is quicker than one of each. */
interface Haystack {
  text: string;
  /** where each model's names begin, and the end */
  starts: Uint32Array;
}

/** Lists of models are never changed either. */
const haystacks = new WeakMap<readonly Model[], Haystack>();

function haystackOf(models: readonly Model[]): Haystack {
  let haystack = haystacks.get(models);
  if (haystack === undefined) {
    const names = models.map(namesOf);
    const starts = new Uint32Array(models.length + 1);
    for (const [at, its] of names.entries())
      starts[at + 1] = (starts[at] ?? 0) + its.length + separator.length;
    haystack = { text: names.join(separator), starts };
    haystacks.set(models, haystack);
  }
  return haystack;
}

/** Positions of the models that a hint matches, ascending. */
function matching(models: readonly Model[], hint: string): number[] {
  const needle = needleOf(hint);
  if (needle === null) return [];
  const { text, starts } = haystackOf(models);
  const found: number[] = [];
  let model = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, starts[model])) {
    while ((starts[model + 1] ?? text.length) <= at) model += 1;
    found.push(model);
    model += 1;
    if (model >= models.length) break;
  }
  return found;
}

export interface Narrowed {
  /** positions of the feasible models that are preferred; null: none is preferred to another */
  preferred: readonly number[] | null;
  /** the hint that narrowed the field; null: none applied */
  hint: string | null;
  /** the hint named a model that can't serve, and these stand in for it */
  viaEquivalence: boolean;
}

/** Models, some of which are feasible. */
export interface Served {
  models: readonly Model[];
  /** by position */
  isFeasible: (position: number) => boolean;
}

const distance = (a: number | null, b: number | null): number =>
  a === null || b === null ? 2.5 : Math.abs(a - b);

/** The feasible models nearest to a known one: its family elsewhere, else its intelligence and speed. */
function equivalentsOf(known: readonly Model[], served: Served): number[] {
  const { models, isFeasible } = served;
  const families = new Set(known.map(({ family }) => family).filter((family) => family !== null));
  const feasible = [...models.keys()].filter(isFeasible);
  const relatives = feasible.filter((at) => {
    const family = models[at]?.family ?? null;
    return family !== null && families.has(family);
  });
  if (relatives.length > 0) return relatives;
  // Tiers are few, so models that share theirs share the gap.
  const tiersOf = ({ intelligence, speed }: Model): string => `${intelligence} ${speed}`;
  const kinds = [...new Map(known.map((model) => [tiersOf(model), model])).values()];
  const gaps = new Map<string, number>();
  const gap = (at: number): number => {
    const model = models[at];
    if (model === undefined) return Number.POSITIVE_INFINITY;
    let its = gaps.get(tiersOf(model));
    if (its === undefined) {
      its = Math.min(
        ...kinds.map(
          (other) =>
            2 * distance(model.intelligence, other.intelligence) +
            distance(model.speed, other.speed),
        ),
      );
      gaps.set(tiersOf(model), its);
    }
    return its;
  };
  const all = feasible.map(gap);
  const nearest = all.reduce((least, its) => Math.min(least, its), Number.POSITIVE_INFINITY);
  return feasible.filter((_, at) => all[at] === nearest);
}

/** Narrows the feasible models by the hints; `all` is every model known, served or not. */
export function narrow(hints: readonly string[], served: Served, all: readonly Model[]): Narrowed {
  for (const hint of hints) {
    const preferred = matching(served.models, hint).filter(served.isFeasible);
    if (preferred.length > 0) return { preferred, hint, viaEquivalence: false };
  }
  for (const hint of hints) {
    const known = matching(all, hint).flatMap((at) => all[at] ?? []);
    if (known.length === 0) continue;
    const preferred = equivalentsOf(known, served);
    if (preferred.length > 0) return { preferred, hint, viaEquivalence: true };
  }
  return { preferred: null, hint: null, viaEquivalence: false };
}
