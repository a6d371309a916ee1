/**
 * Which prefixes of a prompt a provider is asked to cache. Anthropic's cache writes cost 1.25 times the input price and its
 * reads 0.1 times, so caching a prefix pays off if the chance of repetition is at least 28 % (0.25 / 0.9).
 */

/** `auto`: marks prompts that are likely to repeat. */
export const promptCachingModes = ["auto", "off"] as const;
export type PromptCaching = (typeof promptCachingModes)[number];

export interface CacheRules {
  /** `marks`: the request marks the ends of the prefixes to cache. `key`: the request has a cache key; writes are free. */
  way: "marks" | "key";
  minTokens: number;
}

/** Source of the values for Claude: Anthropic's documentation, "Prompt caching", October 2026. */
export const maxMarks = 4;
/** ms, counted from the start of the last request that used the entry. */
export const cacheLifetimeMs = 5 * 60_000;

/** ms after the first request until its entry counts as readable. Anthropic documents only that the answer must have begun. */
export const entryReadableAfterMs = 1_000;

/** The first match wins. Unknown models have the largest minimum. Source: "Cache limitations" on the same page. */
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

/** null if the provider caches automatically (OpenAI, Google, DeepSeek, xAI, Groq) or not at all, or is unknown. */
export function cacheRulesOf(model: { provider: string; id: string }): CacheRules | null {
  const { provider } = model;
  if (provider === "mistral") return { way: "key", minTokens: minTokensOfMistral };
  // OpenRouter writes versions with a dot.
  const id = model.id.toLowerCase().replaceAll(".", "-");
  if ((provider !== "anthropic" && provider !== "openrouter") || !claude.test(id)) return null;
  const row = minTokensOfClaude.find(([pattern]) => pattern.test(id));
  return { way: "marks", minTokens: row?.[1] ?? largestMinTokens };
}

/** A prompt's pieces are in the order in which the provider reads them: tools, system prompt, blocks of messages. */
export interface PromptPiece {
  of: "tools" | "system" | "user" | "assistant";
  tokens: number;
  /** false for empty text and for reasoning, where the provider rejects marks */
  markable: boolean;
  endsMessage: boolean;
}

export interface CacheSituation {
  pieces: readonly PromptPiece[];
  minTokens: number;
  inToolLoop: boolean;
  /** number of leading pieces that are cached */
  cachedPieces: number;
}

/** The opening is what precedes the messages. */
const isOpening = ({ of }: PromptPiece): boolean => of === "tools" || of === "system";

/** The end of the second-to-last user message, where the previous request's last mark was. */
function endOfPreviousRound(pieces: readonly PromptPiece[]): number {
  const ends = pieces.flatMap(({ of, endsMessage }, at) =>
    of === "user" && endsMessage ? [at] : [],
  );
  return ends.at(-2) ?? -1;
}

const continuesConversation = (pieces: readonly PromptPiece[], cachedPieces: number): boolean =>
  pieces[cachedPieces - 1]?.of === "user" && pieces[cachedPieces]?.of === "assistant";

function endsOfLikelyPrefixes({ pieces, inToolLoop, cachedPieces }: CacheSituation): number[] {
  const opening = pieces.findLastIndex(isOpening);
  const last = pieces.length - 1;
  // The provider looks for entries only 20 blocks before a mark. A mark at the previous round's end finds that round's entry.
  if (inToolLoop) return [opening, cachedPieces - 1, endOfPreviousRound(pieces), last];
  if (cachedPieces === 0) return [];
  return [
    cachedPieces > opening ? opening : -1,
    cachedPieces - 1,
    // New content may differ in every call, unless a conversation continues.
    continuesConversation(pieces, cachedPieces) ? last : -1,
  ];
}

/** Positions of the pieces to mark, ascending. Only the last mark affects the price. */
export function marksFor(situation: CacheSituation): number[] {
  const { pieces, minTokens } = situation;
  const lengths: number[] = [];
  for (const { tokens } of pieces) lengths.push((lengths.at(-1) ?? 0) + tokens);
  const marks = endsOfLikelyPrefixes(situation)
    .map((end) => pieces.findLastIndex(({ markable }, at) => markable && at <= end))
    .filter((at) => at >= 0 && (lengths[at] ?? 0) >= minTokens);
  return [...new Set(marks)].toSorted((a, b) => a - b).slice(-maxMarks);
}

/** Number of leading pieces that the cache key is computed from: the opening, and if it is too short, the first message. */
export function pieceCountForKey(pieces: readonly PromptPiece[], minTokens: number): number {
  const opening = pieces.findLastIndex(isOpening) + 1;
  const tokens = pieces.slice(0, opening).reduce((sum, piece) => sum + piece.tokens, 0);
  if (tokens >= minTokens) return opening;
  return pieces.findIndex(({ endsMessage }, at) => endsMessage && at >= opening) + 1;
}

export interface SentPrompt {
  /** compared by identity, so that retries of a call are not repetitions */
  messages: object;
  tenantId: string;
  /** what the provider has separate caches for, for example credential and model */
  scope: readonly string[];
  pieces: readonly string[];
}

/** Stores keyed hashes for the cache lifetime, never text. */
export interface PromptPrefixes {
  /** Number of leading pieces that are cached and readable. Also stores this prompt. */
  recall(prompt: SentPrompt): Promise<number>;
  /** The same prompt has the same key in every isolate. The key doesn't reveal text. */
  cacheKeyOf(prompt: Omit<SentPrompt, "messages">): Promise<string>;
}
