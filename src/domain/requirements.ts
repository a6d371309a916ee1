/** What a request requires of a model, and why a model is excluded from the choice. */
import type { Modality } from "./modality.ts";

/** A family of tokenizers. `other`: unknown, which counts as the known family that counts most. */
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
  /** the request names another model */
  "not_named",
  "input_modality",
  "output_modality",
  "tools",
  "context_window",
  /** the wire takes fewer tools than the request has */
  "tool_count",
  "image_format",
  /** the wire takes fewer images than the request has */
  "image_count",
  /** an image is empty, or has more bytes or pixels than the wire takes */
  "image_size",
  /** the last message is the assistant's, and the model goes on with no text of another's */
  "prefill",
  "reasoning_room",
  "not_allowed",
  "unknown_price",
  "no_credential",
  "no_operator_leave",
  "credential_failing",
  "circuit_open",
  "retired",
  /** the provider calls the model a preview, and neither a hint nor the policy asks for it */
  "preview",
  /** the model draws, no image was asked for, and no hint names the model */
  "image_model",
  /** a kill switch is on for the model or its provider */
  "stopped",
  /** the model's answers are canned, and the tenant has a credential of a provider */
  "canned",
  /** the model is of an unclassified line, has no price, and is not the one that a hint names exactly */
  "unknown_class",
  /** the provider's list for the key has no such model */
  "not_offered",
] as const;

export type ExclusionReason = (typeof exclusionReasons)[number];

export interface ImageDemands {
  count: number;
  /** MIME types by the bytes */
  formats: string[];
  fewestBytes: number;
  mostBytes: number;
  totalBytes: number;
  /** pixels, of the images that say their sides */
  longestSide: number;
  mostPixels: number;
}

/** What a request demands of a wire, where some wire would refuse it in any form. */
export interface WireDemands {
  /** the last message is the assistant's */
  prefill?: true;
  /** how many tools there are */
  tools?: number;
  images?: ImageDemands;
}

export interface Requirements {
  /** the only model that may answer, as the caller names it; absent: the router chooses */
  model?: string;
  inputModalities: Modality[];
  outputModalities: Modality[];
  tools: boolean;
  /** tokens, estimated: the most that the tokenizer of any candidate will likely count */
  inputTokens: number;
  /** tokens, estimated by the tokenizers of the candidates */
  inputTokensByFamily?: Partial<Record<TokenFamily, number>>;
  /** tokens, after the policy's limit */
  maxTokens: number;
  /**
   * What the request may make a provider write to its cache. `hour`: the caller asks for that. `none`: the
   * request is marked for none. Absent: for five minutes.
   */
  cacheWrites?: "none" | "hour";
  /** absent: the least reasoning, with the usual room */
  reasoning?: ReasoningNeeds;
  /** absent: nothing that some wire would refuse in any form */
  wire?: WireDemands;
}

/** Least first. `none`: the model answers without reasoning. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** How much a model reasons. */
export type Effort = (typeof efforts)[number];

/** What a tenant wants: the least effort, the provider's default, or a certain effort. */
export type ReasoningWish = "least" | "provider" | { effort: Effort };

/** What a request and its tenant say about reasoning. All absent: the least effort, with the usual room. */
export interface ReasoningNeeds {
  /** absent: least */
  wish?: ReasoningWish;
  /** tokens that reasoning may use at most, by policy; absent: `defaultReasoningTokens` */
  tokens?: number;
  /** only the least effort may be asked for, except of these providers */
  leastOnly?: { except: string[] };
  /** by provider: the effort that the call's own metadata asks for; a number: tokens */
  asked?: Record<string, Effort | number>;
  /** no candidate has all the room that its reasoning wants, so each takes what its own limits leave */
  shrinks?: true;
  /**
   * limits may have nothing left for reasoning: models that want room are skipped, or get none where it
   * `shrinks`
   */
  roomless?: true;
}
