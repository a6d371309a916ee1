import type { Asking } from "./decision.ts";
import type { ModelPool } from "./model-pool.ts";
import { weightsOf } from "./score.ts";
import type { Requirements } from "../requirements.ts";
import { cacheWritesOf } from "../sampling/cache-writes.ts";
import type { SamplingCall } from "../sampling/call.ts";
import { inputModalitiesOf, measureInput, tokensMeasured } from "../sampling/estimate.ts";
import { reasoningNeedsOf } from "../sampling/reasoning-needs.ts";
import type { NegotiationRecord } from "../sampling/shaping.ts";
import { toolLoopOf } from "../sampling/tool-loop.ts";
import { demandsOf } from "../wires/demands.ts";

export function requirementsOf(
  call: SamplingCall,
  { policy, families }: Pick<ModelPool, "policy" | "families">,
): Requirements {
  const input = measureInput(call);
  const estimates = families.map((family) => [family, tokensMeasured(input, family)] as const);
  const reasoning = reasoningNeedsOf(call, policy);
  const cacheWrites = cacheWritesOf(call, policy.promptCaching);
  const wire = demandsOf(call);
  return {
    inputModalities: inputModalitiesOf(call),
    outputModalities: call.outputModalities,
    tools: call.tools.length > 0,
    inputTokens:
      estimates.length === 0
        ? tokensMeasured(input, "other")
        : Math.max(...estimates.map(([, tokens]) => tokens)),
    inputTokensByFamily: Object.fromEntries(estimates),
    ...(call.model === undefined ? {} : { model: call.model }),
    ...(call.fallbacks === undefined ? {} : { fallbacks: call.fallbacks }),
    ...(call.endpoint === undefined ? {} : { endpoint: call.endpoint }),
    maxTokens: Math.min(call.maxTokens, policy.maxTokens ?? call.maxTokens),
    ...(cacheWrites === undefined ? {} : { cacheWrites }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(wire === undefined ? {} : { wire }),
    ...(call.passing === undefined ? {} : { passing: call.passing }),
  };
}

function notesOf(call: SamplingCall, needs: Requirements): string[] {
  const notes: string[] = [];
  if (call.includeContext !== "none")
    notes.push(`includeContext "${call.includeContext}" treated as "none"`);
  if (needs.maxTokens < call.maxTokens) notes.push(`maxTokens capped by policy`);
  return notes;
}

export function askingOf(
  call: SamplingCall,
  pool: ModelPool,
  negotiation: NegotiationRecord | null = null,
): Asking {
  const needs = requirementsOf(call, pool);
  const weights = weightsOf(call.priorities);
  const notes = notesOf(call, needs);
  const toolLoop = toolLoopOf(call);
  const { hints, alias } = call;
  return {
    needs,
    hints,
    weights,
    notes,
    negotiation,
    toolLoop,
    ...(alias !== undefined && { alias: { name: alias, hints } }),
  };
}
