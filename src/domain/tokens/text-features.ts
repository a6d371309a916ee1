/** Features of a text for token estimates, in one pass without allocating strings. */

import {
  accented,
  arabic,
  cyrillic,
  digit,
  firstScript,
  han,
  isLatin,
  kindOf,
  lower,
  mark,
  newline,
  scripts,
  space,
  tone,
  upper,
} from "./character-kinds.ts";
import { tokenWeights } from "./token-weights.ts";

/** Counts; `token-weights.ts` has the tokens of each, by family. */
export interface TextFeatures {
  /** runs of Latin letters; a capital starts a new word */
  words: number;
  /** letters of a word after its sixth */
  long: number;
  /** Latin letters of non-English text, estimated: 60 per accent, 40 per typical word */
  foreign: number;
  accents: number;
  rareAccents: number;
  /** capitals after a capital */
  capitals: number;
  digits: number;
  /** digits in groups of three */
  digitGroups: number;
  punctuation: number;
  /** runs of punctuation, without joints */
  punctuationRuns: number;
  /** single punctuation marks between words, as in `a.b` */
  joints: number;
  lines: number;
  /** runs of white space, except single spaces */
  indents: number;
  /** Vietnamese double accents */
  tones: number;
  otherWords: number;
  /** one or two letters inside such a run */
  shards: number;
  cyrillic: number;
  greek: number;
  hebrew: number;
  arabic: number;
  persian: number;
  ukrainian: number;
  indic: number;
  thai: number;
  han: number;
  /** traditional Chinese, estimated: 15 per typical character */
  traditional: number;
  kana: number;
  hangul: number;
  /** UTF-16 halves beyond the basic plane */
  emoji: number;
  /** boxes, arrows and others */
  other: number;
}

/** Includes the hard sign, which is frequent in Bulgarian and rare in Russian. */
const isBeyondRussian = (unit: number): boolean =>
  unit === 0x44a || (unit !== 0x401 && unit !== 0x451 && (unit < 0x410 || unit > 0x44f));

const shortWord = 6;
const foreignPerAccent = 60;
const foreignPerWord = 40;
const longestTelling = 4;
const letterBits = 5;
/** Five bits per letter, to avoid allocating strings. */
const codeOf = (word: string): number => {
  let code = 0;
  for (let at = 0; at < word.length; at += 1)
    code = (code << letterBits) | (word.charCodeAt(at) & 31);
  return code;
};
/** Frequent words of European languages and Indonesian that are rare in English and code. */
const typicalWords = new Set(
  (
    "der das und ist nicht mit sich auf ein eine den von zu de la el los las que una por con para del se " +
    "le les des est et une du au qui pas il che di per sono non gli lo da nel della um uma ao na em mais " +
    "het een van dat niet voor zijn op je yang dan ini itu dari anda ke pada nie jest od za po ve bir bu " +
    "ne da ile az egy nem hogy cu pe sa mai ya wa kwa ni vya ku"
  )
    .split(" ")
    .filter((word) => word.length <= longestTelling)
    .map(codeOf),
);
const traditionalPerTelling = 15;
/** Frequent characters that only Taiwan and Hong Kong write this way. */
const typicalHan = new Set(
  [..."這個們說會對學還樣當與從賣錢麼為關發變實經將應該讓幾總並嗎邊來裡處體產點國"].map((each) =>
    each.charCodeAt(0),
  ),
);

export const featureNames = Object.keys(tokenWeights) as (keyof typeof tokenWeights)[];

const nothing: TextFeatures = Object.fromEntries(featureNames.map((name) => [name, 0])) as Record<
  keyof typeof tokenWeights,
  number
>;

interface Reading {
  readonly found: TextFeatures;
  letters: number;
  telling: number;
  tellingTraditional: number;
  code: number;
  marks: number;
  /** kind of the last character; negative: none */
  before: number;
  run: number;
  /** counts of characters, in the order of `scripts` */
  readonly scripts: Uint32Array;
}

function readLetter(reading: Reading, unit: number, kind: number): void {
  const { found, before } = reading;
  const inWord = isLatin(before);
  if (before === mark && reading.marks === 1) {
    found.punctuationRuns -= 1;
    found.joints += 1;
  }
  const begins = !inWord || (kind === upper && before !== upper);
  if (inWord && begins && reading.run <= 2) found.shards += 1;
  reading.run = begins ? 1 : reading.run + 1;
  reading.code = begins ? unit & 31 : (reading.code << letterBits) | (unit & 31);
  if (begins) found.words += 1;
  if (reading.run > shortWord) found.long += 1;
  if (kind === accented) {
    found.accents += 1;
    if (unit >= 0x100) found.rareAccents += 1;
  }
  if (kind === tone) found.tones += 1;
  if (kind === upper && before === upper) found.capitals += 1;
  reading.letters += 1;
}

function readOther(reading: Reading, unit: number, kind: number): void {
  const { found, before } = reading;
  if (before < firstScript) found.otherWords += 1;
  const script = kind - firstScript;
  reading.scripts[script] = (reading.scripts[script] ?? 0) + 1;
  if (kind === han && typicalHan.has(unit)) reading.tellingTraditional += 1;
  else if (kind === arabic && unit > 0x670 && unit < 0x6d4) found.persian += 1;
  else if (kind === cyrillic && isBeyondRussian(unit)) found.ukrainian += 1;
}

function readCharacter(reading: Reading, unit: number, kind: number): void {
  const { found, before } = reading;
  const isSame = kind === before;
  const wasWord = isLatin(before);
  if (wasWord && !isLatin(kind)) {
    if (reading.run <= longestTelling && typicalWords.has(reading.code)) reading.telling += 1;
    if (kind === digit && reading.run <= 2) found.shards += 1;
  }
  switch (kind) {
    case lower:
    case upper:
    case accented:
    case tone:
      readLetter(reading, unit, kind);
      break;
    case digit:
      reading.run = isSame ? reading.run + 1 : 1;
      found.digits += 1;
      if (reading.run % 3 === 1) found.digitGroups += 1;
      break;
    case space:
      reading.run = isSame ? reading.run + 1 : before === newline ? 2 : 1;
      // A single space is part of the next word's token.
      if (reading.run === 2) found.indents += 1;
      break;
    case newline:
      if (!isSame) found.lines += 1;
      break;
    case mark:
      reading.marks = isSame ? (reading.marks === 0 ? 0 : reading.marks + 1) : wasWord ? 1 : 0;
      found.punctuation += 1;
      if (!isSame) found.punctuationRuns += 1;
      break;
    default:
      readOther(reading, unit, kind);
  }
  reading.before = kind;
}

/** Reads a word of lowercase letters to its end, and such words after single spaces. Most characters are in such words. */
function readWords(reading: Reading, text: string, at: number): number {
  const { found } = reading;
  let { code, run, letters } = reading;
  let long = -Math.max(0, run - shortWord);
  let end = at;
  for (;;) {
    end += 1;
    const unit = text.charCodeAt(end);
    const kind = kindOf(unit);
    if (kind === lower) {
      code = (code << letterBits) | (unit & 31);
      run += 1;
      letters += 1;
      continue;
    }
    const next = text.charCodeAt(end + 1);
    if (kind !== space || kindOf(next) !== lower) break;
    long += Math.max(0, run - shortWord);
    if (run <= longestTelling && typicalWords.has(code)) reading.telling += 1;
    found.words += 1;
    code = next & 31;
    run = 1;
    letters += 1;
    end += 1;
  }
  found.long += long + Math.max(0, run - shortWord);
  reading.letters = letters;
  reading.run = run;
  reading.code = code;
  return end - 1;
}

/** Adds to `found`, which is one object for all texts of a call. */
export function addFeatures(found: TextFeatures, text: string): void {
  const { accents } = found;
  const reading: Reading = {
    found,
    letters: 0,
    telling: 0,
    tellingTraditional: 0,
    code: 0,
    marks: 0,
    before: -1,
    run: 0,
    scripts: new Uint32Array(scripts.length),
  };
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const kind = kindOf(unit);
    readCharacter(reading, unit, kind);
    if (kind === lower) at = readWords(reading, text, at);
  }
  const { letters, telling, tellingTraditional } = reading;
  for (const [at, name] of scripts.entries()) found[name] += reading.scripts[at] ?? 0;
  const foreign = foreignPerAccent * (found.accents - accents) + foreignPerWord * telling;
  found.foreign += Math.min(letters, foreign);
  const traditional = traditionalPerTelling * tellingTraditional;
  found.traditional += Math.min(reading.scripts[han - firstScript] ?? 0, traditional);
}

export function featuresOf(text: string): TextFeatures {
  const found = { ...nothing };
  addFeatures(found, text);
  return found;
}
