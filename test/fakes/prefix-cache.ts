/**
 * Caches that need no marks, by their documented rules. OpenAI: from 1,024 tokens on, in steps of 128.
 * Mistral: blocks of 64, and only for requests with a `prompt_cache_key`.
 * Sources: both providers' documentation, "Prompt caching", read in October 2026.
 */
export interface PrefixRules {
  minTokens: number;
  stepTokens: number;
  needsKey: boolean;
}

export const openaiRules: PrefixRules = { minTokens: 1_024, stepTokens: 128, needsKey: false };
export const mistralRules: PrefixRules = { minTokens: 64, stepTokens: 64, needsKey: true };

const charactersPerToken = 4;
/** "5 to 10 minutes of inactivity": the shorter. */
const lifetimeMs = 5 * 60_000;

export const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken);

function commonLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return at;
}

/** `now`: ms. One of it for each provider. */
export function createPrefixCache(rules: PrefixRules, deps: { now: () => number }) {
  const prompts = new Map<string, { text: string; usedAt: number }[]>();
  return {
    /** Tokens of the prompt that come from the cache. `place`: account, model and key. */
    process(text: string, place: { account: string; model: string; key: string | null }): number {
      if (rules.needsKey && place.key === null) return 0;
      const at = JSON.stringify([place.account, place.model, place.key]);
      const known = prompts.get(at) ?? [];
      prompts.set(at, known);
      let longest = 0;
      for (const prompt of known) {
        if (deps.now() - prompt.usedAt >= lifetimeMs) continue;
        longest = Math.max(longest, commonLength(prompt.text, text));
      }
      known.push({ text, usedAt: deps.now() });
      const tokens = Math.floor(longest / charactersPerToken);
      const cached = tokens - (tokens % rules.stepTokens);
      return cached >= rules.minTokens ? cached : 0;
    },
  };
}
