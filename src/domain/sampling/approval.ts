/** When a person has to approve a call, and what becomes of a call for which nobody decides. */
import type { JsonObject } from "../json.ts";
import { isNamedIn, type NamedModel } from "../models/allowed.ts";

export const approvalModes = ["auto", "request", "result", "both"] as const;
export const approvalStages = ["request", "result"] as const;
export const approverKinds = ["others", "self"] as const;
/** What a person approves: that the call is made, or that its result is given out. */
export type ApprovalStage = (typeof approvalStages)[number];

/** What is kept of a held call: what was shown at each stage, and what an edit made of it. */
export type HeldContent = ApprovalStage | "edited" | "edited-result";

/** Which calls need approval: those of which any of these is true. All absent: every call. */
export interface ApprovalConditions {
  /** USD that the call may cost at most; a call without a known price is above any amount */
  costUsdAbove?: number;
  /** globs over `provider/model` */
  models?: string[];
  /** slugs of registered servers that ask */
  servers?: string[];
  /** names of the tools that are being called */
  tools?: string[];
  /** of what goes in and of what comes out */
  modalities?: string[];
}

export interface ApprovalPolicy {
  mode: (typeof approvalModes)[number];
  /** absent: every call */
  when?: ApprovalConditions;
  /** absent: `defaultTimeoutSeconds` */
  timeoutSeconds?: number;
  /** what happens when nobody decides in time; absent: deny */
  onTimeout?: "deny" | "approve";
  /** `self`: also the person whose call it is; absent: others */
  approvers?: (typeof approverKinds)[number];
  /** where held calls are told of; absent: nowhere */
  webhookUrl?: string;
}

export const defaultTimeoutSeconds = 3_600;
export const leastTimeoutSeconds = 60;
export const mostTimeoutSeconds = 86_400;
/** Whose calls wait. A key, or a server whose tools ask, takes no more than a share of its tenant's places. */
export interface HeldCalls {
  key: number;
  /** 0: the caller asks for itself */
  server: number;
  tenant: number;
}

/** How many may wait at once. */
export const mostHeld: Readonly<HeldCalls> = { key: 50, server: 100, tenant: 200 };

/** The narrowest bound that is reached; null: one more call may wait. */
export const fullOfHeld = (held: HeldCalls): keyof HeldCalls | null =>
  (["key", "server", "tenant"] as const).find((whose) => held[whose] >= mostHeld[whose]) ?? null;
/** ms for which an approved call waits for its caller, at least. */
export const collectedWithinMs = 600_000;
/** ms for which a decided call answers its repetitions. */
export const answersDecidedForMs = 86_400_000;

/** What the conditions are about. */
export interface ApprovalFacts {
  /** null: no known price */
  costMicroUsd: number | null;
  /** the chosen one */
  model: NamedModel;
  /** the slug of the asking server; null: the caller asks for itself */
  server: string | null;
  tool: string | null;
  modalities: readonly string[];
}

/** A call that is about to wait. */
export interface NewApproval {
  stage: ApprovalStage;
  /** ms since the epoch */
  deadline: number;
  onTimeout: "deny" | "approve";
  why: string[];
  /** hex SHA-256 of what is shown */
  shown: string;
  /** what is shown, sealed, in parts that fit a row */
  parts: string[];
  /** absent: the call is told of nowhere */
  webhook?: ApprovalWebhook;
}

/** Where a held call is told of, and what is told. */
export interface ApprovalWebhook {
  url: string;
  /** without any content of the call */
  notice: JsonObject;
}

/** Why a call waits for a person, and how long. */
export interface ApprovalNeed {
  stages: ApprovalStage[];
  /** the conditions that hold, by name; empty: every call needs approval */
  why: string[];
  timeoutMs: number;
  onTimeout: "deny" | "approve";
  /** null: the call is told of nowhere */
  webhookUrl: string | null;
}

/** A server's own rule takes the place of its tenant's: the tenant's administrators write both. */
export const approvalRuleOf = (
  tenant: { approval?: ApprovalPolicy },
  server: { approval?: ApprovalPolicy } | null,
): ApprovalPolicy | undefined => server?.approval ?? tenant.approval;

function conditionsThatHold(when: ApprovalConditions, facts: ApprovalFacts): string[] {
  const { costUsdAbove, models = [], servers = [], tools = [], modalities = [] } = when;
  const { costMicroUsd, model, server, tool } = facts;
  const isDear =
    costUsdAbove !== undefined && (costMicroUsd === null || costMicroUsd > costUsdAbove * 1e6);
  return [
    ...(isDear ? ["costUsdAbove"] : []),
    ...(isNamedIn(models, model) ? ["models"] : []),
    ...(server !== null && servers.includes(server) ? ["servers"] : []),
    ...(tool !== null && tools.includes(tool) ? ["tools"] : []),
    ...(facts.modalities.some((each) => modalities.includes(each)) ? ["modalities"] : []),
  ];
}

/** null: nobody has to approve the call. */
export function approvalNeeded(
  rule: ApprovalPolicy | undefined,
  facts: ApprovalFacts,
): ApprovalNeed | null {
  if (rule === undefined || rule.mode === "auto") return null;
  const { when, mode } = rule;
  const isForAll = when === undefined || Object.keys(when).length === 0;
  const why = isForAll ? [] : conditionsThatHold(when, facts);
  if (!isForAll && why.length === 0) return null;
  return {
    stages: mode === "both" ? ["request", "result"] : [mode],
    why,
    timeoutMs: (rule.timeoutSeconds ?? defaultTimeoutSeconds) * 1_000,
    onTimeout: rule.onTimeout ?? "deny",
    webhookUrl: rule.webhookUrl ?? null,
  };
}

/** A decision as the audit record keeps it. Contents are hashes here. */
export interface ApprovalVerdict {
  stage: ApprovalStage;
  verdict: "approved" | "denied" | "expired";
  /** the operator, the id of an API key, or `timeout` */
  by: string;
  /** the tenant's keyed hash of the person's issuer and subject; absent: no person is known */
  subject?: string;
  /** the person's own call, which the policy lets them decide on; absent: another person's */
  isOwn?: true;
  /** ms since the epoch */
  at: number;
  /** what the approver said; absent: nothing */
  why?: string;
  /** hex SHA-256 of what was shown */
  shown: string;
  /** absent: nothing was edited */
  edited?: ApprovalEdits;
}

export interface ApprovalEdits {
  /** hex SHA-256 of the prompt or the result that took the place of the first */
  content?: string;
  /** `provider/model` that took the place of the chosen one */
  model?: string;
}
