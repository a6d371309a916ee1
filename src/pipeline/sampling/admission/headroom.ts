import type { CallBounds } from "../../../domain/choice/policy.ts";
import type { Model } from "../../../domain/models/model.ts";
import type { Requirements } from "../../../domain/requirements.ts";
import {
  headroomOf,
  reasoningOf,
  writableTokens,
  type ReasoningRequest,
} from "../../../domain/models/reasoning.ts";
import { costMicroUsd, maxUsage } from "../../../domain/models/cost.ts";

export interface Costing {
  tokens: number;
  microUsd: number | null;
  reasoning: ReasoningRequest;
  maxTokens: number;
}

function costingWith(model: Model, needs: Requirements, headroom: number): Costing {
  const { sent, metadata } = reasoningOf(model, needs.reasoning);
  const room = { ...needs, reasoning: { ...needs.reasoning, tokens: headroom } };
  const usage = maxUsage(model, room);
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    microUsd: costMicroUsd(model, usage),
    reasoning: { sent, metadata, headroom: headroomOf(model, room) },
    maxTokens: needs.maxTokens,
  };
}

/**
 * If not even the text fits, admission names the limit.
 * @param asked at most, in this model's tokens
 */
export function costingOf(model: Model, asked: Requirements, bounds: CallBounds): Costing {
  const needs = { ...asked, maxTokens: writableTokens(model, asked) };
  const wanted = headroomOf(model, needs);
  const full = costingWith(model, needs, wanted);
  const { microUsd } = full;
  const isWithin = full.tokens <= bounds.tokens && (microUsd ?? 0) <= bounds.microUsd;
  if (wanted === 0 || isWithin) return full;
  const bare = costingWith(model, needs, 0);
  const perToken = ((microUsd ?? 0) - (bare.microUsd ?? 0)) / wanted;
  const byMoney =
    perToken > 0 ? (bounds.microUsd - (bare.microUsd ?? 0)) / perToken : Number.POSITIVE_INFINITY;
  const left = Math.floor(Math.min(wanted, bounds.tokens - bare.tokens, byMoney));
  return costingWith(model, needs, Math.max(0, left));
}
