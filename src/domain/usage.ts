export interface MediaUsage {
  imageInputTokens?: number;
  imageOutputTokens?: number;
  images?: number;
  audioSeconds?: number;
  /** characters of synthesized speech */
  characters?: number;
}

/** Separately priced parts of the totals. Absent: 0 or not reported. */
export interface TokenClasses {
  cacheReadTokens?: number;
  cacheReadAudioTokens?: number;
  cacheWriteTokens?: number;
  cacheWriteHourTokens?: number;
  /** audio input tokens, including cached ones */
  audioInputTokens?: number;
  reasoningTokens?: number;
}

export interface Surcharge {
  factor?: number;
  /** micro-USD, for uses of tools that the provider runs */
  feeMicroUsd?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  estimated: boolean;
  classes?: TokenClasses;
  media?: MediaUsage;
  surcharge?: Surcharge;
  /** the reported counts were implausible and were replaced by the reserved ones; see `plausible.ts` */
  implausible?: true;
}
