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

/** How many runs a key may begin. */
export interface NewRunLimits {
  newRunsPerDay?: number;
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
export interface RunPolicy extends RunLimits, NewRunLimits {
  /** every call has to name one */
  required?: boolean;
}

/** What a person may do as a member of a group. The groups are those that the identity provider names. */
export interface GroupPolicy {
  /** of each group without limits of its own */
  each?: Limits;
  /** by the group's name */
  limits?: Record<string, Limits>;
}

/** Limits of one node that are higher for a time. A raise ends by itself. */
export interface Raise {
  /** the node, as `GET …/limits` names it: the id of the tenant, a key or a server, or such as `user:…` */
  subject: string;
  /** what takes the place of smaller limits; a limit that the node has not is none */
  limits: Limits;
  /** ms since the epoch: from then on nothing is raised */
  until: number;
  why: string;
  /** who raised; the router writes this */
  by?: string;
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

/** Which programs people may let in. A pattern is a domain, or `*.` and a domain for everything below the domain. */
export interface OauthClientPolicy {
  /** absent: every program; empty: none */
  allowedDomains?: string[];
  deniedDomains?: string[];
}

export interface Policy {
  limits?: Limits;
  /** of the days, weeks and months of all limits, such as `Europe/Berlin`; absent: UTC */
  timeZone?: string;
  tags?: TagPolicy;
  runs?: RunPolicy;
  /** of each person on whose behalf somebody calls */
  perUser?: Limits;
  /** whether names of people are kept; absent: none */
  userNames?: "none" | "keep";
  groups?: GroupPolicy;
  raises?: Raise[];
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
  /** whether callers read what a provider said of their failed call, masked; absent: they don't */
  tellProviderMessages?: boolean;
  /** what becomes of a last message of the assistant's that no candidate goes on with; absent: refuse */
  prefill?: PrefillPolicy;
  /** whether other providers are asked once a content filter refused a call; absent: stop */
  afterContentFilter?: AfterContentFilter;
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
  /** absent: every program */
  oauthClients?: OauthClientPolicy;
  /** at which shares of a budget people are told, and where */
  alerts?: AlertPolicy;
}

/** What may be deleted before its time, where a tenant's own database fills. */
export const expendable = ["contents", "results", "records"] as const;
export type Expendable = (typeof expendable)[number];
/** The audit's records go last. */
export const defaultEarlyDeletion: readonly Expendable[] = expendable;

export const afterContentFilter = ["stop", "other_providers"] as const;
export type AfterContentFilter = (typeof afterContentFilter)[number];

/** `as_text`: the model is asked to go on with the message. */
export const prefillPolicies = ["refuse", "as_text"] as const;
export type PrefillPolicy = (typeof prefillPolicies)[number];

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
