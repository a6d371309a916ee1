/** Images and audio, in the units of billing. */
export interface MediaUsage {
  imageInputTokens?: number;
  imageOutputTokens?: number;
  images?: number;
  /** seconds of generated audio */
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

/** Cost of a call in addition to its model's prices, by the tenant's policy. */
export interface Surcharge {
  /** multiplies the model's prices */
  factor?: number;
  /** micro-USD, for uses of tools that the provider runs */
  feeMicroUsd?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** some counts are estimates, because the provider reported none */
  estimated: boolean;
  classes?: TokenClasses;
  /** absent: text only */
  media?: MediaUsage;
  /** absent: the model's prices alone */
  surcharge?: Surcharge;
  /** the reported counts were implausible and were replaced by the reserved ones; see `plausible.ts` */
  implausible?: true;
}
