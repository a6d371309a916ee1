/** What is said of a candidate beside its score. Pure, so that tests can hold it. */
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { exclusionWords } from "../../domain/exclusion-words.ts";
import { words } from "../format.ts";

/** What a newer router calls by another name is shown by that name. */
export const exclusionText = (reason: string): string =>
  Object.hasOwn(exclusionWords, reason)
    ? exclusionWords[reason as keyof typeof exclusionWords]
    : words(reason);

export const axes = ["cost", "speed", "intelligence"] as const;

export interface Told {
  /** some candidate matches a hint */
  isHinted: boolean;
  weights: Decision["weights"] | undefined;
}

function hintWords({ matchedHint, viaEquivalence, viaFailover }: Candidate, isHinted: boolean) {
  if (matchedHint !== undefined)
    return viaEquivalence === true
      ? `equivalent of the hint “${matchedHint}”`
      : `matches the hint “${matchedHint}”`;
  if (!isHinted) return "";
  return viaFailover === true
    ? "matches no hint: called only if all that match fail"
    : "matches no hint: not called";
}

/** What a score may differ from the formula's by rounding. */
const roundedBy = 0.001;

/** Nothing else takes from a score than `reasoningLoss` of `domain/choice/score.ts`. */
function lossWords({ score, axes: values }: Candidate, weights: Decision["weights"] | undefined) {
  if (score === undefined || values === undefined || weights === undefined) return "";
  const whole = axes.reduce((sum, axis) => sum + weights[axis] * values[axis], 0);
  const lost = whole - score;
  return lost < roundedBy
    ? ""
    : `${lost.toFixed(3)} less, since it always reasons and the answer is to be short`;
}

export function notesOf(candidate: Candidate, { isHinted, weights }: Told): string {
  const { excludedBy, viaToolLoop, isLate, estimated, isCopy } = candidate;
  if (excludedBy !== undefined) return exclusionText(excludedBy);
  return [
    viaToolLoop === true ? "began this tool loop" : hintWords(candidate, isHinted),
    isLate === true ? "expected to be late" : "",
    estimated === true ? "estimated" : "",
    isCopy === true ? "the same model elsewhere" : "",
    lossWords(candidate, weights),
  ]
    .filter((note) => note !== "")
    .join("; ");
}
