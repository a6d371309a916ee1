/** What a provider counted for a call. */

/** Images and audio, in the units of billing. */
export interface MediaUsage {
  /** input tokens that are images */
  imageInputTokens?: number;
  /** output tokens that are images */
  imageOutputTokens?: number;
  /** generated images */
  images?: number;
  /** seconds of generated audio */
  audioSeconds?: number;
  /** characters of synthesized speech */
  characters?: number;
}

/** Separately priced parts of the totals. Absent: 0 or not reported. */
export interface TokenClasses {
  /** input tokens read from the cache */
  cacheReadTokens?: number;
  /** audio tokens read from the cache */
  cacheReadAudioTokens?: number;
  /** input tokens written to the cache for five minutes */
  cacheWriteTokens?: number;
  /** input tokens written to the cache for an hour */
  cacheWriteHourTokens?: number;
  /** audio input tokens, including cached ones */
  audioInputTokens?: number;
  reasoningTokens?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** some counts are estimates, because the provider reported none */
  estimated: boolean;
  /** absent: only totals were reported */
  classes?: TokenClasses;
  /** absent: text only */
  media?: MediaUsage;
  /** the reported counts were implausible and were replaced by the reserved ones; see `plausible.ts` */
  implausible?: true;
}
