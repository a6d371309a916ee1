/** Why a model was selected, in a sentence that agrees with the table of candidates. Pure, for tests. */
import type { Asked } from "../../domain/audit/record.ts";
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { compact, percent } from "../format.ts";
import { axes, hasInName } from "./notes.ts";

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

function weightText(weights: Decision["weights"] | undefined): string {
  const [first, second] =
    weights === undefined ? [] : axes.toSorted((a, b) => weights[b] - weights[a]);
  if (weights === undefined || first === undefined || second === undefined) return "";
  if (weights[first] === 1) return `; only ${first} counts`;
  return weights[first] === weights[second] ? "" : `; ${first} has the highest weight`;
}

export function sentenceOf(decision: Partial<Decision>): string {
  const { candidates = [], requirements, weights, provider, model } = decision;
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
  return `${name} has the best score of ${rivals.length} feasible models${inTime}${weightText(weights)}.`;
}

export function wishesOf(
  { hints = [], priorities = {} }: Partial<Asked>,
  weights: Decision["weights"] | undefined,
): string {
  const given = axes.filter((axis) => priorities[axis] !== undefined);
  const quoted = hints.map((hint) => `“${hint}”`).join(", ");
  const hinted =
    hints.length === 0 ? "no hint" : `the hint${hints.length === 1 ? "" : "s"} ${quoted}`;
  if (given.length === 0) return `The request has ${hinted} and no priority.`;
  const values = given.map((axis) => `${axis} ${compact(priorities[axis] ?? 0)}`).join(", ");
  const rest = axes
    .filter((axis) => !given.includes(axis) && (weights?.[axis] ?? 0) > 0)
    .map((axis) => `${axis} counts ${percent(weights?.[axis] ?? 0)}`);
  const assumed = rest.length === 0 ? "" : ` Of what it leaves open, ${rest.join(", ")}.`;
  return `The request has ${hinted} and the ${given.length === 1 ? "priority" : "priorities"} ${values}.${assumed}`;
}
