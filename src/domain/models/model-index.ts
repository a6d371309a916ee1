import { memoizedByObject, memoizedByText } from "../memoized.ts";
import { canonicalOf } from "./canonical-name.ts";
import { parseModel, parseName, type ParsedName } from "./lines.ts";
import { nameOf, type Model } from "./model.ts";
import { bareName, foldName } from "./plain-name.ts";

export const writesOnly = ({ outputModalities }: Pick<Model, "outputModalities">): boolean =>
  outputModalities.every((modality) => modality === "text");

export type Kind = "text" | "image" | "audio";

/** A model with image output is an image model even if it writes. */
export const kindOf = ({ outputModalities }: Pick<Model, "outputModalities">): Kind => {
  if (outputModalities.includes("image")) return "image";
  return outputModalities.includes("audio") ? "audio" : "text";
};

/** Never part of a hint, so no hint matches across two names. */
const separator = "\n";

export interface ModelIndex {
  models: readonly Model[];
  byName: ReadonlyMap<string, readonly number[]>;
  byCore: ReadonlyMap<string, readonly number[]>;
  byLine: ReadonlyMap<string, readonly number[]>;
  bySeries: ReadonlyMap<string, readonly number[]>;
  /** all names in one text: one search is faster than many */
  text: string;
  starts: Uint32Array;
}

export interface Served {
  models: readonly Model[];
  isFeasible: (position: number) => boolean;
  isHintOnly?: (position: number) => boolean;
  isExactOnly?: (position: number) => boolean;
}

export interface ReadHint {
  folded: string;
  parsed: ParsedName | null;
}

/** Abilities are requirements of the request, not model names. */
const abilities: ReadonlySet<string> = new Set(["vision", "multimodal", "reasoning", "tools"]);

/** Cached: servers repeat their hints. */
export const readHint = memoizedByText((hint): ReadHint | null => {
  const asked = foldName(hint);
  // ChatGPT is the product; the series is GPT.
  const folded = asked === "chatgpt" || asked === "chat-gpt" ? "gpt" : asked;
  return folded === "" || abilities.has(folded)
    ? null
    : { folded, parsed: parseName(folded === asked ? hint : folded) };
});

interface Findable {
  names: readonly string[];
  text: string;
  parsed: ParsedName | null;
}

const findableOf = memoizedByObject((model: Model): Findable => {
  const full = [nameOf(model), model.name, ...model.aliases].map(foldName);
  const family = model.family === null ? [] : [foldName(model.family)];
  return {
    names: [...new Set([...full, foldName(model.id), ...full.map(bareName)])],
    text: [...full, ...family].join(separator),
    parsed: parseModel(model),
  };
});

const none: readonly number[] = [];

function add(groups: Map<string, number[]>, key: string, at: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [at]);
  else group.push(at);
}

function addCanonical(byName: Map<string, number[]>, models: readonly Model[]): void {
  const found = [...models.entries()].flatMap(([at, model]) => {
    const full = foldName(canonicalOf(model) ?? "");
    const bare = bareName(full);
    const named = byName.get(bare) ?? none;
    const isNamed = named.some((other) => models[other]?.provider === model.provider);
    return full === "" || isNamed ? [] : [{ at, names: [full, bare] }];
  });
  for (const { at, names } of found) for (const name of names) add(byName, name, at);
}

export const indexOf = memoizedByObject((models: readonly Model[]): ModelIndex => {
  const byName = new Map<string, number[]>();
  const byCore = new Map<string, number[]>();
  const byLine = new Map<string, number[]>();
  const bySeries = new Map<string, number[]>();
  const starts = new Uint32Array(models.length + 1);
  const texts: string[] = [];
  for (const [at, model] of models.entries()) {
    const { names, text, parsed } = findableOf(model);
    for (const name of names) add(byName, name, at);
    if (parsed !== null) {
      add(byCore, parsed.core, at);
      add(byLine, parsed.line, at);
      add(bySeries, parsed.series, at);
    }
    texts.push(text);
    starts[at + 1] = (starts[at] ?? 0) + text.length + separator.length;
  }
  addCanonical(byName, models);
  return { models, byName, byCore, byLine, bySeries, text: texts.join(separator), starts };
});

/** The hinted line, including unknown words if such a line exists. */
export const lineIn = ({ byLine }: ModelIndex, { line, wholeLine }: ParsedName): string =>
  byLine.has(wholeLine) ? wholeLine : line;

export const namesLine = (parsed: ParsedName, index: ModelIndex): boolean =>
  parsed.sized || lineIn(index, parsed) !== parsed.line;

export const equalTo = (
  { byName }: ModelIndex,
  { folded }: Pick<ReadHint, "folded">,
): readonly number[] => byName.get(folded) ?? byName.get(bareName(folded)) ?? none;

export const versionsOf = ({ byCore }: ModelIndex, { parsed }: ReadHint): readonly number[] =>
  parsed === null || (!parsed.sized && parsed.generation === null)
    ? none
    : (byCore.get(parsed.core) ?? none);

const isWordCharacter = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 122);

/** How a name contains a hint; `inside`: like `mini` in `gemini`. */
export type Fit = "words" | "beginning" | "inside";

const fitAt = (text: string, from: number, to: number): Fit => {
  if (from > 0 && isWordCharacter(text.charCodeAt(from - 1))) return "inside";
  return to < text.length && isWordCharacter(text.charCodeAt(to)) ? "beginning" : "words";
};

const fitRank: Readonly<Record<Fit, number>> = { words: 0, beginning: 1, inside: 2 };

export interface Holder {
  at: number;
  fit: Fit;
}

/** Cached: a search takes as long as the rest of a selection, and servers repeat hints. */
const holdersOf = memoizedByObject((_: ModelIndex) => ({
  byHint: new Map<string, readonly Holder[]>(),
  size: 0,
}));
const maxHolders = 50_000;

export function containing(index: ModelIndex, { folded }: ReadHint): readonly Holder[] {
  const known = holdersOf(index);
  const before = known.byHint.get(folded);
  if (before !== undefined) return before;
  const found = holdersIn(index, folded);
  // Counts the key, so that empty lists count too.
  known.size += found.length + folded.length;
  if (known.size > maxHolders) {
    known.byHint.clear();
    known.size = found.length + folded.length;
  }
  known.byHint.set(folded, found);
  return found;
}

function holdersIn({ text, starts, models }: ModelIndex, folded: string): Holder[] {
  const found: Holder[] = [];
  let model = 0;
  for (let hit = text.indexOf(folded); hit !== -1; hit = text.indexOf(folded, hit + 1)) {
    while ((starts[model + 1] ?? text.length) <= hit) model += 1;
    if (model >= models.length) break;
    const fit = fitAt(text, hit, hit + folded.length);
    const last = found.at(-1);
    if (last?.at !== model) found.push({ at: model, fit });
    else if (fitRank[fit] < fitRank[last.fit]) last.fit = fit;
    // `words` is the best fit, so the search continues with the next model.
    if (fit === "words") hit = (starts[model + 1] ?? text.length) - 1;
  }
  return found;
}
