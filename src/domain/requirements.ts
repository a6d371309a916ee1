import type { Modality } from "./modality.ts";
import type { Surcharge } from "./usage.ts";
import type { ModelEndpointName } from "./model-endpoint.ts";

/** A tokenizer family. `other`: unknown, estimated as the family with the highest counts. */
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
  "not_named",
  /** the request has what only its own wire carries, and the model speaks another */
  "not_translatable",
  "input_modality",
  "output_modality",
  "tools",
  "context_window",
  "tool_count",
  "image_format",
  "image_count",
  "image_size",
  /** the last message is the assistant's, and the model can't continue it */
  "prefill",
  /** the wire can't bind the answer to a JSON schema */
  "response_schema",
  /** the wire can't limit an answer to one tool use */
  "parallel_tools",
  "reasoning_room",
  "not_allowed",
  "unknown_price",
  "no_credential",
  "not_allowed_by_operator",
  "credential_failing",
  "circuit_open",
  "retired",
  /** a preview that neither a hint nor the policy asks for */
  "preview",
  /** an image model, without a request for images or a hint */
  "image_model",
  "stopped",
  /** canned answers, while the tenant has a provider's credential */
  "canned",
  /** an unclassified model without a price, unless a hint names it exactly */
  "unknown_class",
  /** missing in the provider's list for the key */
  "not_offered",
] as const;

export type ExclusionReason = (typeof exclusionReasons)[number];

export interface ImageDemands {
  count: number;
  formats: string[];
  fewestBytes: number;
  maxBytes: number;
  totalBytes: number;
  /** pixels, if known */
  longestSide: number;
  maxPixels: number;
}

export interface WireDemands {
  prefill?: true;
  schema?: "alone" | "beside_tools";
  singleToolUse?: true;
  tools?: number;
  images?: ImageDemands;
}

export interface PassingNeeds {
  losses: string[];
  /** the only credential whose account can read the request's content, for example sealed reasoning; absent: all can */
  pinned?: string;
  /** non-text input tokens, for example sealed reasoning */
  opaqueTokens?: number;
  /** maximum tokens of input that can't be measured here, for example files by id */
  unmeasuredTokens?: number;
  answers?: number;
  /** maximum cost in addition to the model's prices */
  surcharge?: Surcharge;
  prices?: { factors?: Record<string, number>; toolUsd?: Record<string, number> };
  /** tokens below which the limit can't be lowered, since the request's thinking budget has to be smaller */
  minTokens?: number;
  /** lifetime of the request's own cache marks; absent: no marks */
  cacheWrites?: "minutes" | "hour";
}

export interface Requirements {
  /** as the caller names it; absent: the router selects */
  model?: string;
  fallbacks?: string[];
  /** the model endpoint that was called; absent: MCP sampling */
  endpoint?: ModelEndpointName;
  inputModalities: Modality[];
  outputModalities: Modality[];
  tools: boolean;
  /** estimated tokens: the highest estimate of the candidates' tokenizers */
  inputTokens: number;
  inputTokensByFamily?: Partial<Record<TokenFamily, number>>;
  /** tokens, after the policy's limit */
  maxTokens: number;
  /** Prompt caching: `hour` on request of the caller, `none` if turned off; absent: five minutes. */
  cacheWrites?: "none" | "hour";
  reasoning?: ReasoningNeeds;
  wire?: WireDemands;
  passing?: PassingNeeds;
}

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof efforts)[number];

export type ReasoningWish = "least" | "provider" | { effort: Effort };

export interface ReasoningNeeds {
  wish?: ReasoningWish;
  /** maximum reasoning tokens by policy; absent: `defaultReasoningTokens` */
  tokens?: number;
  /** only the least effort is allowed, except for these providers */
  minReasoningOnly?: { except: string[] };
  /** per provider, from the call's metadata; a number is in tokens */
  asked?: Record<string, Effort | number>;
  /** no candidate has its full reasoning room, so each uses what its limits leave */
  shrinks?: true;
  /** limits may leave no room: models that need reasoning are skipped, or get no room with `shrinks` */
  roomless?: true;
}
