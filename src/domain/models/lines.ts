/**
 * A line is a series and a size; its members differ by generation. Works for synced and custom models, and for
 * copies.
 */
import { memoizedByObject } from "../memoized.ts";
import { isUncurated, nameOf, type Model } from "./model.ts";
import { bareName, foldName, withoutServing } from "./plain-name.ts";

export interface ParsedName {
  series: string;
  /** for example `claude-sonnet` */
  line: string;
  /** including unknown words, for example `gpt-vega` */
  wholeLine: string;
  sized: boolean;
  generation: number | null;
  /** the name has only a whole number, so `gemini-3` may mean 3.1 */
  wholeGeneration: boolean;
  /** line, generation and other words in a fixed order, without dates */
  core: string;
  preview: boolean;
  version: string;
  words: readonly string[];
}

const makers: ReadonlySet<string> = new Set(
  (
    "anthropic openai google meta mistralai xai amazon zai moonshotai moonshot cohere c4ai nvidia writer azure " +
    "us gov eu uk apac jp au ca global open labs models"
  ).split(" "),
);

const alsoMakers: ReadonlySet<string> = new Set("mistral deepseek qwen minimax".split(" "));

const seriesByWord: ReadonlyMap<string, string> = new Map([
  ...(
    "claude gpt gemini gemma llama mistral ministral magistral codestral devstral pixtral voxtral mixtral " +
    "grok deepseek command aya qwen qwq kimi glm minimax nemotron granite phi nova o tts dall"
  )
    .split(" ")
    .map((word) => [word, word] as const),
  ["chatgpt", "gpt"],
  // Sizes that only one series has.
  ["sonnet", "claude"],
  ["haiku", "claude"],
  ["opus", "claude"],
  ["fable", "claude"],
]);

const sizes: ReadonlySet<string> = new Set(
  (
    "nano mini micro tiny small medium large lite flash pro ultra max plus super haiku sonnet opus fable " +
    "oss codex coder code build image imagine tts audio vision nemo scout maverick e r a light " +
    "luna terra astra flare argon carbon hydrogen"
  ).split(" "),
);

const sizesInWords: ReadonlySet<string> = new Set(
  "small medium large nemo scout maverick".split(" "),
);
/** Billions of parameters: `70b`, `8x7b`. */
const parameters = /^\d+(x\d+)?b$/;

const noise: ReadonlySet<string> = new Set(
  // `gpt-5.6` is an alias of GPT-5.6 Sol, so Sol is the line without a size.
  "it instruct chat versatile instant turbo latest tput fp hf awq hd v k maas sol sunburst".split(
    " ",
  ),
);
const releaseWords: ReadonlySet<string> = new Set("preview exp experimental beta alpha".split(" "));

const isoDates = /-20\d{2}-\d{2}-\d{2}(?=-|$)/g;
/** Dates that look like a generation: `-08-2024`, `preview-05-20`. */
const shortDates = /-\d{2}-20\d{2}(?=-|$)|(?<=-(?:preview|exp))-\d{2}-\d{2,4}(?=-|$)/g;

interface Words {
  sizes: string[];
  others: string[];
  generation: number | null;
  whole: boolean;
  preview: boolean;
  version: string;
  all: string[];
}

/** Series that Azure writes without a decimal point: `gpt-35-turbo`. */
const pointless: ReadonlySet<string> = new Set(["gpt", "claude", "gemini"]);

function versionAt(series: string, words: readonly string[], at: number) {
  const numbered = /^[vm]?(\d{1,2})(o?)$/.exec(words[at] ?? "");
  if (numbered === null) return null;
  const [text, major = "", omni] = numbered;
  const minor = words[at + 1] ?? "";
  const hasMinor = /^\d{1,2}$/.test(minor);
  const isPointless = !hasMinor && pointless.has(series) && Number(major) >= 15;
  const version = hasMinor ? `${text}.${minor}` : isPointless ? [...major].join(".") : text;
  return {
    version,
    // GPT-4o is between GPT-4 Turbo and GPT-4.1.
    generation: Number.parseFloat(version.replace(/^[vm]/, "")) + (omni === "o" ? 0.05 : 0),
    whole: !version.includes(".") && omni === "",
    length: hasMinor ? 2 : 1,
  };
}

function readWords(series: string, words: readonly string[]): Words {
  const read: Words = {
    sizes: [],
    others: [],
    generation: null,
    whole: true,
    preview: false,
    version: "",
    all: [],
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const found = read.generation === null ? versionAt(series, words, at) : null;
    if (found !== null) {
      const { version, generation, whole, length } = found;
      Object.assign(read, { version, generation, whole });
      read.all.push(version);
      at += length - 1;
      continue;
    }
    const isNumber = /^(v?\d+|\d+[ke]|a\d+b)$/.test(word);
    // Dates, builds, contexts and experts: `20241022`, `001`, `32k`, `a22b`, `16e`.
    if (!isNumber || /^\d{4}$/.test(word)) read.all.push(word);
    if (releaseWords.has(word)) read.preview = true;
    else if (series === "gpt" && word === "turbo" && read.generation === 4) {
      read.generation = 4.02;
      read.whole = false;
    } else if (series === "claude" && word === "instant") read.sizes.push(word);
    else if (sizes.has(word) || parameters.test(word)) read.sizes.push(word);
    else if (!isNumber && !noise.has(word)) read.others.push(word);
  }
  return read;
}

export function parseName(name: string): ParsedName | null {
  const bare = bareName(foldName(withoutServing(name)));
  const words = bare.replaceAll(isoDates, "").replaceAll(shortDates, "").split("-");
  while (words.length > 1 && isMaker(words)) words.shift();
  const first = words[0] ?? "";
  const series = seriesByWord.get(first);
  // `o` is OpenAI's series only with a number.
  if (series === undefined || (first === "o" && !/^\d$/.test(words[1] ?? ""))) return null;
  const read = readWords(series, first === series || first === "chatgpt" ? words.slice(1) : words);
  const { generation } = read;
  // OpenAI names GPT-4o mini as the replacement of GPT-3.5.
  if (series === "gpt" && read.sizes.length === 0 && Math.floor(generation ?? 0) === 3)
    read.sizes.push("mini");
  // With a size in words, the number of parameters varies between releases and is ignored.
  const inWords = read.sizes.some((size) => sizesInWords.has(size));
  const stated = inWords ? read.sizes.filter((size) => !parameters.test(size)) : read.sizes;
  const line = [series, ...stated.toSorted()].join("-");
  return {
    series,
    line,
    wholeLine: [series, ...stated.concat(read.others).toSorted()].join("-"),
    sized: stated.length > 0,
    generation,
    wholeGeneration: read.whole,
    core: [line, generation, ...read.others.toSorted()].join(" "),
    preview: read.preview,
    version: read.version,
    words: read.all.filter((word) => !inWords || !parameters.test(word)),
  };
}

const isMaker = ([first = "", second = ""]: readonly string[]): boolean =>
  makers.has(first) || (alsoMakers.has(first) && seriesByWord.has(second));

/** Reads id, display name or family. Unknown words of uncurated models count: `gpt-7-vega` is a line of its own. */
export const parseModel = memoizedByObject(
  (
    model: Pick<Model, "id" | "name" | "family" | "synced"> & Partial<Pick<Model, "source">>,
  ): ParsedName | null => {
    const family = model.family === null ? null : foldName(model.family);
    const read =
      parseName(model.id) ??
      parseName(model.name) ??
      (family === null ? null : (parseName(family) ?? familyAlone(family)));
    return read !== null && isUncurated(model) ? { ...read, line: read.wholeLine } : read;
  },
);

export const generationOf = (model: Model): number | null => parseModel(model)?.generation ?? null;

export const lineOf = (model: Model): string => parseModel(model)?.line ?? model.id;

const familyAlone = (family: string): ParsedName => ({
  series: family,
  line: family,
  wholeLine: family,
  sized: false,
  generation: null,
  wholeGeneration: true,
  core: family,
  preview: false,
  version: "",
  words: [],
});

/** Lines whose newest model exceeds another line according to their maker, without published results. */
export const abler: readonly (readonly [line: string, than: string])[] = [
  ["gpt-astra", "gpt"],
  ["claude-fable", "claude-opus"],
  ["gemini-flash", "gemini-pro"],
];

/** Lines for everyday use; a maker's current line precedes its former one. */
export const everydayLines = [
  "gpt-terra",
  "gpt-mini",
  "claude-sonnet",
  "gemini-flash",
  "gpt-image",
  "gemini-flash-image",
  "gpt-mini-tts",
] as const;

export const isForCode = (line: string): boolean =>
  /(^|-)(codex|coder|code|build|codestral|devstral)(-|$)/.test(line);

export function newestFirst(a: Model, b: Model): number {
  return (
    (generationOf(b) ?? 0) - (generationOf(a) ?? 0) ||
    (b.releasedAt ?? "").localeCompare(a.releasedAt ?? "") ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}
