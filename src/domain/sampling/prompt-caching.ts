/**
 * Writing costs 1.25 times the input price and reading 0.1 times, so a mark pays off from a 28 % chance of
 * repetition (0.25 / 0.9).
 */

/** `auto`: marks prompts that are likely to repeat. */
export const promptCachings = ["auto", "off"] as const;
export type PromptCaching = (typeof promptCachings)[number];

export interface CacheRules {
  /** `marks`: the request marks cached prefixes. `key`: the request names a cache key, free of charge. */
  way: "marks" | "key";
  minTokens: number;
}

/** Source: Anthropic's documentation, "Prompt caching", October 2026. */
export const maxMarks = 4;
/** ms since the start of the last use. Same source. */
export const cacheLifetimeMs = 5 * 60_000;

/** ms until an entry is readable, after the first answer has begun; undocumented. */
export const entryReadableAfterMs = 1_000;

/** The first match wins, unknown models use the largest. Same source, "Cache limitations". */
const minTokensOfClaude: readonly (readonly [RegExp, number])[] = [
  [/(fable|mythos|opus)-5/, 512],
  [/mythos-preview|opus-4-7/, 2_048],
  [/opus-4-[56]|haiku-4-5/, 4_096],
  [/opus-4-8|sonnet-[45]|opus-4(-[01])?(-\d{8})?$/, 1_024],
  // Retired models.
  [/haiku/, 2_048],
  [/3-7-sonnet|3-5-sonnet|3-opus/, 1_024],
];
const largestMinTokens = 4_096;

/** Source: Mistral's documentation, "Prompt caching": blocks of 64 tokens, only with a key. */
const minTokensOfMistral = 64;

const claude = /(^|\/)claude-/;

/** null: automatic caching (OpenAI, Google, DeepSeek, xAI, Groq), no cache, or unknown. */
export function cacheRulesOf(model: { provider: string; id: string }): CacheRules | null {
  const { provider } = model;
  if (provider === "mistral") return { way: "key", minTokens: minTokensOfMistral };
  // OpenRouter writes versions with a dot.
  const id = model.id.toLowerCase().replaceAll(".", "-");
  if ((provider !== "anthropic" && provider !== "openrouter") || !claude.test(id)) return null;
  const row = minTokensOfClaude.find(([pattern]) => pattern.test(id));
  return { way: "marks", minTokens: row?.[1] ?? largestMinTokens };
}

/** In the provider's order: tools, system prompt, blocks. */
export interface PromptPiece {
  of: "tools" | "system" | "user" | "assistant";
  tokens: number;
  /** the provider rejects marks on empty text and reasoning */
  markable: boolean;
  endsMessage: boolean;
}

export interface CacheSituation {
  pieces: readonly PromptPiece[];
  minTokens: number;
  loopUnderWay: boolean;
  seen: number;
}

const isOpening = ({ of }: PromptPiece): boolean => of === "tools" || of === "system";

/** The end of the previous user message, where the previous round's last mark was. */
function endOfRoundBefore(pieces: readonly PromptPiece[]): number {
  const ends = pieces.flatMap(({ of, endsMessage }, at) =>
    of === "user" && endsMessage ? [at] : [],
  );
  return ends.at(-2) ?? -1;
}

const continues = (pieces: readonly PromptPiece[], seen: number): boolean =>
  pieces[seen - 1]?.of === "user" && pieces[seen]?.of === "assistant";

function likelyEnds({ pieces, loopUnderWay, seen }: CacheSituation): number[] {
  const opening = pieces.findLastIndex(isOpening);
  const last = pieces.length - 1;
  // The provider only looks back 20 blocks, so a mark at the previous round's end finds its entry.
  if (loopUnderWay) return [opening, seen - 1, endOfRoundBefore(pieces), last];
  if (seen === 0) return [];
  return [
    seen > opening ? opening : -1,
    seen - 1,
    // New content may differ in every call, unless a conversation continues.
    continues(pieces, seen) ? last : -1,
  ];
}

/** Positions of marks, ascending. Billing depends only on the last mark. */
export function marksFor(situation: CacheSituation): number[] {
  const { pieces, minTokens } = situation;
  const lengths: number[] = [];
  for (const { tokens } of pieces) lengths.push((lengths.at(-1) ?? 0) + tokens);
  const marks = likelyEnds(situation)
    .map((end) => pieces.findLastIndex(({ markable }, at) => markable && at <= end))
    .filter((at) => at >= 0 && (lengths[at] ?? 0) >= minTokens);
  return [...new Set(marks)].toSorted((a, b) => a - b).slice(-maxMarks);
}

export function piecesOfKey(pieces: readonly PromptPiece[], minTokens: number): number {
  const opening = pieces.findLastIndex(isOpening) + 1;
  const tokens = pieces.slice(0, opening).reduce((sum, piece) => sum + piece.tokens, 0);
  if (tokens >= minTokens) return opening;
  return pieces.findIndex(({ endsMessage }, at) => endsMessage && at >= opening) + 1;
}

export interface SentPrompt {
  /** compared by identity, so that retries of a call are not repetitions */
  messages: object;
  tenantId: string;
  /** separate caches of the provider, for example credentials and models */
  scope: readonly string[];
  pieces: readonly string[];
}

/** Stores keyed hashes for the cache lifetime, never text. */
export interface PromptPrefixes {
  /** Number of leading pieces that are cached and readable. Also stores this prompt. */
  recall(prompt: SentPrompt): Promise<number>;
  /** Same in every isolate; does not reveal text. */
  nameOf(prompt: Omit<SentPrompt, "messages">): Promise<string>;
}
