import { isObject, own, type JsonObject } from "../json.ts";
import { optionKeysOf } from "../models/clouds.ts";
import { efforts, type Effort, type ReasoningNeeds, type ReasoningWish } from "../requirements.ts";
import type { SamplingCall, ToolUseBlock } from "./call.ts";
import { providerMetadataKey } from "./tool-loop.ts";

const native: Readonly<Record<string, string>> = {
  anthropic: "effort",
  google: "thinkingConfig",
  // The adapter passes none.
  "workers-ai": "",
};

export const reasoningKeyOf = (provider: string): string =>
  Object.hasOwn(native, provider) ? (native[provider] ?? "") : "reasoningEffort";

const effortIn = (value: unknown): Effort | undefined =>
  efforts.find((effort) => typeof value === "string" && effort === value.toLowerCase());

/** A number is in tokens; undefined: unreadable. */
function askedIn(options: unknown, provider: string): Effort | number | undefined {
  const value = own(options, reasoningKeyOf(provider));
  if (provider !== "google") return effortIn(value);
  const budget = own(value, "thinkingBudget");
  return typeof budget === "number" && Number.isFinite(budget)
    ? Math.max(-1, Math.round(budget))
    : effortIn(own(value, "thinkingLevel"));
}

/** Records contain these names, so they are bounded. */
const providerName = /^[a-z0-9][a-z0-9-]{0,49}$/;
const maxAsked = 20;

function askedBy(metadata: JsonObject): Record<string, Effort | number> | undefined {
  const asked: [string, Effort | number][] = [];
  for (const [provider, options] of Object.entries(metadata)) {
    if (!isObject(options) || !providerName.test(provider)) continue;
    if (asked.length >= maxAsked) break;
    for (const [key, api] of optionKeysOf(provider)) {
      const wish = askedIn(options, api);
      if (wish !== undefined) asked.push([key, wish]);
    }
  }
  return asked.length === 0 ? undefined : Object.fromEntries(asked);
}

/** Keys that return an earlier turn's reasoning to its provider. */
const carriers: ReadonlyMap<string, string> = new Map([["google", "thoughtSignature"]]);

/** A provider signs only the first tool use of a turn. */
const travels = (toolUses: readonly ToolUseBlock[][], provider: string, key: string): boolean =>
  toolUses.every((uses) =>
    uses.some(({ _meta }) => {
      const carried = own(own(own(_meta, providerMetadataKey), provider), key);
      return typeof carried === "string" && carried !== "";
    }),
  );

/** Providers reject forced tools while thinking, and require earlier reasoning, which only tool uses can return. */
function minReasoningOnlyOf({
  toolChoice,
  messages,
}: SamplingCall): { except: string[] } | undefined {
  if (toolChoice === "required") return { except: [] };
  const toolUses = messages
    .map(({ content }) => content.filter((block) => block.type === "tool_use"))
    .filter((uses) => uses.length > 0);
  if (toolUses.length === 0) return undefined;
  const except = [...carriers].flatMap(([provider, key]) =>
    travels(toolUses, provider, key) ? [provider] : [],
  );
  return { except };
}

export function reasoningNeedsOf(
  call: SamplingCall,
  policy: { reasoning?: ReasoningWish; reasoningTokens?: number },
): ReasoningNeeds | undefined {
  const minReasoningOnly = minReasoningOnlyOf(call);
  const asked = askedBy(call.metadata);
  const wish = call.reasoning ?? policy.reasoning;
  const needs: ReasoningNeeds = {
    ...(wish === undefined || wish === "least" ? {} : { wish }),
    ...(policy.reasoningTokens === undefined ? {} : { tokens: policy.reasoningTokens }),
    ...(minReasoningOnly === undefined ? {} : { minReasoningOnly }),
    ...(asked === undefined ? {} : { asked }),
  };
  return Object.keys(needs).length === 0 ? undefined : needs;
}
