/**
 * The choice: feasible first, then preferred, and explained. Pure: the same request, field and catalogue
 * version give the same decision.
 */
import { choicesOf, type Choice } from "./choices.ts";
import {
  excludedOf,
  explain,
  isOf,
  lateLevel,
  loopLevel,
  unhintedLevel,
  type Asking,
  type Decision,
} from "./decision.ts";
import { inputModalitiesOf, measureInput, tokensMeasured } from "../sampling/estimate.ts";
import { withSpares, type ModelPool } from "./model-pool.ts";
import { narrow, type Narrowed } from "./hints.ts";
import type { Requirements } from "../requirements.ts";
import { cacheWritesOf } from "../sampling/cache-writes.ts";
import { reasoningNeedsOf } from "../sampling/reasoning-needs.ts";
import type { Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import type { SamplingCall } from "../sampling/call.ts";
import { scoreAll, weightsOf, type Order } from "./score.ts";
import type { NegotiationRecord } from "../sampling/shaping.ts";
import { reasonOf, settleAsides, sieve } from "./sieve.ts";
import { compileRequirements } from "./compiled-requirements.ts";
import { credentialsLedBy, toolLoopOf } from "../sampling/tool-loop.ts";

export interface Plan {
  requirements: Requirements;
  /** the best few of each credential, in order; whatever faults there are, a call goes to one of these */
  choices: Choice[];
  /** circuits that one call may try, by scope, with the time of their last change */
  halfOpen: ReadonlyMap<string, number>;
  decision: Decision;
}

const roomlessNote = "reasoning: the limits had no room left for it";

export function requirementsOf(
  call: SamplingCall,
  { policy, families }: Pick<ModelPool, "policy" | "families">,
): Requirements {
  const input = measureInput(call);
  const estimates = families.map((family) => [family, tokensMeasured(input, family)] as const);
  const reasoning = reasoningNeedsOf(call, policy);
  const cacheWrites = cacheWritesOf(call, policy.promptCaching);
  return {
    inputModalities: inputModalitiesOf(call),
    outputModalities: call.outputModalities,
    tools: call.tools.length > 0,
    inputTokens:
      estimates.length === 0
        ? tokensMeasured(input, "other")
        : Math.max(...estimates.map(([, tokens]) => tokens)),
    inputTokensByFamily: Object.fromEntries(estimates),
    maxTokens: Math.min(call.maxTokens, policy.maxTokens ?? call.maxTokens),
    ...(cacheWrites === undefined ? {} : { cacheWrites }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function notesOf(call: SamplingCall, needs: Requirements): string[] {
  const notes: string[] = [];
  if (call.includeContext !== "none")
    notes.push(`includeContext "${call.includeContext}" treated as "none"`);
  if (needs.maxTokens < call.maxTokens) notes.push(`maxTokens capped by policy`);
  return notes;
}

/**
 * For a field without a feasible model: the refusal where only open circuits stand in the way; null: something
 * else does.
 */
function openIn(
  { entries, circuits }: ModelPool,
  out: Uint8Array,
): { spare: true } | { spare: false; refusal: Refusal } | null {
  const open = entries.filter((_, at) => reasonOf(out[at]) === "circuit_open");
  if (open.length === 0) return null;
  if (open.some(({ spareIds }) => (spareIds ?? []).length > 0)) return { spare: true };
  const until = Math.min(...open.map(({ openUntil }) => openUntil ?? 0));
  const retryAfterMs = Math.max(1, until - (circuits?.now ?? 0));
  return { spare: false, refusal: { reason: "unavailable", retryAfterMs } };
}

/**
 * Chooses. A refusal lists every model that has a credential, with what excluded it. A model whose reasoning
 * wants more room than its limits have is skipped; where there is no other model, the room shrinks instead. A
 * model behind an open circuit is asked where nothing else is feasible even then.
 */
export function decide(asking: Asking, field: ModelPool): Result<Plan, Refusal> {
  const roomy = decideWith(asking, field);
  if (roomy.ok) return roomy;
  const { needs } = asking;
  const shrunk = { ...needs, reasoning: { ...needs.reasoning, shrinks: true as const } };
  const tight = decideWith({ ...asking, needs: shrunk }, field);
  if (tight.ok) return tight;
  const waiting = openIn(field, tight.error);
  if (waiting?.spare === true) return decide(asking, withSpares(field));
  return err(
    waiting?.refusal ?? {
      reason: "no_eligible_model",
      cause: field.entries.length === 0 ? "no_known_model" : "all_excluded",
      requirements: needs,
      candidates: excludedOf(field, tight.error).map(({ provider, model, excludedBy }) => ({
        model: `${provider}/${model}`,
        excludedBy: excludedBy ?? "no_credential",
      })),
    },
  );
}

/** Levels by place among the feasible. `begun`: position of the model that began the tool loop; -1: none. */
function levelsOf(
  { columns: { isLate } }: ModelPool,
  positions: Uint32Array,
  { narrowed, begun }: { narrowed: Narrowed; begun: number },
): Uint16Array {
  const levels = new Uint16Array(positions.length);
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    const hinted = narrowed.levels?.[at] ?? 0;
    const unhinted = isLate[at] === 1 ? lateLevel : unhintedLevel;
    levels[place] = at === begun ? loopLevel : hinted === 0 ? unhinted : hinted;
  }
  return levels;
}

/** The error holds, by position in the field, why each model is out. */
function decideWith(asking: Asking, field: ModelPool): Result<Plan, Uint8Array> {
  const { needs, hints, weights, toolLoop = null } = asking;
  const { served } = field;
  const compiled = compileRequirements(needs);
  const sieved = sieve(field, compiled);
  const { out, aside } = sieved;
  const begun =
    toolLoop === null
      ? -1
      : served.findIndex((model, at) => out[at] === 0 && isOf(toolLoop, model));
  // The loop stays with its model, whatever brought the model into the loop.
  if (begun !== -1) aside[begun] = 0;
  const narrowed = narrow(
    hints,
    {
      models: served,
      isFeasible: (at) => out[at] === 0,
      isAside: (at) => aside[at] !== 0,
    },
    field.models,
  );
  const positions = settleAsides(sieved, narrowed);
  if (positions.length === 0) return err(out);
  const scores = scoreAll({ field, entries: positions, compiled, weights });
  const order: Order = { scores, levels: levelsOf(field, positions, { narrowed, begun }) };
  const choices = choicesOf(order).map((choice) =>
    toolLoop !== null && isOf(toolLoop, choice.model)
      ? { ...choice, credentialIds: credentialsLedBy(choice.credentialIds, toolLoop.credentialId) }
      : choice,
  );
  return ok({
    requirements: needs,
    choices,
    halfOpen: field.circuits?.halfOpen ?? new Map(),
    decision: explain(asking, field, { order, narrowed, out }),
  });
}

/** Chooses again for limits that have nothing left for reasoning; null: the plan has no room for it already. */
export function planWithoutRoom(plan: Plan, asking: Asking, field: ModelPool): Plan | null {
  const { reasoning } = plan.requirements;
  if (reasoning?.roomless === true) return null;
  const { toolLoop = null } = asking;
  const needs = {
    ...plan.requirements,
    reasoning: {
      ...reasoning,
      roomless: true as const,
      // A tool loop stays with the model that began it.
      ...(toolLoop !== null && { shrinks: true as const }),
    },
  };
  const notes = [...asking.notes, roomlessNote];
  const roomless = decide({ ...asking, needs, notes }, field);
  return roomless.ok ? roomless.value : null;
}

/** `negotiation` is for the record alone. */
export function askingOf(
  call: SamplingCall,
  field: ModelPool,
  negotiation: NegotiationRecord | null = null,
): Asking {
  const needs = requirementsOf(call, field);
  const weights = weightsOf(call.priorities);
  const notes = notesOf(call, needs);
  const toolLoop = toolLoopOf(call);
  return { needs, hints: call.hints, weights, notes, negotiation, toolLoop };
}

export const choose = (call: SamplingCall, field: ModelPool): Result<Plan, Refusal> =>
  decide(askingOf(call, field), field);
