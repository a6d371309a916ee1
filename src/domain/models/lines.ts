/**
 * Model names as people write them. A line is a series and a size (`gpt`, `gpt-mini`, `claude-sonnet`,
 * `gemini-flash`), and its members differ by generation. Lines are read from names, so synced and custom models
 * have a line too. A series has one maker, and an aggregator's copy of a model is of the same line.
 */
import { isUncurated, nameOf, type Model } from "./model.ts";
import { bareName, foldName, withoutServing } from "./plain-name.ts";

export interface ParsedName {
  /** such as `claude` */
  series: string;
  /** such as `claude-sonnet`; without a size, the series alone */
  line: string;
  /** the line with the words that are unknown here, such as `gpt-vega` */
  wholeLine: string;
  sized: boolean;
  /** comparable within a line; null: the name has none */
  generation: number | null;
  /** the name has a whole number only, so `gemini-3` may mean 3.1 too */
  wholeGeneration: boolean;
  /** line, generation and other words in a fixed order, without dates and the like */
  core: string;
  /** the name itself says preview, beta or experimental */
  preview: boolean;
  /** the generation as written, such as `4o` */
  version: string;
  /** the words of the name after the series, the version among them, without dates */
  words: readonly string[];
}

/**
 * Words at the beginning of a name that say who makes the model or whose region serves it, and not which model
 * it is.
 */
const makers: ReadonlySet<string> = new Set(
  (
    "anthropic openai google meta mistralai xai amazon zai moonshotai moonshot cohere c4ai nvidia writer azure " +
    "us gov eu uk apac jp au ca global open labs models"
  ).split(" "),
);

/** Series that are named like their makers. */
const alsoMakers: ReadonlySet<string> = new Set("mistral deepseek qwen minimax".split(" "));

/** Words that begin a name, and the series that each stands for. */
const seriesByWord: ReadonlyMap<string, string> = new Map([
  ...(
    "claude gpt gemini gemma llama mistral ministral magistral codestral devstral pixtral voxtral mixtral " +
    "grok deepseek command aya qwen qwq kimi glm minimax nemotron granite phi nova o tts dall"
  )
    .split(" ")
    .map((word) => [word, word] as const),
  ["chatgpt", "gpt"],
  // A size that only one series has names the series.
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
/** Numbers of parameters, in billions: `70b`, `8x7b`. */
const parameters = /^\d+(x\d+)?b$/;

/** Words that say how a model is tuned, packed or released, and not which model it is. */
const noise: ReadonlySet<string> = new Set(
  // `gpt-5.6` is an alias of GPT-5.6 Sol, so Sol is the line without a size.
  "it instruct chat versatile instant turbo latest tput fp hf awq hd v k maas sol sunburst".split(
    " ",
  ),
);
const releaseWords: ReadonlySet<string> = new Set("preview exp experimental beta alpha".split(" "));

const isoDates = /-20\d{2}-\d{2}-\d{2}(?=-|$)/g;
/** Dates whose day or month would be taken for a generation: `-08-2024`, `preview-05-20`. */
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

/** Series whose names on Azure have no point: `gpt-35-turbo`. */
const pointless: ReadonlySet<string> = new Set(["gpt", "claude", "gemini"]);

/** The generation that begins at a word; null: none does. */
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
    // GPT-4o came after GPT-4 Turbo and before GPT-4.1.
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

/** null: the name begins with no known series. */
export function parseName(name: string): ParsedName | null {
  const bare = bareName(foldName(withoutServing(name)));
  const words = bare.replaceAll(isoDates, "").replaceAll(shortDates, "").split("-");
  while (words.length > 1 && isMaker(words)) words.shift();
  const first = words[0] ?? "";
  const series = seriesByWord.get(first);
  // A single `o` is only a letter. With a number, `o` is OpenAI's series.
  if (series === undefined || (first === "o" && !/^\d$/.test(words[1] ?? ""))) return null;
  const read = readWords(series, first === series || first === "chatgpt" ? words.slice(1) : words);
  const { generation } = read;
  // OpenAI names GPT-4o mini as the replacement of GPT-3.5, so both are of one size.
  if (series === "gpt" && read.sizes.length === 0 && Math.floor(generation ?? 0) === 3)
    read.sizes.push("mini");
  // Where a name has a size in words, the number of parameters doesn't count: it differs from
  // release to release.
  const inWords = read.sizes.some((size) => sizesInWords.has(size));
  const said = inWords ? read.sizes.filter((size) => !parameters.test(size)) : read.sizes;
  const line = [series, ...said.toSorted()].join("-");
  return {
    series,
    line,
    wholeLine: [series, ...said.concat(read.others).toSorted()].join("-"),
    sized: said.length > 0,
    generation,
    wholeGeneration: read.whole,
    core: [line, generation, ...read.others.toSorted()].join(" "),
    preview: read.preview,
    version: read.version,
    words: read.all.filter((word) => !inWords || !parameters.test(word)),
  };
}

/** Whether the first word is no part of the model's own name: `mistral.devstral-2-123b`. */
const isMaker = ([first = "", second = ""]: readonly string[]): boolean =>
  makers.has(first) || (alsoMakers.has(first) && seriesByWord.has(second));

/** Models are replaced and never changed, so what was read of one stays right. */
const parsed = new WeakMap<Pick<Model, "id">, ParsedName | null>();

/**
 * Read from the id, else from the display name, else from the family; null: none of them has a line. Of a model that nobody
 * has judged, an unknown word counts: `gpt-7-vega` is of a line of its own, and not the next GPT.
 */
export function parseModel(
  model: Pick<Model, "id" | "name" | "family" | "synced"> & Partial<Pick<Model, "source">>,
): ParsedName | null {
  const known = parsed.get(model);
  if (known !== undefined) return known;
  const family = model.family === null ? null : foldName(model.family);
  const read =
    parseName(model.id) ??
    parseName(model.name) ??
    (family === null ? null : (parseName(family) ?? familyAlone(family)));
  const its = read !== null && isUncurated(model) ? { ...read, line: read.wholeLine } : read;
  parsed.set(model, its);
  return its;
}

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

/**
 * Lines whose newest model is, by its maker's own words, more capable than every model of another line, though no
 * published results show it.
 */
export const abler: readonly (readonly [line: string, than: string])[] = [
  ["gpt-astra", "gpt"],
  ["claude-fable", "claude-opus"],
  ["gemini-flash", "gemini-pro"],
];

/** Lines that their makers sell for everyday use; of one maker the current line comes before the former. */
export const everydayLines = [
  "gpt-terra",
  "gpt-mini",
  "claude-sonnet",
  "gemini-flash",
  "gpt-image",
  "gemini-flash-image",
  "gpt-mini-tts",
] as const;

/** Lines made for programming, whose models stand in for no other kind of model. */
export const isForCode = (line: string): boolean =>
  /(^|-)(codex|coder|code|build|codestral|devstral)(-|$)/.test(line);

/** By generation, then by the day of release, then by name. */
export function newestFirst(a: Model, b: Model): number {
  const generationOf = (model: Model): number => parseModel(model)?.generation ?? 0;
  return (
    generationOf(b) - generationOf(a) ||
    (b.releasedAt ?? "").localeCompare(a.releasedAt ?? "") ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}
