/**
 * Reasoning options per adapter. The AI SDK's general `reasoning` option sends `none` to models that reject it
 * and enables thinking that was off.
 */
import { reasoningKeyOf } from "../domain/sampling/reasoning-needs.ts";
import { minAnthropicBudget } from "../domain/models/reasoning.ts";
import type { ReasoningControl, Sending } from "../domain/models/reasoning-control.ts";
import { type Effort } from "../domain/requirements.ts";
import type { JsonObject } from "../domain/json.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";

/** Tokens that the catalogue lists for the effort, within the available room. */
const budgetFor = (control: ReasoningControl, effort: Effort, headroom: number): number => {
  const listed = control.budgets?.[effort] ?? headroom;
  const positive = Object.values(control.budgets ?? {}).filter((tokens) => tokens > 0);
  const lowest = Math.min(listed, ...positive);
  return Math.max(lowest, Math.min(listed, headroom));
};

interface Sent {
  effort: Effort;
  control: ReasoningControl;
  headroom: number;
}

const either = (effort: Effort, off: JsonObject, on: JsonObject): JsonObject =>
  effort === "none" ? off : on;

const ways: Readonly<Record<Sending, (sent: Sent) => JsonObject>> = {
  reasoning_effort: ({ effort }) => ({ reasoningEffort: effort }),
  reasoning_effort_default: ({ effort }) => ({
    reasoningEffort: effort === "none" ? "none" : "default",
  }),
  reasoning_effort_off: ({ effort }) => either(effort, { reasoningEffort: "none" }, {}),
  thinking_toggle: ({ effort }) =>
    either(
      effort,
      { thinking: { type: "disabled" } },
      { thinking: { type: "enabled" }, reasoningEffort: effort },
    ),
  reasoning_toggle: ({ effort }) => ({ reasoning: { enabled: effort !== "none" } }),
  reasoning_toggle_effort: ({ effort }) =>
    either(
      effort,
      { reasoning: { enabled: false } },
      { reasoning: { enabled: true }, reasoningEffort: effort },
    ),
  anthropic_budget: ({ effort, control, headroom }) => {
    const budget = budgetFor(control, effort, headroom);
    // Anthropic requires a budget below max_tokens, to which the adapter adds it.
    const fits = effort !== "none" && headroom >= minAnthropicBudget;
    return fits ? { thinking: { type: "enabled", budgetTokens: budget } } : {};
  },
  // Enabling thinking is rejected with a forced tool.
  anthropic_adaptive: ({ effort, control }) =>
    either(
      effort,
      { thinking: { type: "disabled" } },
      control.byDefault === "none" ? { thinking: { type: "adaptive" }, effort } : { effort },
    ),
  google_budget: ({ effort, control, headroom }) => ({
    thinkingConfig: {
      thinkingBudget: effort === "none" ? 0 : budgetFor(control, effort, headroom),
    },
  }),
  google_level: ({ effort }) => ({ thinkingConfig: { thinkingLevel: effort } }),
  workers_effort: ({ effort }) =>
    either(
      effort,
      { chat_template_kwargs: { enable_thinking: false } },
      { reasoning_effort: effort },
    ),
  workers_effort_thinking: ({ effort }) =>
    either(effort, { chat_template_kwargs: { thinking: false } }, { reasoning_effort: effort }),
};

/** `null` if the request has no reasoning parameters. */
export function reasoningOptions({
  model,
  reasoning,
}: Pick<ProviderRequest, "model" | "reasoning">): JsonObject | null {
  const control = model.reasoningControl;
  const effort = reasoning?.sent ?? null;
  if (effort === null || control === undefined) return null;
  const options = ways[control.sentAs]({ effort, control, headroom: reasoning?.headroom ?? 0 });
  return Object.keys(options).length === 0 ? null : options;
}

/** Removes the call's own reasoning options if they may not be sent. */
export function withoutReasoning(options: JsonObject | null, provider: string): JsonObject | null {
  if (options === null) return null;
  const { [reasoningKeyOf(provider)]: _, ...rest } = options;
  return Object.keys(rest).length === 0 ? null : rest;
}

/** Tokens that an adapter adds to the limit. */
export function tokensAddedByAdapter(options: JsonObject | null): number {
  const thinking = options?.["thinking"];
  return typeof thinking === "object" && thinking !== null && "budgetTokens" in thinking
    ? Number(thinking["budgetTokens"] ?? 0)
    : 0;
}
