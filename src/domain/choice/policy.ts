import type { AlertPolicy } from "../alerts.ts";
import type { ReasoningWish } from "../requirements.ts";
import type { PromptCaching } from "../sampling/prompt-caching.ts";
import type { ApprovalPolicy } from "../sampling/approval.ts";
import type { ShapingRule } from "../sampling/shaping.ts";
import type { Switches } from "./switches.ts";

/**
 * What a tenant may do, and what one of its keys may do. An absent member is no limit. Days, weeks and months are those
 * of the tenant's time zone.
 */
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
  /** USD, as all that follow */
  usdPerMinute?: number;
  usdPerDay?: number;
  usdPerWeek?: number;
  usdPerMonth?: number;
  usdTotal?: number;
}

/** What a run may do: calls that name it, until it has paused for a day. */
export interface RunLimits {
  callsPerRun?: number;
  /** USD */
  usdPerRun?: number;
}

/** What calls may do that name a tag. */
export interface TagPolicy {
  /** every call has to name one */
  required?: boolean;
  /** absent: whatever tag is named */
  allowed?: string[];
  /** of each tag without limits of its own */
  each?: Limits;
  /** by tag */
  limits?: Record<string, Limits>;
}

/** What calls may do that name a run. */
export interface RunPolicy extends RunLimits {
  /** every call has to name one */
  required?: boolean;
}

/** What a registered server may do, on top of its tenant's policy and its caller's key. */
export interface ServerPolicy {
  limits?: Limits;
  /** tokens: a larger `maxTokens` is lowered to this */
  maxTokens?: number;
  allowedModels?: string[];
  deniedModels?: string[];
  /** tool-use turns that a request's own history may hold */
  toolRounds?: number;
  /** the kill switch: nothing is sampled for this server */
  disabled?: boolean;
  /** takes the place of the tenant's rule; absent: the tenant's holds */
  approval?: ApprovalPolicy;
}

export interface Policy {
  limits?: Limits;
  /** of the days, weeks and months of all limits, such as `Europe/Berlin`; absent: UTC */
  timeZone?: string;
  tags?: TagPolicy;
  runs?: RunPolicy;
  /** of each person on whose behalf somebody calls */
  perUser?: Limits;
  /** tokens: a larger `maxTokens` is lowered to this */
  maxTokens?: number;
  /** how much models reason; absent: the least that each can */
  reasoning?: ReasoningWish;
  /** tokens that reasoning may use beside the visible text; absent: `defaultReasoningTokens` */
  reasoningTokens?: number;
  allowedModels?: string[];
  deniedModels?: string[];
  /** whether the content of requests and results is kept, sealed */
  capture?: "none" | "full";
  /** whether secrets found in captured text are masked (the default) or kept */
  captureSecrets?: "mask" | "keep";
  /** false: what providers say of failed calls is not kept; absent: their messages are kept, sealed */
  providerMessages?: boolean;
  /** days until a finished audit record is deleted */
  retentionDays?: number;
  /** days until captured content is deleted; absent: it is deleted with its record */
  contentRetentionDays?: number;
  /** what goes first, and next, where the tenant's own database fills; absent: `defaultEarlyDeletion` */
  earlyDeletion?: Expendable[];
  /** tool-use turns that a request's own history may hold */
  toolRounds?: number;
  /** how content is shaped by what clients declare */
  rules?: ShapingRule[];
  /** provider calls that one request may make, failover included; a reservation covers all of them */
  maxAttempts?: number;
  /** ms for all attempts of one call together */
  deadlineMs?: number;
  /** absent: auto */
  promptCaching?: PromptCaching;
  /**
   * when previews are chosen: if a hint names one or nothing else can serve (the default), like other models,
   * or never
   */
  previews?: Previews;
  /** kill switches */
  stopped?: Switches;
  /** which calls wait for a person; absent: none */
  approval?: ApprovalPolicy;
  /** at which shares of a budget people are told, and where */
  alerts?: AlertPolicy;
}

/** What may be deleted before its time, where a tenant's own database fills. */
export const expendable = ["contents", "results", "records"] as const;
export type Expendable = (typeof expendable)[number];
/** The audit's records go last. */
export const defaultEarlyDeletion: readonly Expendable[] = expendable;

export const previewPolicies = ["hinted", "allowed", "never"] as const;
export type Previews = (typeof previewPolicies)[number];

/** SDK clients give up at 60 s. */
export const defaultDeadlineMs = 45_000;
export const defaultToolRounds = 25;
export const defaultRetentionDays = 90;

/** What one call may use at most by the size of its limits, whatever of the limits is used up. */
export interface CallBounds {
  tokens: number;
  microUsd: number;
}
