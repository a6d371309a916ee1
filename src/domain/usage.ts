/** What a provider counted of a call. */

/** The images and the audio of a call, in the units that providers bill. */
export interface MediaUsage {
  /** those of the input tokens that are images */
  imageInputTokens?: number;
  /** those of the output tokens that are images */
  imageOutputTokens?: number;
  /** generated */
  images?: number;
  /** generated */
  audioSeconds?: number;
  /** read aloud */
  characters?: number;
}

/**
 * Parts of a usage that are priced apart, each within its total. An absent one: the provider said
 * nothing of it, or 0.
 */
export interface TokenClasses {
  /** those of the input tokens that the provider read from its cache */
  cacheReadTokens?: number;
  /** those of `cacheReadTokens` that are audio */
  cacheReadAudioTokens?: number;
  /** those of the input tokens that the provider wrote to its cache, for five minutes */
  cacheWriteTokens?: number;
  /** the same, for an hour */
  cacheWriteHourTokens?: number;
  /** those of the input tokens that are audio, the ones from the cache included */
  audioInputTokens?: number;
  /** those of the output tokens that no caller sees */
  reasoningTokens?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** the provider reported none, so these are our estimate */
  estimated: boolean;
  /** absent: the provider told the totals alone */
  classes?: TokenClasses;
  /** absent: text only */
  media?: MediaUsage;
  /** the provider reported figures that it can't mean, so these are what was reserved; see `plausible.ts` */
  implausible?: true;
}
