/** The audit record of a sampling request: sizes and hashes, and content only if captured. */
import type { JsonObject } from "../json.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { ModelEndpointName } from "../model-endpoint.ts";
import type { Attempt, RefusedKey } from "../attempts.ts";
import type { CircuitChange } from "../choice/circuits.ts";
import type { HealthChange } from "../choice/health.ts";
import type { LimitCheck } from "../limits/limit-checks.ts";
import { blocksOf, type Priorities, type SamplingCall } from "../sampling/call.ts";
import { type Modality } from "../modality.ts";
import { printableName } from "../printable.ts";
import type { Decision } from "../choice/decision.ts";
import type { Reason, Refusal } from "../refusals.ts";
import type { Usage } from "../usage.ts";

/** `admitted`: still running. `unknown`: the process died, and the call is charged as reserved. */
export const outcomes = [
  "admitted",
  "succeeded",
  "failed",
  "refused",
  "cancelled",
  "unknown",
] as const;
export type Outcome = (typeof outcomes)[number];

export const areOutcomes = (text: string): boolean =>
  text.split(",").every((each) => outcomes.some((outcome) => outcome === each));

export const isCorrectable = ({
  outcome,
  usage,
}: Pick<SamplingRecord, "outcome" | "usage">): boolean =>
  outcome === "unknown" || usage?.implausible === true;

export interface Asked {
  endpoint?: ModelEndpointName;
  /** as the caller names it; absent: the router selects */
  model?: string;
  /** absent: the answer was requested as a whole */
  streamed?: true;
  messages: number;
  characters: number;
  bytes: number;
  inputModalities: Modality[];
  outputModalities: Modality[];
  tools: number;
  maxTokens: number;
  hints: string[];
  priorities: Priorities;
  includeContext: string;
  temperature: number | null;
  declared?: JsonObject;
  tag?: string;
  run?: string;
}

export interface Who {
  tenantId: string;
  keyId: string;
  user?: string;
  groups?: readonly string[];
  sessionId: string | null;
  /** the registered server that asked; null: the caller asked directly */
  serverId: string | null;
  /** the called tool; null: none, or not identified by the stream */
  tool: string | null;
  clientName: string | null;
  clientVersion: string | null;
  revision: string | null;
}

export interface Timing {
  auth: number;
  choose: number;
  approve: number;
  admit: number;
  provider: number;
}

export interface Opening {
  id: string;
  who: Who;
  createdAt: number;
  asked: Asked | null;
  /** hex SHA-256 of `JSON.stringify(params)` without `_meta` */
  contentSha256: string;
}

export interface Correction {
  outcome: "succeeded" | "failed" | "cancelled";
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
  reason: string;
  actor: string;
  at: number;
}

export interface SamplingRecord extends Opening {
  /** format version of the sealed bytes */
  version: 1;
  /** ms since the epoch, when limits and usage counted the call; null: refused */
  admittedAt: number | null;
  outcome: Outcome;
  reason: Reason | null;
  reasonDetail: string | null;
  decision: Decision | null;
  attempts: Attempt[];
  reservedTokens: number | null;
  usage: Usage | null;
  /** of all attempts; null: unknown price */
  costMicroUsd: number | null;
  /** whether the charge exceeds the reservation, in money or limited tokens */
  overshoot: boolean;
  model: string | null;
  timing: Timing | null;
  totalMs: number | null;
  overheadMs: number | null;
  settledAt: number | null;
  /** the record's own figures are unchanged */
  correction: Correction | null;
  /** how often the recorded result was returned again; null: not available */
  replays: number | null;
  captured: boolean;
  held?: true;
}

export interface UnreadableRecord {
  tenantId: string;
  id: string;
  problem: string;
}

export interface Ending {
  outcome: Exclude<Outcome, "admitted" | "refused" | "unknown">;
  reason: Reason | null;
  reasonDetail: string | null;
  attempts: Attempt[];
  usage: Usage | null;
  costMicroUsd: number | null;
  model: string | null;
  timing: Timing;
  totalMs: number;
  overheadMs: number;
}

/** Columns written at admission that the ending's code covers. */
export interface Receipt {
  number: number;
  openingCode: string;
  model: string;
  reservedTokens: number;
  reservedMicroUsd: number | null;
}

type FailingCredential = Pick<RefusedKey, "credentialId" | "readAt"> & { event: AdminEvent };

export interface Settlement extends Ending {
  id: string;
  tenantId: string;
  now: number;
  /** null: the admission's answer was lost, so the row is read first */
  receipt: Receipt | null;
  limitChecks: LimitCheck[];
  /** replaces the reserved tokens in limits */
  chargedTokens: number;
  /** replaces the reserved amount in budgets */
  chargedMicroUsd: number;
  /** the sealed result for idempotent retries; `free`: releases the key; null: no key */
  result: { parts: string[]; expiresAt: number } | "free" | null;
  health: HealthChange[];
  circuits: CircuitChange[];
  probed: boolean;
  failing: FailingCredential[];
  captured: string | null;
}

export function askedOf(call: SamplingCall, bytes: number, inputModalities: Modality[]): Asked {
  let characters = call.systemPrompt?.length ?? 0;
  for (const block of blocksOf(call)) if (block.type === "text") characters += block.text.length;
  return {
    ...(call.model !== undefined && { model: printableName(call.model) }),
    messages: call.messages.length,
    characters,
    bytes,
    inputModalities,
    outputModalities: call.outputModalities,
    tools: call.tools.length,
    maxTokens: call.maxTokens,
    // All hints, because a replay needs them. The codec bounds their number.
    hints: call.hints,
    priorities: call.priorities,
    includeContext: call.includeContext,
    temperature: call.temperature ?? null,
    ...(call.tag !== undefined && { tag: call.tag }),
    ...(call.run !== undefined && { run: call.run }),
  };
}

export function detailOf(refusal: Refusal): string | null {
  switch (refusal.reason) {
    case "invalid_params":
      return refusal.path;
    case "capability_missing":
      return JSON.stringify(refusal.requiredCapabilities);
    case "no_eligible_model": {
      const counts: Record<string, number> = {};
      for (const { excludedBy } of refusal.candidates)
        counts[excludedBy] = (counts[excludedBy] ?? 0) + 1;
      return JSON.stringify(counts);
    }
    case "unavailable":
      return refusal.cause === "resting" ? JSON.stringify({ circuit_open: refusal.models }) : null;
    default:
      return null;
  }
}

export interface RequestFilter {
  from?: number;
  to?: number;
  /** one or more, comma-separated */
  outcome?: string;
  model?: string;
  key?: string;
  user?: string;
  server?: string;
  session?: string;
}

/** Exports don't have these. */
export interface ListFilter extends RequestFilter {
  /** an id, or its end */
  id?: string;
  held?: boolean;
}
