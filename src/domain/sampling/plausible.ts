/**
 * Whether a provider can mean what it counted. A broken or hostile endpoint may report anything, and what it
 * reports is charged to budgets: figures beyond any sense are not believed, but charged as reserved, marked,
 * and left to an operator to correct.
 */
import { estimateInputTokens, inputModalitiesOf, mostInputTokens } from "./estimate.ts";
import { mostTokensBelieved } from "../magnitudes.ts";
import type { ProviderRequest } from "./providers.ts";
import { tokenFamilyOf } from "../tokens/tokenizers.ts";
import { usageWith } from "../models/cost.ts";
import { type Usage } from "../usage.ts";

/**
 * How far beyond what was asked a count may lie. Providers add system prompts, search results and tool
 * preambles; some take `maxTokens` for a wish. Nobody reports ten times as much and means it.
 */
const generousTimes = 10;
/** Beyond that, for short requests: a hidden preamble is long beside "hello". */
const generousTokens = 10_000;
/** No model reads more: the longest context on sale is 10 million tokens. */
const longestContext = 10_000_000;

const generous = (tokens: number): number => generousTimes * tokens + generousTokens;

/** The usage as reported. A usage that no provider can mean is replaced by what a reservation holds, and marked. */
export function believedUsage(
  usage: Usage,
  request: Pick<ProviderRequest, "call" | "model" | "maxTokens" | "reasoning">,
): Usage {
  const { call, model, maxTokens } = request;
  const { outputModalities } = call;
  const headroom = request.reasoning?.headroom ?? 0;
  const mostOutputOf = (inputTokens: number): number =>
    Math.min(
      mostTokensBelieved,
      generous(
        usageWith(model, { inputTokens, maxTokens, outputModalities }, headroom).outputTokens,
      ),
    );
  // The input is measured where that decides, and not for every answer.
  if (usage.inputTokens <= generousTokens && usage.outputTokens <= mostOutputOf(0)) return usage;
  const estimated = estimateInputTokens(call, tokenFamilyOf(model));
  const context = model.contextTokens ?? longestContext;
  // The declared context may be too small. Twice the context, or twice our estimate, is beyond
  // doubt.
  const mostInput = Math.min(mostTokensBelieved, Math.max(generous(estimated), 2 * context));
  const inputTokens = mostInputTokens(estimated);
  if (usage.inputTokens <= mostInput && usage.outputTokens <= mostOutputOf(inputTokens))
    return usage;
  const inputModalities = inputModalitiesOf(call);
  const needs = { inputTokens, maxTokens, inputModalities, outputModalities };
  const expected = usageWith(model, needs, headroom);
  return { ...expected, estimated: true, implausible: true };
}
