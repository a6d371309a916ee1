import type { Effort } from "../requirements.ts";

/** How providers accept an effort; implemented in `providers/reasoning.ts`. */
export const sendings = [
  /** `reasoning_effort` (Chat Completions) or `reasoning.effort` (Responses) */
  "reasoning_effort",
  /** only `none` and `default` */
  "reasoning_effort_default",
  /** only `none` */
  "reasoning_effort_off",
  /** `thinking: {type: enabled | disabled}`, with `reasoning_effort` when enabled */
  "thinking_toggle",
  /** `reasoning: {enabled}` */
  "reasoning_toggle",
  /** `reasoning_toggle` with `reasoning_effort` when enabled */
  "reasoning_toggle_effort",
  /** Anthropic's `thinking: {type: enabled, budget_tokens}`; off when absent */
  "anthropic_budget",
  /** Anthropic's `thinking: {type: adaptive | disabled}`, with `output_config.effort` unless disabled */
  "anthropic_adaptive",
  /** Google's `thinkingConfig.thinkingBudget` */
  "google_budget",
  /** Google's `thinkingConfig.thinkingLevel` */
  "google_level",
  /** Workers AI's `reasoning_effort`; `none` is `chat_template_kwargs.enable_thinking: false` */
  "workers_effort",
  /** like `workers_effort`, but `none` is `thinking: false` */
  "workers_effort_thinking",
] as const;
export type Sending = (typeof sendings)[number];

export interface ReasoningControl {
  efforts: Effort[];
  byDefault: Effort;
  sentAs: Sending;
  budgets?: Partial<Record<Effort, number>> | undefined;
  source: string;
}
