import { efforts, type Effort, type ReasoningNeeds } from "../requirements.ts";
import { apiOf, optionKey } from "./clouds.ts";
import type { ReasoningControl } from "./reasoning-control.ts";

export interface Reasoner {
  provider: string;
  /** decides the API at clouds */
  id?: string;
  like?: string | undefined;
  reasoning: boolean;
  reasoningControl?: ReasoningControl | undefined;
}

export interface Thinker extends Reasoner {
  contextTokens: number | null;
  outputTokens: number | null;
}

export const alwaysReasons = ({
  reasoning,
  reasoningControl,
}: Pick<Reasoner, "reasoning" | "reasoningControl">): boolean =>
  reasoning && reasoningControl?.efforts[0] !== "none";

/** OpenAI recommends 25,000 for a first trial. Only reserved: 0.03 USD at 2 USD per million tokens. */
export const defaultReasoningTokens = 16_384;

/** Generous, because a model that runs out does not answer. null: unknown effort. */
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

function nearestOf(taken: readonly Effort[], effort: Effort): Effort {
  const far = (each: Effort): number => Math.abs(rankOf(each) - rankOf(effort));
  return taken.reduce((best, each) => (far(each) < far(best) ? each : best), taken[0] ?? effort);
}

export interface Reasoning {
  effort: Effort | null;
  sent: Effort | null;
  metadata: "sent" | "left_out" | "absent";
  /** tokens, before the policy's cap and the model's limits */
  room: number;
}

const unreasoned: Reasoning = { effort: "none", sent: null, metadata: "absent", room: 0 };

/** Anthropic's `effort` alone does not enable thinking. */
function asMetadataSays(asked: Effort | number, control: ReasoningControl | undefined): Reasoning {
  const base = { sent: null, metadata: "sent" } as const;
  const isOff = control?.byDefault === "none" && control.sentAs.startsWith("anthropic_");
  if (isOff) return { ...base, effort: "none", room: 0 };
  if (typeof asked === "string") return { ...base, effort: asked, room: roomAt(asked) };
  // Google's -1 is dynamic.
  if (asked < 0) return { ...base, effort: null, room: roomAt("high") };
  return { ...base, effort: asked === 0 ? "none" : null, room: asked };
}

const isAboveMinimum = (asked: Effort | number, lowest: Effort): boolean =>
  typeof asked === "number" ? asked !== 0 : rankOf(asked) > rankOf(lowest);

const askedUnder = (key: string, { asked = {} }: ReasoningNeeds): Effort | number | undefined =>
  Object.hasOwn(asked, key) ? asked[key] : undefined;

export function reasoningOf(model: Reasoner, needs: ReasoningNeeds = {}): Reasoning {
  const { provider, reasoningControl: control } = model;
  const api = apiOf(model);
  const asked = askedUnder(optionKey({ provider, api }), needs) ?? askedUnder(api, needs);
  if (!model.reasoning)
    return asked === undefined ? unreasoned : { ...unreasoned, metadata: "sent" };
  const lowest = control?.efforts[0] ?? "none";
  const minReasoningOnly =
    needs.minReasoningOnly !== undefined && !needs.minReasoningOnly.except.includes(api);
  if (asked !== undefined && !(minReasoningOnly && isAboveMinimum(asked, lowest)))
    return asMetadataSays(asked, control);
  const metadata = asked === undefined ? "absent" : "left_out";
  if (control === undefined) return { effort: null, sent: null, metadata, room: roomAt(null) };
  const wish = minReasoningOnly ? "least" : (needs.wish ?? "least");
  const effort =
    wish === "provider"
      ? control.byDefault
      : wish === "least"
        ? lowest
        : nearestOf(control.efforts, wish.effort);
  // The provider's behavior does not need a parameter, and may reject it.
  const isSilent =
    wish === "provider" ||
    control.efforts.length === 1 ||
    (effort === "none" && control.byDefault === "none");
  const room = effort === "none" ? 0 : Math.max(roomAt(effort), control.budgets?.[effort] ?? 0);
  return { effort, sent: isSilent ? null : effort, metadata, room };
}

export interface ReasoningRequest extends Pick<Reasoning, "sent" | "metadata"> {
  headroom: number;
}

export function wantedHeadroom(model: Reasoner, needs: ReasoningNeeds | undefined): number {
  if (!model.reasoning) return 0;
  return Math.min(reasoningOf(model, needs).room, needs?.tokens ?? defaultReasoningTokens);
}

const isThinker = (model: Partial<Thinker>): model is Thinker =>
  model.reasoning === true && model.provider !== undefined;

/** Tokens. Anthropic rejects smaller budgets. */
export const minAnthropicBudget = 1_024;

/** Tokens. Models with less room are excluded unless less was requested. */
const minAnswerTokens = 1_024;

/** Tokens of text that fit the model's output and remaining context. */
export function writableTokens(
  { outputTokens, contextTokens }: { outputTokens?: number | null; contextTokens?: number | null },
  { inputTokens, maxTokens }: { inputTokens: number; maxTokens: number },
): number {
  const max = Math.min(maxTokens, outputTokens ?? Number.POSITIVE_INFINITY);
  const left = (contextTokens ?? Number.POSITIVE_INFINITY) - inputTokens;
  return Math.min(max, Math.max(left, minAnswerTokens));
}

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
  // Below the minimum budget, thinking is not requested.
  const isTooSmall =
    model.reasoningControl?.sentAs === "anthropic_budget" && room < minAnthropicBudget;
  return isTooSmall ? 0 : room;
}

/** Most of the generous room is never used. */
const likelyShare = 1 / 8;

/** Likely reasoning tokens. At `minimal`, OpenAI's guide says "few or no reasoning tokens". */
export function likelyReasoningOf(
  model: Partial<Thinker>,
  needs: Parameters<typeof headroomOf>[1],
): number {
  const room = headroomOf(model, needs);
  if (room === 0) return 0;
  if (!isThinker(model)) return 0;
  const { effort } = reasoningOf(model, needs.reasoning);
  return effort === "minimal" ? 0 : Math.ceil(room * likelyShare);
}
