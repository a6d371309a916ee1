import { costMicroUsd, maxUsage } from "../models/cost.ts";
import { wantedHeadroom, writableTokens } from "../models/reasoning.ts";
import type { ExclusionReason } from "../requirements.ts";
import { misfitOf } from "../wires/demands.ts";
import { rankOfNamed } from "./named-models.ts";
import { speaks } from "../wires/spoken.ts";
import { imageBit, textBit, type CompiledRequirements } from "./compiled-requirements.ts";
import type { PoolPolicy } from "./model-pool.ts";
import type { CallBounds } from "./policy.ts";
import type { RankedModel } from "./ranked-model.ts";

function hasReasoningRoom(
  entry: RankedModel,
  compiled: CompiledRequirements,
  { textTokens, bounds }: { textTokens: number; bounds?: CallBounds | undefined },
): boolean {
  const { minReasoning } = entry;
  const { needs } = compiled;
  const { reasoning } = needs;
  if (reasoning?.shrinks === true) return true;
  const wanted =
    reasoning === undefined ? minReasoning.room : wantedHeadroom(entry.model, reasoning);
  if (wanted === 0) return true;
  if (reasoning?.roomless === true) return false;
  const inputTokens = compiled.maxInputTokens[entry.familyIndex] ?? 0;
  const outputTokens = textTokens + wanted;
  if (outputTokens > entry.outputTokens || inputTokens + outputTokens > entry.contextTokens)
    return false;
  if (bounds === undefined) return true;
  if (inputTokens + outputTokens > bounds.tokens) return false;
  if (bounds.microUsd === Number.POSITIVE_INFINITY) return true;
  const usage = maxUsage(entry.model, { ...needs, inputTokens, maxTokens: textTokens });
  return (costMicroUsd(entry.model, usage) ?? 0) <= bounds.microUsd;
}

export function hintOnlyReason(
  { isPreview, isUnpriced, isUnrated, outputBits }: RankedModel,
  policy: PoolPolicy,
  compiled: CompiledRequirements,
): "preview" | "image_model" | "unknown_price" | "unknown_class" | null {
  if (isUnrated) return "unknown_class";
  if ((outputBits & imageBit) !== 0 && (compiled.outputBits & imageBit) === 0) return "image_model";
  if (isUnpriced) return "unknown_price";
  return isPreview && policy.previews !== "allowed" ? "preview" : null;
}

export function exclusionOf(
  entry: RankedModel,
  compiled: CompiledRequirements,
  bounds?: CallBounds,
): ExclusionReason | null {
  const { needs } = compiled;
  if (needs.model !== undefined && rankOfNamed(entry.model, needs) === -1) return "not_named";
  const { exclusion } = entry;
  if (exclusion !== null) return exclusion;
  const { endpoint, passing } = compiled.needs;
  const passesUnchanged = endpoint !== undefined && speaks(entry.model, endpoint);
  if (!passesUnchanged && (passing?.losses.length ?? 0) > 0) return "not_translatable";
  if ((entry.inputBits & compiled.inputBits) !== compiled.inputBits) return "input_modality";
  if ((entry.outputBits & compiled.outputBits) !== compiled.outputBits) return "output_modality";
  if (compiled.tools && !entry.tools) return "tools";
  // `maxTokens` only bounds text, not images or speech.
  const inputTokens = compiled.maxInputTokens[entry.familyIndex] ?? 0;
  const { maxTokens } = compiled;
  const textTokens =
    (entry.outputBits & textBit) === 0 ? 0 : writableTokens(entry, { inputTokens, maxTokens });
  if (inputTokens + textTokens > entry.contextTokens) return "context_window";
  const misfit =
    passesUnchanged || compiled.needs.wire === undefined
      ? null
      : misfitOf(entry.model, compiled.needs.wire);
  if (misfit !== null) return misfit;
  // A request that passes unchanged has one limit for reasoning and text together.
  if (
    !passesUnchanged &&
    textTokens > 0 &&
    !hasReasoningRoom(entry, compiled, { textTokens, bounds })
  )
    return "reasoning_room";
  // Last, so that other reasons are reported first.
  return entry.openUntil === undefined ? null : "circuit_open";
}
