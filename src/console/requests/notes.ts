import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { exclusionMessages } from "../../domain/exclusion-messages.ts";
import { spaced } from "../format.ts";

export const nameOf = ({ provider, model }: Pick<Candidate, "provider" | "model">): string =>
  `${provider}/${model}`;

/** Unknown reasons are shown as they are. */
export const exclusionText = (reason: string): string =>
  Object.hasOwn(exclusionMessages, reason)
    ? exclusionMessages[reason as keyof typeof exclusionMessages]
    : spaced(reason);

export const axes = ["cost", "speed", "intelligence"] as const;

export interface CandidateContext {
  isHinted: boolean;
  weights: Decision["weights"] | undefined;
}

const lettersIn = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** A hint also matches the line of the model that it names, for example newer versions. */
export const hasInName = (candidate: Candidate, hint: string): boolean =>
  lettersIn(nameOf(candidate)).includes(lettersIn(hint));

function hintText(candidate: Candidate, isHinted: boolean) {
  const { matchedHint, viaEquivalence, viaFailover } = candidate;
  if (matchedHint !== undefined) {
    if (viaEquivalence === true) return `equivalent of the hint “${matchedHint}”`;
    return hasInName(candidate, matchedHint)
      ? `matches the hint “${matchedHint}”`
      : `close to the hint “${matchedHint}”`;
  }
  if (!isHinted) return "";
  return viaFailover === true
    ? "matches no hint: used only if all matches fail"
    : "matches no hint: not used";
}

const roundedBy = 0.001;

/** Only `reasoningLoss` of `domain/choice/score.ts` reduces a score. */
function lossText({ score, axes: values }: Candidate, weights: Decision["weights"] | undefined) {
  if (score === undefined || values === undefined || weights === undefined) return "";
  const whole = axes.reduce((sum, axis) => sum + weights[axis] * values[axis], 0);
  const lost = whole - score;
  return lost < roundedBy
    ? ""
    : `${lost.toFixed(3)} less: it always reasons, and a short answer was requested`;
}

export function notesOf(candidate: Candidate, { isHinted, weights }: CandidateContext): string {
  const { excludedBy, viaToolLoop, isDefault, isFallback, isLate, estimated, isCopy } = candidate;
  if (excludedBy !== undefined) return exclusionText(excludedBy);
  return [
    viaToolLoop === true ? "started this tool loop" : hintText(candidate, isHinted),
    isDefault === true ? "default model" : "",
    isFallback === true ? "fallback for the named model" : "",
    isLate === true ? "expected to be late" : "",
    estimated === true ? "estimated" : "",
    isCopy === true ? "the same model elsewhere" : "",
    lossText(candidate, weights),
  ]
    .filter((note) => note !== "")
    .join("; ");
}
