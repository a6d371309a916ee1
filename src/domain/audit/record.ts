/** The audit record of one sampling request. It holds sizes and hashes, and content only when captured. */
import type { JsonObject } from "../json.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { Attempt, RefusedKey } from "../attempts.ts";
import type { CircuitChange } from "../choice/circuits.ts";
import type { HealthChange } from "../choice/health.ts";
import type { Hold } from "../limits/holds.ts";
import { blocksOf, type Priorities, type SamplingCall } from "../sampling/call.ts";
import { type Modality } from "../modality.ts";
import type { Decision } from "../choice/decision.ts";
import type { Reason, Refusal } from "../refusals.ts";
import type { Usage } from "../usage.ts";

/** `admitted`: the call still runs. `unknown`: the call's isolate died, and the call is charged as reserved. */
export const outcomes = [
  "admitted",
  "succeeded",
  "failed",
  "refused",
  "cancelled",
  "unknown",
] as const;
export type Outcome = (typeof outcomes)[number];

/** Whether an operator may say what the call really cost. */
export const isCorrectable = ({
  outcome,
  usage,
}: Pick<SamplingRecord, "outcome" | "usage">): boolean =>
  outcome === "unknown" || usage?.implausible === true;

/** The endpoints for programs that speak to model APIs, as their APIs name them. */
export type ModelEndpointName = "chat.completions" | "responses" | "messages";

/** Counts and names of what was asked, without what was said. */
export interface Asked {
  /** absent: the call came as sampling */
  endpoint?: ModelEndpointName;
  messages: number;
  /** characters of all texts */
  characters: number;
  /** bytes of the request's body */
  bytes: number;
  inputModalities: Modality[];
  outputModalities: Modality[];
  tools: number;
  maxTokens: number;
  hints: string[];
  priorities: Priorities;
  includeContext: string;
  temperature: number | null;
  /** the outline of the capabilities that the request itself declared; absent: its session declared them, or none were declared */
  declared?: JsonObject;
  tag?: string;
  run?: string;
}

export interface Who {
  tenantId: string;
  keyId: string;
  /** id of the person on whose behalf the key calls; absent: the key is of no person */
  user?: string;
  sessionId: string | null;
  /** the registered server whose tool asked; null: the caller asked for itself */
  serverId: string | null;
  /** the tool that was being called; null: none was, or the stream didn't name it */
  tool: string | null;
  clientName: string | null;
  clientVersion: string | null;
  revision: string | null;
}

/** ms each step took, up to settlement. */
export interface Timing {
  auth: number;
  choose: number;
  approve: number;
  admit: number;
  provider: number;
}

/** What is known when the call arrives. */
export interface Opening {
  id: string;
  who: Who;
  /** ms since the epoch */
  createdAt: number;
  asked: Asked | null;
  /** hex SHA-256 of the request's params without their `_meta`, as `JSON.stringify` writes them */
  contentSha256: string;
}

/** The operator's figures for a call whose isolate died, or whose usage was not believed. */
export interface Correction {
  outcome: "succeeded" | "failed" | "cancelled";
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
  why: string;
  actor: string;
  /** ms since the epoch */
  at: number;
}

export interface SamplingRecord extends Opening {
  /** of the record's sealed bytes */
  version: 1;
  /** ms since the epoch, when the limits counted the call, in whose day usage counts it; null: it was refused */
  admittedAt: number | null;
  outcome: Outcome;
  reason: Reason | null;
  /** the limit, path or capability that refused; never content */
  reasonDetail: string | null;
  decision: Decision | null;
  attempts: Attempt[];
  reservedTokens: number | null;
  /** of all attempts together */
  usage: Usage | null;
  /** what was charged, all attempts together; null: no known price */
  costMicroUsd: number | null;
  /** whether more was charged than reserved: money, or tokens where a limit counts them */
  overshoot: boolean;
  model: string | null;
  timing: Timing | null;
  /** ms, arrival to settlement */
  totalMs: number | null;
  /** ms of the total that were not the provider's */
  overheadMs: number | null;
  settledAt: number | null;
  /** an operator's figures; the record's own stay as they were */
  correction: Correction | null;
  /** how often the recorded result was given again; null: it can't be, or no longer */
  replays: number | null;
  captured: boolean;
  /** a person has to approve it; absent: nobody has to, or it has ended */
  held?: true;
}

/**
 * A record whose row can't be read: a number that no driver gives back, a text that is no JSON, an unknown
 * outcome.
 */
export interface UnreadableRecord {
  tenantId: string;
  id: string;
  /** names the column, and never its value */
  problem: string;
}

/** How a call ended, as settlement writes it. */
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

/** The columns that the admission wrote and the code of the end covers. */
export interface Receipt {
  /** among the tenant's records */
  number: number;
  openingCode: string;
  /** `provider/model` that was chosen */
  model: string;
  reservedTokens: number;
  /** null: unknown price */
  reservedMicroUsd: number | null;
}

type FailingCredential = Pick<RefusedKey, "credentialId" | "readAt"> & { event: AdminEvent };

export interface Settlement extends Ending {
  id: string;
  tenantId: string;
  now: number;
  /** null: the admission's answer was lost, so the row is read first */
  receipt: Receipt | null;
  holds: Hold[];
  /** tokens that limits are charged, instead of the reserved ones */
  chargedTokens: number;
  /** money that budgets are charged, instead of the reserved amount; the reservation where nobody knows */
  chargedMicroUsd: number;
  /** the sealed result, for repetitions; `free`: the replay key is free again; null: the call had no key */
  result: { parts: string[]; expiresAt: number } | "free" | null;
  /** how fast the providers answered */
  health: HealthChange[];
  circuits: CircuitChange[];
  /** whether the call held a circuit's probe, which becomes free */
  probed: boolean;
  /** credentials that their provider refused, each with the event that says so */
  failing: FailingCredential[];
  /** sealed JSON of the request and the result, when the policy captures */
  captured: string | null;
}

export function askedOf(call: SamplingCall, bytes: number, inputModalities: Modality[]): Asked {
  let characters = call.systemPrompt?.length ?? 0;
  for (const block of blocksOf(call)) if (block.type === "text") characters += block.text.length;
  return {
    messages: call.messages.length,
    characters,
    bytes,
    inputModalities,
    outputModalities: call.outputModalities,
    tools: call.tools.length,
    maxTokens: call.maxTokens,
    // All hints, or the decision could not be replayed. The codec bounds how many there are.
    hints: call.hints,
    priorities: call.priorities,
    includeContext: call.includeContext,
    temperature: call.temperature ?? null,
    ...(call.tag !== undefined && { tag: call.tag }),
    ...(call.run !== undefined && { run: call.run }),
  };
}

/** What a record says about its refusal: places, capabilities, counts; never content. */
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
  outcome?: Outcome;
  model?: string;
  key?: string;
  /** the person's id */
  user?: string;
  /** the server's id */
  server?: string;
  session?: string;
}
