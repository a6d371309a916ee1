/**
 * A broken or hostile endpoint could exhaust budgets with implausible counts; such calls are charged as
 * reserved.
 */
import { estimateInputTokens, inputModalitiesOf, maxInputTokens } from "./estimate.ts";
import { maxPlausibleTokens } from "../magnitudes.ts";
import type { ProviderRequest } from "./providers.ts";
import { tokenFamilyOf } from "../tokens/tokenizers.ts";
import { usageWith } from "../models/cost.ts";
import { type Usage } from "../usage.ts";

/** Providers add system prompts and search results, and may exceed `maxTokens`, but not tenfold. */
const generousTimes = 10;
/** Allowance for hidden preambles of short requests. */
const generousTokens = 10_000;
const longestContext = 10_000_000;

const generous = (tokens: number): number => generousTimes * tokens + generousTokens;

export function plausibleUsage(
  usage: Usage,
  request: Pick<ProviderRequest, "call" | "model" | "maxTokens" | "reasoning">,
): Usage {
  const { call, model, maxTokens } = request;
  const { outputModalities, passing } = call;
  const asked = passing === undefined ? {} : { passing };
  const headroom = request.reasoning?.headroom ?? 0;
  const maxOutputOf = (inputTokens: number): number =>
    Math.min(
      maxPlausibleTokens,
      generous(
        usageWith(model, { inputTokens, maxTokens, outputModalities, ...asked }, headroom)
          .outputTokens,
      ),
    );
  // Skips measuring the input for ordinary answers.
  if (usage.inputTokens <= generousTokens && usage.outputTokens <= maxOutputOf(0)) return usage;
  const estimated = estimateInputTokens(call, tokenFamilyOf(model));
  const context = model.contextTokens ?? longestContext;
  // The declared context may be too small.
  const maxInput = Math.min(maxPlausibleTokens, Math.max(generous(estimated), 2 * context));
  const inputTokens = maxInputTokens(estimated);
  if (usage.inputTokens <= maxInput && usage.outputTokens <= maxOutputOf(inputTokens)) return usage;
  const inputModalities = inputModalitiesOf(call);
  const needs = { inputTokens, maxTokens, inputModalities, outputModalities, ...asked };
  const expected = usageWith(model, needs, headroom);
  return { ...expected, estimated: true, implausible: true };
}
