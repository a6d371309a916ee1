/**
 * `ModelPreferences.hints`: the first hint with a feasible match wins. Order of matches: the exact name, its
 * versions, the nearest generations of its line, names that contain the hint. If a hint names a retired model, the
 * successor is a match.
 */
import { memoizedByObject, memoizedByText } from "../memoized.ts";
import { classesNamedBy, equivalentsOf } from "../models/equivalents.ts";
import { isPriceMissing } from "../models/cost.ts";
import { retiredModelNamed } from "../models/gone-models.ts";
import { generationOf, newestFirst, parseModel, type ParsedName } from "../models/lines.ts";
import {
  containing,
  equalTo,
  indexOf,
  lineIn,
  readHint,
  namesLine,
  versionsOf,
  writesOnly,
  type Fit,
  type ModelIndex,
  type ReadHint,
  type Served,
} from "../models/model-index.ts";
import { meantBy } from "../models/misspelt.ts";
import type { Model } from "../models/model.ts";

export interface Narrowed {
  /** one for each served model; 0: not preferred, otherwise lower is better; null: no preference */
  levels: readonly number[] | null;
  hint: string | null;
  viaEquivalence: boolean;
}

export const nothingNarrowed: Narrowed = { levels: null, hint: null, viaEquivalence: false };

// Levels, best first. Successors and generations of a line have consecutive levels from these on.
const equalLevel = 1;
export const versionLevel = 2;
const successorLevel = 3;
const lineLevel = 1_000;
const fitLevels: Readonly<Record<Fit, number>> = {
  words: 50_000,
  beginning: 50_001,
  inside: 50_002,
};
const maxSuccessors = 900;

interface Matches {
  served: Served;
  index: ModelIndex;
  levels: number[];
  any: boolean;
}

function addMatch(
  matches: Matches,
  at: number,
  { level, includesHintOnly }: { level: number; includesHintOnly: boolean },
): void {
  const { served, levels } = matches;
  if (levels[at] !== 0 || !served.isFeasible(at)) return;
  if (!includesHintOnly && served.isHintOnly?.(at) === true) return;
  if (level !== equalLevel && served.isExactOnly?.(at) === true) return;
  levels[at] = level;
  matches.any = true;
}

interface Gone {
  provider: string;
  parsed: ParsedName;
  intelligence: number | null;
}

const goneFrom = (model: Model): Gone[] => {
  const parsed = parseModel(model);
  return parsed === null
    ? []
    : [{ provider: model.provider, parsed, intelligence: model.intelligence }];
};

function goneModelsFor(hint: ReadHint, all: ModelIndex): Gone[] {
  const retiredAmong = (positions: readonly number[]): Gone[] | null => {
    const named = positions.flatMap((at) => all.models[at] ?? []);
    if (named.length === 0) return null;
    return named.some(({ status }) => status !== "retired") ? [] : named.flatMap(goneFrom);
  };
  const gone = retiredModelNamed(hint.folded);
  const isServed = equalTo(all, hint).some((at) => {
    const model = all.models[at];
    return model !== undefined && model.status !== "retired" && model.provider === gone?.provider;
  });
  if (gone !== null && !isServed) return [{ ...gone, intelligence: null }];
  const equal = retiredAmong(equalTo(all, hint));
  if (equal !== null) return equal;
  const versions = retiredAmong(versionsOf(all, hint));
  if (versions !== null) return versions;
  // `claude-3` names all sizes of a retired generation.
  const { parsed } = hint;
  if (parsed === null || parsed.sized || parsed.generation === null) return [];
  const ofGeneration = (all.bySeries.get(parsed.series) ?? []).filter((at) =>
    isOfGeneration(parsed, all.models[at]),
  );
  return retiredAmong(ofGeneration) ?? [];
}

function isOfGeneration(named: ParsedName, model: Model | undefined): boolean {
  const generation = model === undefined ? null : generationOf(model);
  return named.wholeGeneration && generation !== null
    ? Math.floor(generation) === named.generation
    : generation === named.generation;
}

/** Models of the retired model's line, newest first, from its provider if possible; none that are older or weaker. */
function addSuccessors(matches: Matches, gone: readonly Gone[]): void {
  const { index, served } = matches;
  for (const { provider, parsed, intelligence } of gone) {
    const eligible = (index.byLine.get(parsed.line) ?? []).filter((at) => {
      const model = index.models[at];
      if (model === undefined || !served.isFeasible(at)) return false;
      const generation = generationOf(model);
      const isOlder =
        generation !== null && parsed.generation !== null && generation < parsed.generation;
      const isWeaker =
        intelligence !== null && model.intelligence !== null && model.intelligence < intelligence;
      // A model without a known price is only selected if a hint names it exactly.
      return !isOlder && !isWeaker && !isPriceMissing(model);
    });
    const atProvider = eligible.filter((at) => index.models[at]?.provider === provider);
    const withoutPreviews = (among: readonly number[]): number[] =>
      among.filter((at) => index.models[at]?.status !== "preview");
    const successors =
      [
        withoutPreviews(atProvider),
        withoutPreviews(eligible),
        // Only a preview may replace a preview.
        parsed.preview ? atProvider : [],
      ].find((among) => among.length > 0) ?? [];
    const ranked = successors.toSorted((a, b) => {
      const [one, other] = [index.models[a], index.models[b]];
      return one === undefined || other === undefined ? 0 : newestFirst(one, other);
    });
    for (const [rank, at] of ranked.entries())
      addMatch(matches, at, {
        level: successorLevel + Math.min(rank, maxSuccessors),
        includesHintOnly: true,
      });
  }
}

/** Models of the hint's line, or of its series if it has no size: the nearest generation first, or the newest for `-latest`. */
function addLine(matches: Matches, { parsed, folded }: ReadHint, includesHintOnly: boolean): void {
  const { index } = matches;
  if (parsed === null || (!namesLine(parsed, index) && parsed.generation === null)) return;
  const ofLine = index.byLine.get(lineIn(index, parsed));
  const members = ofLine ?? (parsed.sized ? undefined : index.bySeries.get(parsed.series));
  if (members === undefined) return;
  const isLatest = parsed.generation === null && folded.endsWith("-latest");
  const distanceOf = (at: number): number => {
    const model = index.models[at];
    const generation = model === undefined ? null : generationOf(model);
    if (isLatest) return -(generation ?? 0);
    if (parsed.generation === null) return 0;
    if (generation === null) return Number.POSITIVE_INFINITY;
    // `gemini-3` means all of 3.x; `gpt-4` means one model of its line.
    return ofLine === undefined && isOfGeneration(parsed, model)
      ? 0
      : Math.abs(generation - parsed.generation);
  };
  const distances = [...new Set(members.map(distanceOf))].toSorted((a, b) => a - b);
  for (const at of members)
    addMatch(matches, at, {
      level: lineLevel + distances.indexOf(distanceOf(at)),
      includesHintOnly,
    });
}

/** If a hint matches text models, it doesn't mean image models. */
const matchesTextModels = (hint: ReadHint, all: readonly Model[]): boolean =>
  containing(indexOf(all), hint).some(({ at, fit }) => {
    const model = all[at];
    return fit !== "inside" && model !== undefined && writesOnly(model);
  });

function addSubstrings(
  matches: Matches,
  found: ReturnType<typeof containing>,
  { includesHintOnly, meansText }: { includesHintOnly: boolean; meansText: boolean },
): void {
  const { index, served } = matches;
  for (const { at, fit } of found) {
    const model = index.models[at];
    const isTextModel = model !== undefined && writesOnly(model);
    if (meansText && !isTextModel && served.isHintOnly?.(at) === true) continue;
    addMatch(matches, at, { level: fitLevels[fit], includesHintOnly });
  }
}

function levelsFor(hint: ReadHint, served: Served, all: readonly Model[]): number[] | null {
  const index = indexOf(served.models);
  const levels = served.models.map(() => 0);
  const matches: Matches = { served, index, levels, any: false };
  for (const at of equalTo(index, hint))
    addMatch(matches, at, { level: equalLevel, includesHintOnly: true });
  const gone = matches.any ? [] : goneModelsFor(hint, indexOf(all));
  if (gone.length > 0) {
    addSuccessors(matches, gone);
    return matches.any ? levels : null;
  }
  for (const at of versionsOf(index, hint))
    addMatch(matches, at, { level: versionLevel, includesHintOnly: true });
  const containingHint = containing(index, hint);
  for (const includesHintOnly of [false, true]) {
    // Hint-only models are only considered if the hint matches no others.
    if (includesHintOnly && matches.any) break;
    addLine(matches, hint, includesHintOnly);
    const meansText = includesHintOnly && containingHint.length > 0 && matchesTextModels(hint, all);
    addSubstrings(matches, containingHint, { includesHintOnly, meansText });
  }
  return matches.any ? levels : null;
}

/** Cached: correction compares an unknown hint with every line. */
const corrections = memoizedByObject((index: ModelIndex) =>
  memoizedByText((hint): string | null => {
    const read = readHint(hint);
    return read === null || retiredModelNamed(read.folded) !== null ? null : meantBy(read, index);
  }),
);

export const correctionOf = (hint: string, all: readonly Model[]): string | null =>
  corrections(indexOf(all))(hint);

export function narrow(hints: readonly string[], served: Served, all: readonly Model[]): Narrowed {
  const readable = hints.flatMap((hint) => {
    const read = readHint(correctionOf(hint, all) ?? hint);
    return read === null ? [] : [{ hint, read }];
  });
  for (const { hint, read } of readable) {
    const levels = levelsFor(read, served, all);
    if (levels !== null) return { levels, hint, viaEquivalence: false };
  }
  for (const { hint, read } of readable) {
    const classes = classesNamedBy(read, all);
    if (classes.length === 0) continue;
    const levels = equivalentsOf(classes, served, all);
    if (levels !== null) return { levels, hint, viaEquivalence: true };
  }
  return nothingNarrowed;
}

/** Cached: searching all names takes longer than a selection. */
const knownHints = memoizedByObject((index: ModelIndex) =>
  memoizedByText((hint): boolean => {
    const read = readHint(hint);
    if (read === null) return false;
    const { folded, parsed } = read;
    return (
      index.byName.has(folded) ||
      retiredModelNamed(folded) !== null ||
      versionsOf(index, read).length > 0 ||
      (parsed !== null && namesLine(parsed, index) && index.byLine.has(lineIn(index, parsed))) ||
      (parsed !== null && parsed.generation !== null && index.bySeries.has(parsed.series)) ||
      index.text.includes(folded)
    );
  }),
);

export const isKnownHint = (hint: string, all: readonly Model[]): boolean =>
  knownHints(indexOf(all))(hint);
