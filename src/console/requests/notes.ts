/** Why a model was selected, in sentences that agree with the table of candidates. Pure, for tests. */
import type { Asked } from "../../domain/audit/record.ts";
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { exclusionMessages } from "../../domain/exclusion-messages.ts";
import { compact, percent, spaced } from "../format.ts";

export const nameOf = ({ provider, model }: Pick<Candidate, "provider" | "model">): string =>
  `${provider}/${model}`;

/** Unknown reasons are shown as they are. */
export const exclusionText = (reason: string): string =>
  Object.hasOwn(exclusionMessages, reason)
    ? exclusionMessages[reason as keyof typeof exclusionMessages]
    : spaced(reason);

export const axes = ["cost", "speed", "intelligence"] as const;

type CandidateContext = { isHinted: boolean; weights: Decision["weights"] | undefined };

const lettersIn = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** A hint also matches the line of the model that it names, for example newer versions. */
export const hasInName = (candidate: Candidate, hint: string): boolean =>
  lettersIn(nameOf(candidate)).includes(lettersIn(hint));

function hintText(candidate: Candidate, isHinted: boolean) {
  const { matchedHint, viaEquivalence, viaFailover } = candidate;
  if (matchedHint !== undefined) {
    const how = hasInName(candidate, matchedHint) ? "matches" : "close to";
    return `${viaEquivalence ? "equivalent of" : how} the hint “${matchedHint}”`;
  }
  if (!isHinted) return "";
  return `matches no hint: ${viaFailover ? "used only if all matches fail" : "not used"}`;
}

/** Only `reasoningLoss` of `domain/choice/score.ts` reduces a score. */
function lossText({ score, axes: values }: Candidate, weights: Decision["weights"] | undefined) {
  if (score === undefined || values === undefined || weights === undefined) return "";
  const lost = axes.reduce((sum, axis) => sum + weights[axis] * values[axis], -score).toFixed(3);
  if (Number(lost) <= 0) return "";
  return `${lost} less: it always reasons, and a short answer was requested`;
}

export function notesOf(candidate: Candidate, { isHinted, weights }: CandidateContext): string {
  const { excludedBy, viaToolLoop, isDefault, isFallback, isLate, estimated, isCopy } = candidate;
  if (excludedBy !== undefined) return exclusionText(excludedBy);
  return [
    viaToolLoop ? "started this tool loop" : hintText(candidate, isHinted),
    isDefault && "default model",
    isFallback && "fallback for the named model",
    isLate && "expected to be late",
    estimated && "estimated",
    isCopy && "the same model elsewhere",
    lossText(candidate, weights),
  ]
    .filter(Boolean)
    .join("; ");
}

const isBetter = (other: Candidate, { score = 0 }: Candidate): boolean =>
  (other.score ?? 0) > score;

function hintedSentence(name: string, first: Candidate, feasible: readonly Candidate[]): string {
  const { matchedHint: hint = "" } = first;
  const matches = feasible.filter(({ matchedHint }) => matchedHint === hint);
  if (first.viaEquivalence === true)
    return `No feasible model matches a hint. ${name} is the best equivalent of “${hint}”.`;
  if (!hasInName(first, hint))
    return `${name} is the closest to the hint “${hint}”, which no feasible model has in its name.`;
  if (matches.length === 1) return `${name} is the only feasible match of the hint “${hint}”.`;
  const better = matches.filter((each) => isBetter(each, first));
  if (better.length === 0) return `${name} has the best score among matches of the hint “${hint}”.`;
  if (first.isDefault === true)
    return `${name} is the default among matches of the hint “${hint}”. No priority is higher than the others, so the default takes precedence over the score.`;
  return better.every(({ isLate }) => isLate === true)
    ? `${name} has the best score among matches of the hint “${hint}” that are expected in time.`
    : `${name} matches the hint “${hint}” most closely, which takes precedence over the score.`;
}

export function sentenceOf(decision: Partial<Decision>): string {
  const { candidates = [], requirements, provider, model } = decision;
  const feasible = candidates.filter(({ excludedBy }) => excludedBy === undefined);
  const [first] = feasible;
  const name = `${provider ?? ""}/${model ?? ""}`;
  if (first?.viaToolLoop === true) return `${name} started the tool loop that this call continues.`;
  if (requirements?.model !== undefined)
    return first?.isFallback === true
      ? `The model that the request names isn’t feasible. ${name} is its first feasible fallback.`
      : `${name} is the model that the request names.`;
  if (first?.matchedHint !== undefined) return hintedSentence(name, first, feasible);
  if (first === undefined || feasible.length === 1) return `${name} is the only feasible model.`;
  const better = feasible.filter((each) => isBetter(each, first));
  if (first.isDefault === true)
    return `No priority is higher than the others, so ${name} is selected as the default model${better.length === 0 ? "" : ", which takes precedence over the score"}.`;
  const rivals = better.length === 0 ? feasible : feasible.filter(({ isLate }) => isLate !== true);
  const inTime = better.length === 0 ? "" : " that are expected in time";
  return `${name} has the best score of ${rivals.length} feasible models${inTime}.`;
}

export function wishesOf(
  { hints = [], priorities = {} }: Partial<Asked>,
  weights: Decision["weights"] | undefined,
): string {
  const given = axes.filter((axis) => priorities[axis] !== undefined);
  const quoted = hints.map((hint) => `“${hint}”`).join(", ");
  const hinted = quoted === "" ? "no hint" : `the hint${hints.length === 1 ? "" : "s"} ${quoted}`;
  if (given.length === 0) return `The request has ${hinted} and no priority.`;
  const values = given.map((axis) => `${axis} ${compact(priorities[axis] ?? 0)}`).join(", ");
  const rest = axes
    .filter((axis) => !given.includes(axis) && (weights?.[axis] ?? 0) > 0)
    .map((axis) => `${axis} counts ${percent(weights?.[axis] ?? 0)}`);
  const assumed = rest.length === 0 ? "" : ` Of what it leaves open, ${rest.join(", ")}.`;
  return `The request has ${hinted} and the ${given.length === 1 ? "priority" : "priorities"} ${values}.${assumed}`;
}
