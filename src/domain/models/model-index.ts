/** Lists of models, prepared so that a hint finds its models among thousands in microseconds. */
import { canonicalOf } from "./canonical-name.ts";
import { parseModel, parseName, type ParsedName } from "./lines.ts";
import { nameOf, type Model } from "./model.ts";
import { bareName, foldName } from "./plain-name.ts";

/** Whether a model answers with text and nothing else. */
export const writesOnly = ({ outputModalities }: Pick<Model, "outputModalities">): boolean =>
  outputModalities.every((modality) => modality === "text");

export type Kind = "text" | "image" | "audio";

/** What a model is for, and what a request asks for: whatever draws is for images, even if it writes too. */
export const kindOf = ({ outputModalities }: Pick<Model, "outputModalities">): Kind => {
  if (outputModalities.includes("image")) return "image";
  return outputModalities.includes("audio") ? "audio" : "text";
};

/** Stands between names. No folded hint contains it, so no hint matches across two names. */
const separator = "\n";

export interface ModelIndex {
  models: readonly Model[];
  /** positions by each folded name: id, provider and id, display name, aliases */
  byName: ReadonlyMap<string, readonly number[]>;
  byCore: ReadonlyMap<string, readonly number[]>;
  byLine: ReadonlyMap<string, readonly number[]>;
  bySeries: ReadonlyMap<string, readonly number[]>;
  /** all names as one text: one search of it is quicker than one search for each name */
  text: string;
  /** where each model's names begin in the text, and where the text ends */
  starts: Uint32Array;
}

/** Models, some of which are feasible. */
export interface Served {
  models: readonly Model[];
  /** by position */
  isFeasible: (position: number) => boolean;
  /** by position: chosen only if a hint names it, as a preview is; absent: none is */
  isHintOnly?: (position: number) => boolean;
  /** by position: chosen only by a hint that is the model's name; absent: none is */
  isExactOnly?: (position: number) => boolean;
}

/** A hint, prepared for the search. */
export interface ReadHint {
  folded: string;
  parsed: ParsedName | null;
}

/** Servers send the same few hints with every request, so prepared hints are kept for a while. */
const readHints = new Map<string, ReadHint | null>();
const mostReadHints = 500;

/** Words for what a model can do. The request itself says what it needs, so they name no model. */
const abilities: ReadonlySet<string> = new Set(["vision", "multimodal", "reasoning", "tools"]);

/** null: the hint can match nothing. */
export function readHint(hint: string): ReadHint | null {
  const known = readHints.get(hint);
  if (known !== undefined) return known;
  const asked = foldName(hint);
  // ChatGPT is the product; its makers call the series GPT.
  const folded = asked === "chatgpt" || asked === "chat-gpt" ? "gpt" : asked;
  const read =
    folded === "" || abilities.has(folded)
      ? null
      : { folded, parsed: parseName(folded === asked ? hint : folded) };
  if (readHints.size >= mostReadHints) readHints.clear();
  readHints.set(hint, read);
  return read;
}

/** Everything by which a model is found. */
interface Findable {
  /** folded names, with and without what stands before them, each one once */
  names: readonly string[];
  /** the names and the family as one text, to be searched */
  text: string;
  parsed: ParsedName | null;
}

/** Models are replaced and never changed, so what was made of one stays right. */
const findables = new WeakMap<Model, Findable>();

function findableOf(model: Model): Findable {
  let findable = findables.get(model);
  if (findable === undefined) {
    const full = [nameOf(model), model.name, ...model.aliases].map(foldName);
    const family = model.family === null ? [] : [foldName(model.family)];
    findable = {
      names: [...new Set([...full, foldName(model.id), ...full.map(bareName)])],
      text: [...full, ...family].join(separator),
      parsed: parseModel(model),
    };
    findables.set(model, findable);
  }
  return findable;
}

const none: readonly number[] = [];

function add(groups: Map<string, number[]>, key: string, at: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [at]);
  else group.push(at);
}

/** A canonical name means every provider's model of that name, but no dated version beside it. */
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

/** Lists of models are replaced and never changed, too. */
const indexes = new WeakMap<readonly Model[], ModelIndex>();

export function indexOf(models: readonly Model[]): ModelIndex {
  const known = indexes.get(models);
  if (known !== undefined) return known;
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
  const text = texts.join(separator);
  const index = { models, byName, byCore, byLine, bySeries, text, starts };
  indexes.set(models, index);
  return index;
}

/** The line that a hint names here: with its unknown words, if a model of such a line came with a sync. */
export const lineIn = ({ byLine }: ModelIndex, { line, wholeLine }: ParsedName): string =>
  byLine.has(wholeLine) ? wholeLine : line;

/** Whether a hint says which models of its series it means: by a size, or by a word that a line has here. */
export const saysLine = (parsed: ParsedName, index: ModelIndex): boolean =>
  parsed.sized || lineIn(index, parsed) !== parsed.line;

/** Positions of the models that have the hint as their name, with or without what stands before the name. */
export const equalTo = (
  { byName }: ModelIndex,
  { folded }: Pick<ReadHint, "folded">,
): readonly number[] => byName.get(folded) ?? byName.get(bareName(folded)) ?? none;

/** Positions of the dated, latest and preview versions of the model that the hint names. */
export const versionsOf = ({ byCore }: ModelIndex, { parsed }: ReadHint): readonly number[] =>
  parsed === null || (!parsed.sized && parsed.generation === null)
    ? none
    : (byCore.get(parsed.core) ?? none);

const isWordCharacter = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 122);

/**
 * How a name contains a hint: as whole words, from a word's beginning, or inside of a word, like `mini` in
 * `gemini`.
 */
export type Fit = "words" | "beginning" | "inside";

const fitAt = (text: string, from: number, to: number): Fit => {
  if (from > 0 && isWordCharacter(text.charCodeAt(from - 1))) return "inside";
  return to < text.length && isWordCharacter(text.charCodeAt(to)) ? "beginning" : "words";
};

const fitRank: Readonly<Record<Fit, number>> = { words: 0, beginning: 1, inside: 2 };

export interface Holder {
  /** position of the model */
  at: number;
  fit: Fit;
}

/** Remembered, since a search takes as long as the rest of a choice, and servers repeat their hints. */
const holders = new WeakMap<ModelIndex, { byHint: Map<string, readonly Holder[]>; size: number }>();
/** Size of all remembered lists of one index together. Beyond it all are forgotten. */
const mostHolders = 50_000;

/** Models with a name that contains the hint, ascending by position, with the best fit of each. */
export function containing(index: ModelIndex, { folded }: ReadHint): readonly Holder[] {
  const known = holders.get(index) ?? { byHint: new Map<string, readonly Holder[]>(), size: 0 };
  holders.set(index, known);
  const before = known.byHint.get(folded);
  if (before !== undefined) return before;
  const found = holdersIn(index, folded);
  // An empty list takes room as well.
  known.size += found.length + folded.length;
  if (known.size > mostHolders) {
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
    // No better hit is possible in this model, so the search goes on with the next one.
    if (fit === "words") hit = (starts[model + 1] ?? text.length) - 1;
  }
  return found;
}
