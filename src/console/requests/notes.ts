/** What is said of a candidate beside its score. Pure, so that tests can hold it. */
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { words } from "../format.ts";

/** The words for each reason why a model can't be chosen. */
export const exclusionWords: Readonly<Record<string, string>> = {
  input_modality: "can’t take a kind of content in the messages",
  output_modality: "can’t produce what was asked for",
  tools: "has no tools",
  context_window: "the messages don’t fit",
  output_limit: "can’t give so many tokens",
  reasoning_room: "has no room to reason",
  not_allowed: "the policy forbids it",
  unknown_price: "no known price, and a budget applies",
  no_credential: "no credential",
  no_operator_leave: "the operator gives no leave",
  credential_failing: "the provider refuses the key",
  circuit_open: "failed lately, and rests",
  retired: "retired by its provider",
  preview: "a preview that nobody asked for",
  image_model: "draws, and no image was asked for",
  stopped: "stopped by a kill switch",
};

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
  const { excludedBy, viaToolLoop, isLate } = candidate;
  if (excludedBy !== undefined) return exclusionWords[excludedBy] ?? words(excludedBy);
  return [
    viaToolLoop === true ? "began this tool loop" : hintWords(candidate, isHinted),
    isLate === true ? "expected to be late" : "",
    lossWords(candidate, weights),
  ]
    .filter((note) => note !== "")
    .join("; ");
}
