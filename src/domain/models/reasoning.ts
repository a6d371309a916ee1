import { efforts, type Effort, type ReasoningNeeds } from "../requirements.ts";

/** The ways to send an effort. `providers/reasoning.ts` says what each way puts on the wire. */
export const sendings = [
  /** `reasoning_effort` (Chat Completions) or `reasoning.effort` (Responses), by the effort's name */
  "reasoning_effort",
  /** like `reasoning_effort`, but the only word for more than `none` is `default` */
  "reasoning_effort_default",
  /** like `reasoning_effort`, but the only word that is taken is `none` */
  "reasoning_effort_off",
  /** `thinking: {type: enabled | disabled}`, with `reasoning_effort` when enabled */
  "thinking_toggle",
  /** `reasoning: {enabled}` */
  "reasoning_toggle",
  /** like `reasoning_toggle`, with `reasoning_effort` when enabled */
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
  /** like `workers_effort`, but the template's word for `none` is `thinking: false` */
  "workers_effort_thinking",
] as const;
export type Sending = (typeof sendings)[number];

export interface ReasoningControl {
  /** the efforts that the model takes, least first */
  efforts: Effort[];
  /** what the provider does when nothing is sent */
  byDefault: Effort;
  /** how an effort travels */
  sentAs: Sending;
  /** tokens for each effort, where the provider takes a number of them */
  budgets?: Partial<Record<Effort, number>> | undefined;
  /** the page where that was read */
  source: string;
}

/** The parts of a model that decide how it reasons. */
export interface Reasoner {
  provider: string;
  reasoning: boolean;
  reasoningControl?: ReasoningControl | undefined;
}

/** The parts of a model that decide how much room its reasoning gets. */
export interface Thinker extends Reasoner {
  contextTokens: number | null;
  outputTokens: number | null;
}

/** Whether the model reasons whatever effort is asked of it, so that it needs room for reasoning. */
export const alwaysReasons = ({
  reasoning,
  reasoningControl,
}: Pick<Reasoner, "reasoning" | "reasoningControl">): boolean =>
  reasoning && reasoningControl?.efforts[0] !== "none";

/**
 * Tokens of room, unless the policy sets another number. OpenAI advises to leave 25,000 for a first trial at
 * any effort. Most calls here ask for the least effort, whose room is a quarter of this or less. Unused room
 * costs nothing, but it is reserved: at 2 USD per million tokens this is 0.03 USD.
 */
export const defaultReasoningTokens = 16_384;

/**
 * Tokens of room at an effort, null where the effort is unknown. Generous beside the figures in the providers'
 * own guides and users' reports, since a model that runs out answers nothing.
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

/** The nearest of the efforts that a model takes; of two that are equally near, the lesser. */
function nearestOf(taken: readonly Effort[], effort: Effort): Effort {
  const far = (each: Effort): number => Math.abs(rankOf(each) - rankOf(effort));
  return taken.reduce((best, each) => (far(each) < far(best) ? each : best), taken[0] ?? effort);
}

/** How a model will reason for a request. */
export interface Reasoning {
  /** null: the model reasons, and nobody knows how much */
  effort: Effort | null;
  /** the effort to send; null: nothing is sent */
  sent: Effort | null;
  /** what happens to the call's own metadata about reasoning */
  metadata: "sent" | "left_out" | "absent";
  /** tokens of room, before the policy's cap and the model's own limits */
  room: number;
}

const unreasoned: Reasoning = { effort: "none", sent: null, metadata: "absent", room: 0 };

/** The call's metadata decides. Anthropic's `effort` alone doesn't switch thinking on. */
function asMetadataSays(asked: Effort | number, control: ReasoningControl | undefined): Reasoning {
  const base = { sent: null, metadata: "sent" } as const;
  const isOff = control?.byDefault === "none" && control.sentAs.startsWith("anthropic_");
  if (isOff) return { ...base, effort: "none", room: 0 };
  if (typeof asked === "string") return { ...base, effort: asked, room: roomAt(asked) };
  // -1 is Google's word for as much as the model likes.
  if (asked < 0) return { ...base, effort: null, room: roomAt("high") };
  return { ...base, effort: asked === 0 ? "none" : null, room: asked };
}

const isAboveLeast = (asked: Effort | number, least: Effort): boolean =>
  typeof asked === "number" ? asked !== 0 : rankOf(asked) > rankOf(least);

/** The effort that a model is asked for, and the room that it needs. */
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
  // The provider does this by itself, or can't do anything else, so a parameter could only be
  // refused.
  const isSilent =
    wish === "provider" ||
    control.efforts.length === 1 ||
    (effort === "none" && control.byDefault === "none");
  const room = effort === "none" ? 0 : Math.max(roomAt(effort), control.budgets?.[effort] ?? 0);
  return { effort, sent: isSilent ? null : effort, metadata, room };
}

/** What a provider is told about one call's reasoning. */
export interface ReasoningRequest extends Pick<Reasoning, "sent" | "metadata"> {
  /** tokens of reasoning beside those of the visible text */
  headroom: number;
}

/** Tokens that a model wants for its reasoning, before its own limits. */
export function wantedHeadroom(model: Reasoner, needs: ReasoningNeeds | undefined): number {
  if (!model.reasoning) return 0;
  return Math.min(reasoningOf(model, needs).room, needs?.tokens ?? defaultReasoningTokens);
}

const isThinker = (model: Partial<Thinker>): model is Thinker =>
  model.reasoning === true && model.provider !== undefined;

/** Tokens. Anthropic takes no smaller budget. */
export const leastAnthropicBudget = 1_024;

/** Tokens. A model with less room for its answer beside the input is no candidate, unless less was asked for. */
const leastAnswerTokens = 1_024;

/**
 * Tokens of text that a model may write: as many as were asked for, as far as its output and the room beside the
 * input allow.
 */
export function writableTokens(
  { outputTokens, contextTokens }: { outputTokens?: number | null; contextTokens?: number | null },
  { inputTokens, maxTokens }: { inputTokens: number; maxTokens: number },
): number {
  const most = Math.min(maxTokens, outputTokens ?? Number.POSITIVE_INFINITY);
  const left = (contextTokens ?? Number.POSITIVE_INFINITY) - inputTokens;
  return Math.min(most, Math.max(left, leastAnswerTokens));
}

/** Tokens that a model gets for its reasoning: what it wants, as far as its own limits allow. */
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
  // With a smaller budget the model is not asked to think, so it needs no room.
  const isTooSmall =
    model.reasoningControl?.sentAs === "anthropic_budget" && room < leastAnthropicBudget;
  return isTooSmall ? 0 : room;
}

/** The likely part of the room. Room is generous, and most of it is never used. */
const likelyShare = 1 / 8;

/**
 * Tokens of its room that a model's reasoning will likely use. At `minimal` models seldom reason at all
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
