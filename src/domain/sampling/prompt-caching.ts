/**
 * When a prompt is marked for its provider's cache, and where. Pure.
 *
 * A marked prefix is written to the cache at 1.25 times the price of plain input and read at a tenth of
 * it. Marking a prefix costs 0.25 of its price if nothing repeats the prefix within the cache's lifetime,
 * and saves 0.9 of its price if something does. So a mark pays from a chance of 0.25 / 0.9 = 28 % on.
 * Nothing is known of a first call, so a first call is not marked.
 */

/** `auto`: a prompt that is likely to repeat is marked for its provider's cache. `off`: no prompt is. */
export const promptCachings = ["auto", "off"] as const;
export type PromptCaching = (typeof promptCachings)[number];

/** How many tokens the provider caches at least, and how the provider is asked to. */
export interface CacheRules {
  /**
   * `marks`: the request marks blocks, and the provider writes what stands before a mark.
   * `key`: the request names what its prompt belongs to, and the provider does the rest, for nothing.
   */
  way: "marks" | "key";
  /** tokens: the provider caches no shorter prefix */
  leastTokens: number;
}

/** Source: Anthropic's documentation, "Prompt caching", read in October 2026. */
export const mostMarks = 4;
/** ms from the start of the request that wrote or read an entry. Same source. */
export const cacheLifetimeMs = 5 * 60_000;

/**
 * ms. An entry can be read once the answer to the request that wrote it has begun, so calls that are
 * made at the same time read nothing of one another's. The documentation gives no figure.
 */
export const entryReadableAfterMs = 1_000;

/**
 * Least lengths of Claude's models, the first match counts. Source: the same page, "Cache limitations".
 * The lengths do not fall with every generation. A Claude that nobody knows yet gets the largest.
 */
const leastTokensOfClaude: readonly (readonly [RegExp, number])[] = [
  [/(fable|mythos|opus)-5/, 512],
  [/mythos-preview|opus-4-7/, 2_048],
  [/opus-4-[56]|haiku-4-5/, 4_096],
  [/opus-4-8|sonnet-[45]|opus-4(-[01])?(-\d{8})?$/, 1_024],
  // Retired models, with the lengths that the page had while they were served.
  [/haiku/, 2_048],
  [/3-7-sonnet|3-5-sonnet|3-opus/, 1_024],
];
const largestLeastTokens = 4_096;

/** Source: Mistral's documentation, "Prompt caching": blocks of 64 tokens, and none without a key. */
const leastTokensOfMistral = 64;

const claude = /(^|\/)claude-/;

/**
 * How a model's provider is asked to cache; null: the provider caches by itself (OpenAI, Google, DeepSeek, xAI,
 * Groq), has no cache, or nothing is known of its cache.
 */
export function cacheRulesOf(model: { provider: string; id: string }): CacheRules | null {
  const { provider } = model;
  if (provider === "mistral") return { way: "key", leastTokens: leastTokensOfMistral };
  // OpenRouter spells versions with a dot.
  const id = model.id.toLowerCase().replaceAll(".", "-");
  if ((provider !== "anthropic" && provider !== "openrouter") || !claude.test(id)) return null;
  const row = leastTokensOfClaude.find(([pattern]) => pattern.test(id));
  return { way: "marks", leastTokens: row?.[1] ?? largestLeastTokens };
}

/** One piece of a prompt in the order in which the provider reads it: tools, system prompt, blocks. */
export interface PromptPiece {
  of: "tools" | "system" | "user" | "assistant";
  /** estimated */
  tokens: number;
  /** whether the provider takes a mark on this piece: on no empty text, and on no reasoning */
  markable: boolean;
  /** the last piece of its message */
  endsMessage: boolean;
}

export interface CacheSituation {
  pieces: readonly PromptPiece[];
  leastTokens: number;
  /** the last message answers tool uses, and the model may use tools again */
  loopUnderWay: boolean;
  /** how many of the first pieces were sent before, in one call, within the cache's lifetime */
  seen: number;
}

const isOpening = ({ of }: PromptPiece): boolean => of === "tools" || of === "system";

/** The last piece of the user's message before the last one, where the round before had its last mark. */
function endOfRoundBefore(pieces: readonly PromptPiece[]): number {
  const ends = pieces.flatMap(({ of, endsMessage }, at) =>
    of === "user" && endsMessage ? [at] : [],
  );
  return ends.at(-2) ?? -1;
}

/**
 * Whether a conversation goes on: the prompt holds a whole earlier prompt, and what the assistant answered to
 * it.
 */
const continues = (pieces: readonly PromptPiece[], seen: number): boolean =>
  pieces[seen - 1]?.of === "user" && pieces[seen]?.of === "assistant";

/** Ends of the prefixes that are likely to repeat. -1: there is no such place. */
function likelyEnds({ pieces, loopUnderWay, seen }: CacheSituation): number[] {
  const opening = pieces.findLastIndex(isOpening);
  const last = pieces.length - 1;
  // The provider looks back over 20 blocks only. A mark at the end of the round before finds that
  // round's entry however many blocks this round added.
  if (loopUnderWay) return [opening, seen - 1, endOfRoundBefore(pieces), last];
  if (seen === 0) return [];
  return [
    seen > opening ? opening : -1,
    seen - 1,
    // What was not sent before may differ in every call, unless a conversation goes on.
    continues(pieces, seen) ? last : -1,
  ];
}

/**
 * Positions of the pieces to mark, ascending; none where a repetition is not likely. A mark costs nothing by
 * itself: what is written and read is billed once, up to the last mark.
 */
export function marksFor(situation: CacheSituation): number[] {
  const { pieces, leastTokens } = situation;
  const lengths: number[] = [];
  for (const { tokens } of pieces) lengths.push((lengths.at(-1) ?? 0) + tokens);
  const marks = likelyEnds(situation)
    .map((end) => pieces.findLastIndex(({ markable }, at) => markable && at <= end))
    .filter((at) => at >= 0 && (lengths[at] ?? 0) >= leastTokens);
  return [...new Set(marks)].toSorted((a, b) => a - b).slice(-mostMarks);
}

/** How many of the first pieces a cache key stands for: tools and system prompt, or a short one's first message too. */
export function piecesOfKey(pieces: readonly PromptPiece[], leastTokens: number): number {
  const opening = pieces.findLastIndex(isOpening) + 1;
  const tokens = pieces.slice(0, opening).reduce((sum, piece) => sum + piece.tokens, 0);
  if (tokens >= leastTokens) return opening;
  return pieces.findIndex(({ endsMessage }, at) => endsMessage && at >= opening) + 1;
}

/** One prompt, as it is looked up among earlier prompts. */
export interface SentPrompt {
  /** the call's own list, compared by identity: another attempt of the same call is no repetition of its prompt */
  messages: object;
  tenantId: string;
  /** what the provider keeps apart within a tenant, such as credentials and models */
  scope: readonly string[];
  /** the text of each piece */
  pieces: readonly string[];
}

/** What is remembered of prompts: hashes under a key, for the cache's lifetime, and never a text. */
export interface PromptPrefixes {
  /**
   * How many of the first pieces were sent within the lifetime, and long enough ago that the cache can be read
   * by now. Remembers this prompt.
   */
  recall(prompt: SentPrompt): Promise<number>;
  /** A name for the pieces, the same in every isolate. No text can be read from it. */
  nameOf(prompt: Omit<SentPrompt, "messages">): Promise<string>;
}
