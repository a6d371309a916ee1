import type { AlertPolicy } from "../alerts.ts";
import type { ReasoningWish } from "../requirements.ts";
import type { Priorities } from "../sampling/call.ts";
import type { PromptCaching } from "../sampling/prompt-caching.ts";
import type { ApprovalPolicy } from "../sampling/approval.ts";
import type { ShapingRule } from "../sampling/shaping.ts";
import type { Switches } from "./switches.ts";

/** Limits of a tenant or key. Absent: unlimited. Periods are in the tenant's time zone. */
export interface Limits {
  requestsPerMinute?: number;
  requestsPerDay?: number;
  requestsPerWeek?: number;
  requestsPerMonth?: number;
  requestsTotal?: number;
  tokensPerMinute?: number;
  tokensPerDay?: number;
  tokensPerWeek?: number;
  tokensPerMonth?: number;
  tokensTotal?: number;
  concurrent?: number;
  usdPerMinute?: number;
  usdPerDay?: number;
  usdPerWeek?: number;
  usdPerMonth?: number;
  usdTotal?: number;
}

/** A run is a series of calls that name it, until a pause of a day. */
export interface RunLimits {
  callsPerRun?: number;
  usdPerRun?: number;
}

export interface NewRunLimits {
  newRunsPerDay?: number;
}

export interface TagPolicy {
  required?: boolean;
  allowed?: string[];
  each?: Limits;
  limits?: Record<string, Limits>;
}

export interface RunPolicy extends RunLimits, NewRunLimits {
  required?: boolean;
}

export interface GroupPolicy {
  each?: Limits;
  limits?: Record<string, Limits>;
}

/** A temporary raise of a node's limits. */
export interface Raise {
  /** a node of `GET …/limits`: the id of a tenant, key or server, or for example `user:…` */
  subject: string;
  /** replaces smaller limits; ignored for limits that the node does not have */
  limits: Limits;
  until: number;
  reason: string;
  by?: string;
}

/** Applies on top of the tenant's policy and the key. */
export interface ServerPolicy {
  limits?: Limits;
  /** tokens; lowers a larger `maxTokens` */
  maxTokens?: number;
  allowedModels?: string[];
  deniedModels?: string[];
  toolRounds?: number;
  disabled?: boolean;
  /** replaces the tenant's rule */
  approval?: ApprovalPolicy;
}

/** OAuth clients that users may authorize. A pattern is a domain, or `*.` and a domain for its subdomains. */
export interface OauthClientPolicy {
  allowedDomains?: string[];
  deniedDomains?: string[];
}

export interface ModelAlias {
  hints?: string[];
  priorities?: Priorities;
}

/** What requests at model endpoints may ask of a provider that speaks their API. */
export interface EndpointPolicy {
  /** never: nothing is stored at a provider; absent: as the request says */
  store?: "never";
  /** by a value of `service_tier`, `speed` or `inference_geo`; multiplies the model's prices */
  priceFactors?: Record<string, number>;
  /** by the beginning of the type of a tool that the provider runs; USD for each use */
  toolUsd?: Record<string, number>;
  deniedBetas?: string[];
}

export interface Policy {
  limits?: Limits;
  /** for example `Europe/Berlin`; absent: UTC */
  timeZone?: string;
  tags?: TagPolicy;
  runs?: RunPolicy;
  perUser?: Limits;
  /** whether users' names are stored; absent: none */
  userNames?: "none" | "keep";
  groups?: GroupPolicy;
  raises?: Raise[];
  maxTokens?: number;
  reasoning?: ReasoningWish;
  /** reasoning tokens in addition to visible text; absent: `defaultReasoningTokens` */
  reasoningTokens?: number;
  allowedModels?: string[];
  deniedModels?: string[];
  capture?: "none" | "full";
  captureSecrets?: "mask" | "keep";
  /** false: providers' error messages are not stored */
  providerMessages?: boolean;
  /** by a name that callers use as a model's name; takes precedence over a model of that name */
  aliases?: Record<string, ModelAlias>;
  /** by a model's name as callers use it, or `*`: models that may answer instead, in order */
  fallbacks?: Record<string, string[]>;
  modelEndpoints?: EndpointPolicy;
  /** whether callers get the provider's masked error message; absent: false */
  returnProviderMessages?: boolean;
  /** for a last assistant message that no candidate can continue; absent: refuse */
  prefill?: PrefillPolicy;
  /** whether other providers are tried after a content filter refused; absent: stop */
  afterContentFilter?: AfterContentFilter;
  retentionDays?: number;
  /** days until captured content is deleted; absent: with its record */
  contentRetentionDays?: number;
  /** order of deletion when the tenant's database is full; absent: `defaultEarlyDeletion` */
  earlyDeletion?: Expendable[];
  toolRounds?: number;
  rules?: ShapingRule[];
  maxAttempts?: number;
  deadlineMs?: number;
  /** absent: auto */
  promptCaching?: PromptCaching;
  /** absent: `hinted` */
  previews?: Previews;
  stopped?: Switches;
  approval?: ApprovalPolicy;
  oauthClients?: OauthClientPolicy;
  alerts?: AlertPolicy;
}

export const expendable = ["contents", "results", "records"] as const;
export type Expendable = (typeof expendable)[number];
export const defaultEarlyDeletion: readonly Expendable[] = expendable;

export const afterContentFilter = ["stop", "other_providers"] as const;
export type AfterContentFilter = (typeof afterContentFilter)[number];

/** `as_text`: the model is asked to continue the message. */
export const prefillPolicies = ["refuse", "as_text"] as const;
export type PrefillPolicy = (typeof prefillPolicies)[number];

export const previewPolicies = ["hinted", "allowed", "never"] as const;
export type Previews = (typeof previewPolicies)[number];

/** SDK clients time out after 60 s. */
export const defaultDeadlineMs = 45_000;
/** ms; of a call at a model endpoint, as official SDKs wait by default. */
export const defaultEndpointDeadlineMs = 600_000;
export const defaultToolRounds = 25;
export const defaultRetentionDays = 90;

export interface CallBounds {
  tokens: number;
  microUsd: number;
}
