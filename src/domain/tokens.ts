/**
 * How many tokens a text has, by what it is made of: one pass over its characters, no vocabulary. The
 * weights are fitted to real tokenizers; `test/fixtures/tokens` has samples in fifteen languages and
 * notations with the true counts. A tokenizer itself would be 2 MB in the Worker, for one family only.
 */
import { tokenWeights } from "./token-weights.ts";

/** Whose tokenizer it is; `other`: nobody knows, so the most that any of the known ones counts. */
export type TokenFamily = keyof typeof tokenWeights | "other";

/** Of a text; each is worth a number of tokens, which differs by family. */
export interface TextFeatures {
  /** runs of Latin letters; a capital inside one begins another */
  words: number;
  /** letters of a word after its sixth */
  long: number;
  /** Latin letters of texts that have accents, so are hardly English: 60 for each accent, at most all */
  foreign: number;
  accents: number;
  /** capitals after a capital */
  capitals: number;
  digits: number;
  /** digits in threes, begun ones included */
  digitGroups: number;
  punctuation: number;
  punctuationRuns: number;
  lines: number;
  /** runs of white space that is more than one space between words */
  indents: number;
  cyrillic: number;
  arabic: number;
  /** Indic and South-East Asian scripts */
  indic: number;
  han: number;
  kana: number;
  hangul: number;
  /** emoji, boxes and the rest */
  other: number;
}

const lower = 0;
const upper = 1;
const accented = 2;
const digit = 3;
const space = 4;
const newline = 5;
const mark = 6;
type Script = "cyrillic" | "arabic" | "indic" | "han" | "kana" | "hangul" | "other";
type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | Script;

/** The first code unit after each range, in order. Greek goes with Cyrillic, Hebrew with Arabic. */
const ranges: readonly (readonly [number, Kind])[] = [
  [0xc0, mark],
  [0x370, accented],
  [0x590, "cyrillic"],
  [0x900, "arabic"],
  [0x1100, "indic"],
  [0x1200, "hangul"],
  [0x1e00, "indic"],
  [0x2000, accented],
  [0x2070, mark],
  [0x2e80, "other"],
  [0x3040, "han"],
  [0x3100, "kana"],
  [0x3400, "hangul"],
  [0xa000, "han"],
  [0xac00, "other"],
  [0xd7b0, "hangul"],
  [0xf900, "other"],
  [0xfb00, "han"],
  [0xff00, "other"],
  [0xfff0, "han"],
  [0x10000, "other"],
];

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return lower;
  if (code === 32 || code === 9) return space;
  if (code < 128) {
    if (code >= 65 && code <= 90) return upper;
    if (code >= 48 && code <= 57) return digit;
    return code === 10 || code === 13 ? newline : mark;
  }
  for (const [end, kind] of ranges) if (code < end) return kind;
  return "other";
}

const shortWord = 6;
const foreignPerAccent = 60;

export function featuresOf(text: string): TextFeatures {
  const found: TextFeatures = {
    words: 0,
    long: 0,
    foreign: 0,
    accents: 0,
    capitals: 0,
    digits: 0,
    digitGroups: 0,
    punctuation: 0,
    punctuationRuns: 0,
    lines: 0,
    indents: 0,
    cyrillic: 0,
    arabic: 0,
    indic: 0,
    han: 0,
    kana: 0,
    hangul: 0,
    other: 0,
  };
  let letters = 0;
  let before: Kind | null = null;
  /** of letters in this word, of digits or of white space in this run */
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    const isSame = kind === before;
    switch (kind) {
      case lower:
      case upper:
      case accented: {
        const inWord = before === upper || before === lower || before === accented;
        const begins = !inWord || (kind === upper && before !== upper);
        run = begins ? 1 : run + 1;
        if (begins) found.words += 1;
        if (run > shortWord) found.long += 1;
        if (kind === accented) found.accents += 1;
        if (kind === upper && isSame) found.capitals += 1;
        letters += 1;
        break;
      }
      case digit:
        run = isSame ? run + 1 : 1;
        found.digits += 1;
        if (run % 3 === 1) found.digitGroups += 1;
        break;
      case space:
        run = isSame ? run + 1 : before === newline ? 2 : 1;
        // The space before a word is part of the word's token.
        if (run === 2) found.indents += 1;
        break;
      case newline:
        if (!isSame) found.lines += 1;
        break;
      case mark:
        found.punctuation += 1;
        if (!isSame) found.punctuationRuns += 1;
        break;
      default:
        found[kind] += 1;
    }
    before = kind;
  }
  found.foreign = Math.min(letters, foreignPerAccent * found.accents);
  return found;
}

const names = Object.keys(featuresOf("")) as (keyof TextFeatures)[];

function weigh(features: TextFeatures, family: keyof typeof tokenWeights): number {
  const weights = tokenWeights[family];
  let tokens = 0;
  for (const name of names) tokens += features[name] * weights[name];
  return tokens;
}

/** Those whose counts the providers themselves would give; the other two are of an older vocabulary. */
const exact = ["openai", "google", "llama", "qwen", "deepseek", "cohere"] as const;

/** Rounded up. */
export function tokensIn(text: string, family: TokenFamily): number {
  const features = featuresOf(text);
  return Math.ceil(
    family === "other"
      ? Math.max(...exact.map((each) => weigh(features, each)))
      : weigh(features, family),
  );
}

/** The words in a model's name or family that tell whose tokenizer it has, in this order. */
const tellers: readonly (readonly [RegExp, TokenFamily])[] = [
  [/gpt-oss/, "openai"],
  [/deepseek/, "deepseek"],
  [/qwen|qwq/, "qwen"],
  [/mistral|mixtral|ministral|magistral|devstral|codestral|pixtral/, "mistral"],
  [/llama/, "llama"],
  [/gemini|gemma/, "google"],
  [/claude/, "anthropic"],
  [/command|aya/, "cohere"],
];

/** Whose tokenizer a model has, wherever it runs. */
export function tokenFamilyOf(model: {
  provider: string;
  id: string;
  family: string | null;
}): TokenFamily {
  const name = `${model.id} ${model.family ?? ""}`.toLowerCase();
  for (const [pattern, family] of tellers) if (pattern.test(name)) return family;
  return model.provider === "openai" ? "openai" : "other";
}
