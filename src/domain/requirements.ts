/** What a request requires of a model, and why a model is out of the choice. */
import type { Modality } from "./modality.ts";

/** Whose tokenizer it is; `other`: nobody knows, so the most that any of the known ones counts. */
export type TokenFamily =
  | "openai"
  | "anthropic"
  | "google"
  | "llama"
  | "mistral"
  | "qwen"
  | "deepseek"
  | "cohere"
  | "other";

export const exclusionReasons = [
  "input_modality",
  "output_modality",
  "tools",
  "context_window",
  "output_limit",
  "reasoning_room",
  "not_allowed",
  "unknown_price",
  "no_credential",
  "no_operator_leave",
  "credential_failing",
  "circuit_open",
  "retired",
  /** its provider calls it a preview, and neither a hint nor the policy asks for it */
  "preview",
  /** it draws, no image was asked for, and no hint names it */
  "image_model",
] as const;

export type ExclusionReason = (typeof exclusionReasons)[number];

export interface Requirements {
  inputModalities: Modality[];
  outputModalities: Modality[];
  tools: boolean;
  /** tokens, estimated: the most that any candidate's tokenizer will likely count */
  inputTokens: number;
  /** tokens, estimated, by the tokenizers of the candidates */
  inputTokensByFamily?: Partial<Record<TokenFamily, number>>;
  /** tokens, after the policy's cap */
  maxTokens: number;
  /**
   * What the request may make a provider write to its cache: `hour` where the caller asks for that, `none`
   * where it is marked for none. Absent: for five minutes.
   */
  cacheWrites?: "none" | "hour";
  /** absent: the least reasoning, with the usual room */
  reasoning?: ReasoningNeeds;
}

/** Least first. `none`: the model answers without reasoning. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/**
 * How models reason, and how much room that needs: what is asked of a model, and the tokens that its
 * reasoning may use beside the visible text. Pure.
 */
export type Effort = (typeof efforts)[number];

/** What a tenant wants: the least, whatever the provider does by itself, or a certain effort. */
export type ReasoningWish = "least" | "provider" | { effort: Effort };

/** What a request and its tenant say about reasoning; all absent: the least, with the usual room. */
export interface ReasoningNeeds {
  /** absent: least */
  wish?: ReasoningWish;
  /** tokens that reasoning may use at most, by policy; absent: `defaultReasoningTokens` */
  tokens?: number;
  /** no more than the least may be asked for, except of these providers */
  leastOnly?: { except: string[] };
  /** by provider: what the call's own metadata asks for; a number: tokens */
  asked?: Record<string, Effort | number>;
  /** no candidate has all the room that it wants, so each takes what its own limits leave */
  shrinks?: true;
  /** limits may have nothing left for it: who wants room is skipped, or has none where it `shrinks` */
  roomless?: true;
}
