import type { JsonObject } from "../json.ts";
import { isNamedIn, type NamedModel } from "../models/allowed.ts";

export const approvalModes = ["auto", "request", "result", "both"] as const;
export const approvalStages = ["request", "result"] as const;
export const approverKinds = ["others", "self"] as const;
export type ApprovalStage = (typeof approvalStages)[number];

export type HeldContent = ApprovalStage | "edited" | "edited-result";

/** Any matching condition suffices; none means every call. */
export interface ApprovalConditions {
  /** maximum cost in USD; an unknown price always exceeds it */
  costUsdAbove?: number;
  models?: string[];
  servers?: string[];
  tools?: string[];
  modalities?: string[];
}

/** A condition of the rule that holds for a call, as the rule was at that time. */
export type ApprovalCondition =
  /** `costUsd`: the most that the call can cost, with failover; `null` without a known price */
  | { name: "costUsdAbove"; limitUsd: number; costUsd: number | null }
  | { name: "models" | "servers" | "tools" | "modalities"; matches: string[] };

export interface ApprovalPolicy {
  mode: (typeof approvalModes)[number];
  when?: ApprovalConditions;
  timeoutSeconds?: number;
  onTimeout?: "deny" | "approve";
  /** `self`: users may approve their own calls; absent: others */
  approvers?: (typeof approverKinds)[number];
  webhookUrl?: string;
}

export const defaultTimeoutSeconds = 3_600;
export const minTimeoutSeconds = 60;
export const maxTimeoutSeconds = 86_400;
/** Counts of held calls. Keys and servers are limited to a share of the tenant's. */
export interface HeldCalls {
  key: number;
  server: number;
  tenant: number;
}

export const maxHeldCalls: Readonly<HeldCalls> = { key: 50, server: 100, tenant: 200 };

export const fullOfHeld = (held: HeldCalls): keyof HeldCalls | null =>
  (["key", "server", "tenant"] as const).find((scope) => held[scope] >= maxHeldCalls[scope]) ??
  null;
/** How long an approved call waits for its caller, in ms. */
export const approvedCallTtlMs = 600_000;
/** How long repeated requests get the result of a decided call, in ms. */
export const decidedResultTtlMs = 86_400_000;

export interface ApprovalFacts {
  costMicroUsd: number | null;
  model: NamedModel;
  server: string | null;
  tool: string | null;
  modalities: readonly string[];
}

export interface NewApproval {
  stage: ApprovalStage;
  deadline: number;
  onTimeout: "deny" | "approve";
  conditions: ApprovalCondition[];
  contentHash: string;
  parts: string[];
  webhook?: ApprovalWebhook;
}

export interface ApprovalWebhook {
  url: string;
  notice: JsonObject;
}

export interface ApprovalNeed {
  stages: ApprovalStage[];
  /** matching conditions; empty: every call needs approval */
  conditions: ApprovalCondition[];
  timeoutMs: number;
  onTimeout: "deny" | "approve";
  webhookUrl: string | null;
}

export const approvalRuleOf = (
  tenant: { approval?: ApprovalPolicy },
  server: { approval?: ApprovalPolicy } | null,
): ApprovalPolicy | undefined => server?.approval ?? tenant.approval;

function conditionsThatHold(when: ApprovalConditions, facts: ApprovalFacts): ApprovalCondition[] {
  const { costUsdAbove: limitUsd, models = [], servers = [], tools = [], modalities = [] } = when;
  const { costMicroUsd, model, server, tool } = facts;
  const costUsd = costMicroUsd === null ? null : costMicroUsd / 1e6;
  const matches = {
    models: models.filter((each) => isNamedIn([each], model)),
    servers: servers.filter((each) => each === server),
    tools: tools.filter((each) => each === tool),
    modalities: modalities.filter((each) => facts.modalities.includes(each)),
  };
  return [
    ...(limitUsd !== undefined && (costUsd === null || costUsd > limitUsd)
      ? [{ name: "costUsdAbove", limitUsd, costUsd } as const]
      : []),
    ...(["models", "servers", "tools", "modalities"] as const).flatMap((name) =>
      matches[name].length === 0 ? [] : { name, matches: matches[name] },
    ),
  ];
}

export function approvalNeeded(
  rule: ApprovalPolicy | undefined,
  facts: ApprovalFacts,
): ApprovalNeed | null {
  if (rule === undefined || rule.mode === "auto") return null;
  const { when, mode } = rule;
  const isForAll = when === undefined || Object.keys(when).length === 0;
  const conditions = isForAll ? [] : conditionsThatHold(when, facts);
  if (!isForAll && conditions.length === 0) return null;
  return {
    stages: mode === "both" ? ["request", "result"] : [mode],
    conditions,
    timeoutMs: (rule.timeoutSeconds ?? defaultTimeoutSeconds) * 1_000,
    onTimeout: rule.onTimeout ?? "deny",
    webhookUrl: rule.webhookUrl ?? null,
  };
}

/** A decision in the audit record, with hashes of content. */
export interface ApprovalVerdict {
  stage: ApprovalStage;
  verdict: "approved" | "denied" | "expired";
  /** the operator, a key id, or `timeout` */
  by: string;
  /** keyed hash of the approver's issuer and subject */
  subject?: string;
  isOwn?: true;
  at: number;
  comment?: string;
  contentHash: string;
  edited?: ApprovalEdits;
}

export interface ApprovalEdits {
  content?: string;
  model?: string;
  /** of a denial, for the caller */
  explanation?: string;
}
