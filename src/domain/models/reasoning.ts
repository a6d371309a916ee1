import { efforts, type Effort, type ReasoningNeeds } from "../requirements.ts";

/** The ways in which an effort travels; `providers/reasoning.ts` says what each puts on the wire. */
export const sendings = [
  /** `reasoning_effort` (Chat Completions) or `reasoning.effort` (Responses), by the effort's name */
  "reasoning_effort",
  /** the same, but the only word for more than `none` is `default` */
  "reasoning_effort_default",
  /** the same, but the only word that is taken is `none` */
  "reasoning_effort_off",
  /** `thinking: {type: enabled | disabled}`, with `reasoning_effort` when enabled */
  "thinking_toggle",
  /** `reasoning: {enabled}` */
  "reasoning_toggle",
  /** the same, with `reasoning_effort` when enabled */
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
  /** the same, but the template's word for `none` is `thinking: false` */
  "workers_effort_thinking",
] as const;
export type Sending = (typeof sendings)[number];

export interface ReasoningControl {
  /** that the model takes, least first */
  efforts: Effort[];
  /** what the provider does when nothing is sent */
  byDefault: Effort;
  /** how an effort travels */
  sentAs: Sending;
  /** tokens for each effort, where the provider takes a number of them */
  budgets?: Partial<Record<Effort, number>> | undefined;
  /** where that was read */
  source: string;
}

/** What of a model decides how it reasons. */
export interface Reasoner {
  provider: string;
  reasoning: boolean;
  reasoningControl?: ReasoningControl | undefined;
}

/** What of a model decides how much room its reasoning gets. */
export interface Thinker extends Reasoner {
  contextTokens: number | null;
  outputTokens: number | null;
}

/** Whether the model reasons whatever is asked of it, so that room for it is needed. */
export const alwaysReasons = ({
  reasoning,
  reasoningControl,
}: Pick<Reasoner, "reasoning" | "reasoningControl">): boolean =>
  reasoning && reasoningControl?.efforts[0] !== "none";

/**
 * Tokens, unless the policy says otherwise. OpenAI advises to leave 25,000 for a first trial at any
 * effort; most calls here ask for the least, whose share is a quarter of this or less. Room that is not
 * used costs nothing, but it is reserved: at 2 USD per million tokens this is 0.03 USD.
 */
export const defaultReasoningTokens = 16_384;

/**
 * Tokens that reasoning at an effort may use: generous for what the providers' own guides and users'
 * reports name, since a model that runs out answers nothing. null: nobody knows the effort.
 */
const roomAt = (effort: Effort | null): number => {
  switch (effort) {
    case "none":
      return 0;
    case "minimal":
      return 2_048;
    case "low":
      return 4_096;
    case "medium":
    case null:
      return 8_192;
    case "high":
      return 16_384;
    case "xhigh":
      return 32_768;
    case "max":
      return 65_536;
  }
};

const rankOf = (effort: Effort): number => efforts.indexOf(effort);

/** Of the efforts that a model takes, the nearest; of two that are as near, the lesser. */
function nearestOf(taken: readonly Effort[], effort: Effort): Effort {
  const far = (each: Effort): number => Math.abs(rankOf(each) - rankOf(effort));
  return taken.reduce((best, each) => (far(each) < far(best) ? each : best), taken[0] ?? effort);
}

/** How a model will reason for a request. */
export interface Reasoning {
  /** null: it reasons, and nobody knows how much */
  effort: Effort | null;
  /** to be sent; null: nothing is */
  sent: Effort | null;
  /** what becomes of the call's own metadata about reasoning */
  metadata: "sent" | "left_out" | "absent";
  /** tokens, before the policy's cap and the model's own limits */
  room: number;
}

const unreasoned: Reasoning = { effort: "none", sent: null, metadata: "absent", room: 0 };

/** The call's metadata has the word; Anthropic's `effort` alone doesn't switch thinking on. */
function asMetadataSays(asked: Effort | number, control: ReasoningControl | undefined): Reasoning {
  const base = { sent: null, metadata: "sent" } as const;
  const isOff = control?.byDefault === "none" && control.sentAs.startsWith("anthropic_");
  if (isOff) return { ...base, effort: "none", room: 0 };
  if (typeof asked === "string") return { ...base, effort: asked, room: roomAt(asked) };
  // -1 is Google's word for "as much as it likes".
  if (asked < 0) return { ...base, effort: null, room: roomAt("high") };
  return { ...base, effort: asked === 0 ? "none" : null, room: asked };
}

const isAboveLeast = (asked: Effort | number, least: Effort): boolean =>
  typeof asked === "number" ? asked !== 0 : rankOf(asked) > rankOf(least);

/** What is asked of a model, and how much room that needs. */
export function reasoningOf(model: Reasoner, needs: ReasoningNeeds = {}): Reasoning {
  const { provider, reasoningControl: control } = model;
  const asked =
    needs.asked !== undefined && Object.hasOwn(needs.asked, provider)
      ? needs.asked[provider]
      : undefined;
  if (!model.reasoning)
    return asked === undefined ? unreasoned : { ...unreasoned, metadata: "sent" };
  const least = control?.efforts[0] ?? "none";
  const leastOnly = needs.leastOnly !== undefined && !needs.leastOnly.except.includes(provider);
  if (asked !== undefined && !(leastOnly && isAboveLeast(asked, least)))
    return asMetadataSays(asked, control);
  const metadata = asked === undefined ? "absent" : "left_out";
  if (control === undefined) return { effort: null, sent: null, metadata, room: roomAt(null) };
  const wish = leastOnly ? "least" : (needs.wish ?? "least");
  const effort =
    wish === "provider"
      ? control.byDefault
      : wish === "least"
        ? least
        : nearestOf(control.efforts, wish.effort);
  // The provider does it by itself, or can do nothing else: a parameter could only be refused.
  const isSilent =
    wish === "provider" ||
    control.efforts.length === 1 ||
    (effort === "none" && control.byDefault === "none");
  const room = effort === "none" ? 0 : Math.max(roomAt(effort), control.budgets?.[effort] ?? 0);
  return { effort, sent: isSilent ? null : effort, metadata, room };
}

/** What a provider is told of one call's reasoning. */
export interface ReasoningRequest extends Pick<Reasoning, "sent" | "metadata"> {
  /** tokens beside those of the visible text */
  headroom: number;
}

/** Tokens that a model wants for its reasoning, before its own limits. */
export function wantedHeadroom(model: Reasoner, needs: ReasoningNeeds | undefined): number {
  if (!model.reasoning) return 0;
  return Math.min(reasoningOf(model, needs).room, needs?.tokens ?? defaultReasoningTokens);
}

const isThinker = (model: Partial<Thinker>): model is Thinker =>
  model.reasoning === true && model.provider !== undefined;

/** Tokens: Anthropic takes no smaller budget. */
export const leastAnthropicBudget = 1_024;

/** Tokens that a model gets for its reasoning: what it wants, as far as its own limits leave it. */
export function headroomOf(
  model: Partial<Thinker>,
  needs: { inputTokens: number; maxTokens: number; reasoning?: ReasoningNeeds | undefined },
): number {
  if (!isThinker(model)) return 0;
  const wanted = wantedHeadroom(model, needs.reasoning);
  if (wanted === 0 || needs.reasoning?.roomless === true) return 0;
  const ofOutput = (model.outputTokens ?? Number.POSITIVE_INFINITY) - needs.maxTokens;
  const ofContext =
    (model.contextTokens ?? Number.POSITIVE_INFINITY) - needs.maxTokens - needs.inputTokens;
  const room = Math.max(0, Math.min(wanted, ofOutput, ofContext));
  // With a smaller budget it is not asked to think, so it needs no room.
  const isTooSmall =
    model.reasoningControl?.sentAs === "anthropic_budget" && room < leastAnthropicBudget;
  return isTooSmall ? 0 : room;
}

/** Room is generous: most of it is never used. */
const likelyShare = 1 / 8;

/**
 * Tokens that a model's reasoning will likely use of its room. At `minimal` models seldom reason at all
 * (OpenAI's guide: "few or no reasoning tokens").
 */
export function likelyReasoningOf(
  model: Partial<Thinker>,
  needs: Parameters<typeof headroomOf>[1],
): number {
  const room = headroomOf(model, needs);
  if (room === 0) return 0;
  const { provider = "", reasoning = false, reasoningControl } = model;
  const { effort } = reasoningOf({ provider, reasoning, reasoningControl }, needs.reasoning);
  return effort === "minimal" ? 0 : Math.ceil(room * likelyShare);
}
