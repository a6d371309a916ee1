/** What a provider counted of a call. */

/** The images and the audio of a call, in the units that providers bill. */
export interface MediaUsage {
  /** input tokens that are images */
  imageInputTokens?: number;
  /** output tokens that are images */
  imageOutputTokens?: number;
  /** images that were generated */
  images?: number;
  /** seconds of audio that were generated */
  audioSeconds?: number;
  /** characters that were read aloud */
  characters?: number;
}

/**
 * Parts of a usage that are priced apart, each within its total. An absent part: the provider said nothing of
 * it, or 0.
 */
export interface TokenClasses {
  /** input tokens that the provider read from its cache */
  cacheReadTokens?: number;
  /** cache-read tokens that are audio */
  cacheReadAudioTokens?: number;
  /** input tokens that the provider wrote to its cache for five minutes */
  cacheWriteTokens?: number;
  /** input tokens that the provider wrote to its cache for an hour */
  cacheWriteHourTokens?: number;
  /** input tokens that are audio, also those from the cache */
  audioInputTokens?: number;
  /** output tokens that no caller sees */
  reasoningTokens?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** input, output or both are our estimate, since the provider reported no figure */
  estimated: boolean;
  /** absent: the provider reported only the totals */
  classes?: TokenClasses;
  /** absent: text only */
  media?: MediaUsage;
  /**
   * the provider reported figures that it can't mean, so these figures are those that were reserved; see
   * `plausible.ts`
   */
  implausible?: true;
}
