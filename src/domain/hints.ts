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

export interface Narrowed {
  models: ReadonlySet<Model>;
  /** the hint that narrowed the field; null: none applied */
  hint: string | null;
  /** the hint named a model that can't serve, and these stand in for it */
  viaEquivalence: boolean;
}

const distance = (a: number | null, b: number | null): number =>
  a === null || b === null ? 2.5 : Math.abs(a - b);

/** The feasible models nearest to a known one: its family elsewhere, else its intelligence and speed. */
function equivalentsOf(known: readonly Model[], feasible: readonly Model[]): Model[] {
  const families = new Set(known.map(({ family }) => family).filter((family) => family !== null));
  const relatives = feasible.filter(({ family }) => family !== null && families.has(family));
  if (relatives.length > 0) return relatives;
  const gap = (model: Model): number =>
    Math.min(
      ...known.map(
        (other) =>
          2 * distance(model.intelligence, other.intelligence) + distance(model.speed, other.speed),
      ),
    );
  const nearest = Math.min(...feasible.map(gap));
  return feasible.filter((model) => gap(model) === nearest);
}

/** Narrows the feasible models by the hints; `all` is every model known, feasible or not. */
export function narrow(
  hints: readonly string[],
  feasible: readonly Model[],
  all: readonly Model[],
): Narrowed {
  for (const hint of hints) {
    const models = feasible.filter((model) => matchesHint(model, hint));
    if (models.length > 0) return { models: new Set(models), hint, viaEquivalence: false };
  }
  for (const hint of hints) {
    const known = all.filter((model) => matchesHint(model, hint));
    if (known.length > 0 && feasible.length > 0)
      return { models: new Set(equivalentsOf(known, feasible)), hint, viaEquivalence: true };
  }
  return { models: new Set(feasible), hint: null, viaEquivalence: false };
}
