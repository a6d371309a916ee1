/** Notes on a candidate's score. Pure, for tests. */
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { exclusionWords } from "../../domain/exclusion-words.ts";
import { words } from "../format.ts";

/** Unknown reasons are shown as they are. */
export const exclusionText = (reason: string): string =>
  Object.hasOwn(exclusionWords, reason)
    ? exclusionWords[reason as keyof typeof exclusionWords]
    : words(reason);

export const axes = ["cost", "speed", "intelligence"] as const;

export interface Told {
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

/** Rounding tolerance. */
const roundedBy = 0.001;

/** Only `reasoningLoss` of `domain/choice/score.ts` reduces a score. */
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
