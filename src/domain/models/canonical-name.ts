import { memoizedByObject, memoizedByText } from "../memoized.ts";
import { parseName } from "./lines.ts";
import type { Model } from "./model.ts";
import { bareName, foldName, withoutServing } from "./plain-name.ts";

const list = (words: string): string[] => words.split(" ").filter((word) => word !== "");

const makers = (
  [
    ["anthropic", "claude", ""],
    ["openai", "gpt o tts dall", ""],
    ["google", "gemini gemma", ""],
    ["meta", "llama", "meta-llama"],
    [
      "mistral",
      "mistral ministral magistral codestral devstral pixtral voxtral mixtral",
      "mistralai",
    ],
    ["xai", "grok", "x-ai"],
    ["deepseek", "deepseek", "deepseek-ai"],
    ["cohere", "command aya", "coherelabs"],
    ["qwen", "qwen qwq", "alibaba"],
    ["moonshotai", "kimi", "moonshot"],
    ["zai", "glm", "z-ai zai-org zhipuai"],
    ["minimax", "minimax", "minimaxai"],
    ["nvidia", "nemotron", ""],
    ["ibm", "granite", "ibm-granite"],
    ["microsoft", "phi", ""],
    ["amazon", "nova", ""],
  ] as const
).map(([name, series, others]) => ({
  name,
  series: list(series),
  written: [name, ...list(others)],
}));

const makerOf = new Map(makers.flatMap(({ name, series }) => series.map((word) => [word, name])));
const writtenAs = new Map<string, readonly string[]>(
  makers.map(({ name, written }) => [name, written]),
);

export const spellingsOf = (maker: string): readonly string[] => writtenAs.get(maker) ?? [maker];

/** Series with open weights, whose repackaged copies count as one model. */
const withOpenWeights: ReadonlySet<string> = new Set(
  list(
    "llama gemma mistral ministral magistral devstral pixtral voxtral mixtral deepseek qwen qwq glm kimi minimax " +
      "nemotron granite phi",
  ),
);
const packing: ReadonlySet<string> = new Set(
  list("it instruct chat versatile instant turbo fast tput fp hf awq gguf bf int"),
);
/** Series with four-digit release dates: `mistral-large-2411`. */
const released: ReadonlySet<string> = new Set(
  list("mistral ministral magistral codestral devstral pixtral voxtral qwen kimi deepseek"),
);

/** Names that don't reveal their model. A test compares them with the catalogue's aliases. */
const alsoCalled: ReadonlyMap<string, string> = new Map(
  (
    [
      ["openai/gpt-5.6-sol", "gpt-5.6"],
      ["google/gemini-2.5-flash-image", "nano-banana"],
      ["google/gemini-3-pro-image", "nano-banana-pro-preview"],
      ["google/gemini-3-pro-image-preview", "nano-banana-pro"],
      ["google/gemini-3.1-flash-image-preview", "nano-banana-2"],
      ["google/gemini-nano-banana-2.1", "nano-banana-2-1"],
      ["deepseek/deepseek-v4-flash", "deepseek-chat deepseek-reasoner"],
      ["mistral/mistral-large-2512", "mistral-large mistral-large-3"],
      ["mistral/mistral-medium-2505", "mistral-medium-3"],
      ["mistral/mistral-medium-2508", "mistral-medium mistral-medium-3.1"],
      ["mistral/mistral-medium-2604", "mistral-medium-3.5"],
      ["mistral/mistral-small-2503", "mistral-small-3.1"],
      ["mistral/mistral-small-2506", "mistral-small-3.2"],
      ["mistral/mistral-small-2603", "mistral-small mistral-small-4"],
      ["nvidia/nemotron-3-super-120b", "nemotron-3-120b nemotron-super-3-120b"],
    ] as const
  ).flatMap(([canonical, names]) => list(names).map((name) => [name, canonical])),
);

export const otherNamesOf = (canonical: string): string[] =>
  [...alsoCalled].flatMap(([name, of]) => (of === canonical ? [name] : []));

/** null: unknown series. `us.anthropic.claude-sonnet-5-v1:0` becomes `anthropic/claude-sonnet-5`. */
export const canonicalName = memoizedByText((text): string | null => {
  const read = parseName(text);
  const maker = read === null ? undefined : makerOf.get(read.series);
  if (read === null || maker === undefined)
    return alsoCalled.get(bareName(foldName(withoutServing(text)))) ?? null;
  const { series, version, words } = read;
  const isStated = (word: string): boolean =>
    word !== "latest" && word !== "maas" && (released.has(series) || !/^\d{4}$/.test(word));
  const isPacking = (word: string): boolean => withOpenWeights.has(series) && packing.has(word);
  const stated = words.filter(isStated);
  const model = stated.filter((word) => !isPacking(word));
  const inOrder =
    series === "claude"
      ? // `claude-3-5-sonnet` and `claude-sonnet-3.5` are one model.
        [...model.filter((word) => word !== version), version.replace(/\.0$/, "").replace(".", "-")]
      : model.length === 0
        ? stated
        : model;
  const name = [series, ...inOrder]
    .filter((word) => word !== "")
    .join("-")
    .replace(/^o-/, "o")
    .replace(/-k-(?=\d)/, "-k");
  return alsoCalled.get(name) ?? `${maker}/${name}`;
});

export const canonicalOf = memoizedByObject(
  ({
    id,
    like = id,
    name = id,
    aliases = [],
  }: Pick<Model, "id"> & Partial<Pick<Model, "like" | "name" | "aliases">>): string | null => {
    let found: string | null = null;
    for (const each of [like, id, name, ...aliases]) found ??= canonicalName(each);
    return found;
  },
);
