/**
 * The candidates of a decision as one text. A model is its place in the list of models. An axis is a
 * quantile among the candidates, so it is a whole number of steps. A score follows from the axes and the
 * weights, and is written only where it doesn't. Whatever is not as expected is not packed at all.
 */
import type { Candidate, Decision } from "../domain/choice/decision.ts";
import type { Axes } from "../domain/choice/score.ts";
import type { Measured } from "../domain/choice/health.ts";
import { counted, readDigits, stepped, type DigitReader } from "./digits.ts";
import { marks, modelCode, readModel, type ModelName } from "./model-codes.ts";

const [lossy = "", scored = "", measured = "", hinted = "", unlisted = "", late = "", ...flags] =
  marks;
const [equivalent = "", looped = "", failover = "", guessed = ""] = flags;

/** In the order in which `explain` sets the fields, and the text gives them back. */
const fieldsInOrder = [
  "measured",
  "isLate",
  "estimated",
  "matchedHint",
  "viaEquivalence",
  "viaToolLoop",
  "viaFailover",
];
const isFlag = (name: string): boolean => name !== "measured" && name !== "matchedHint";
const always = new Set(["provider", "model", "score", "axes"]);

/** As `explain` rounds. */
const round = (value: number): number => Math.round(value * 1e4) / 1e4;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
/** What `score.ts` takes from a model that always reasons where the answer is to be small. */
const reasoningLoss = 0.1;

/** A candidate among so many has so many steps below it at most; two that are equal share one. */
interface Scale {
  steps: number;
  weights: Axes;
}

/** More would take ever more characters for each of them. */
const mostCandidates = 1_000;

const scaleOf = (count: number, weights: Axes): Scale => ({
  steps: Math.max(1, 2 * (count - 1)),
  weights,
});

/** How many make the scale, as in `score.ts`. */
function countedIn(candidates: readonly Candidate[]): number {
  const judged = candidates.filter(({ estimated }) => estimated !== true).length;
  return judged > 1 ? judged : candidates.length;
}

interface Steps {
  cost: number;
  speed: number;
  intelligence: number;
}

function scoreOf(scale: Scale, its: Steps, loss: number): number {
  const { steps, weights } = scale;
  const openness = 1 - Math.max(weights.cost, weights.speed, weights.intelligence);
  const whole =
    weights.cost * (its.cost / steps) +
    weights.speed * (its.speed / steps) +
    weights.intelligence * (its.intelligence / steps);
  return round(Math.max(0, whole - loss * openness));
}

function packAxes({ steps }: Scale, axes: Axes): { its: Steps; text: string } | null {
  const its = { cost: 0, speed: 0, intelligence: 0 };
  let text = "";
  for (const name of ["cost", "speed", "intelligence"] as const) {
    const step = Math.round(axes[name] * steps);
    if (step < 0 || step > steps || round(step / steps) !== axes[name]) return null;
    its[name] = step;
    text += stepped(step);
  }
  return { its, text };
}

function packScore(scale: Scale, its: Steps, score: number): string | null {
  if (score === scoreOf(scale, its, 0)) return "";
  if (score === scoreOf(scale, its, reasoningLoss)) return lossy;
  const whole = Math.round(score * 1e4);
  return isCount(whole) && whole / 1e4 === score ? scored + counted(whole) : null;
}

function packMeasured(its: Measured): string | null {
  const { p50Ms, tokensPerSecond, samples } = its;
  const tenths = Math.round(tokensPerSecond * 10);
  const isPlain =
    Object.keys(its).join() === "p50Ms,tokensPerSecond,samples" &&
    [p50Ms, tenths, samples].every(isCount) &&
    tenths / 10 === tokensPerSecond;
  return isPlain ? measured + counted(p50Ms) + counted(tenths) + counted(samples) : null;
}

/** Whether the text would give back the very fields, in this order. */
function isInOrder(candidate: Candidate): boolean {
  let before = -1;
  for (const name of Object.keys(candidate)) {
    if (always.has(name)) continue;
    const place = fieldsInOrder.indexOf(name);
    if (place <= before) return false;
    if (isFlag(name) && candidate[name as keyof Candidate] !== true) return false;
    before = place;
  }
  return true;
}

/** How many make the scale and what each candidate is, then the hint that candidates match, then provider and model of those that are not listed. */
export type PackedCandidates = [text: string, hint: string | null, ...unlisted: string[]];

/** null: not as expected */
export function packCandidates({
  candidates,
  weights,
}: Pick<Decision, "candidates" | "weights">): PackedCandidates | null {
  if (candidates.length === 0 || candidates.length > mostCandidates) return null;
  const count = countedIn(candidates);
  const scale = scaleOf(count, weights);
  let text = counted(count);
  let hint: string | null = null;
  const others: string[] = [];
  for (const candidate of candidates) {
    const { provider, model, score, axes, matchedHint } = candidate;
    if (score === undefined || axes === undefined || !isInOrder(candidate)) return null;
    const packedAxes = packAxes(scale, axes);
    const packedScore = packedAxes === null ? null : packScore(scale, packedAxes.its, score);
    const speed = candidate.measured === undefined ? "" : packMeasured(candidate.measured);
    if (packedAxes === null || packedScore === null || speed === null) return null;
    if (matchedHint !== undefined && matchedHint !== (hint ??= matchedHint)) return null;
    const code = modelCode({ provider, model });
    text += code ?? unlisted + counted(others.length / 2);
    if (code === undefined) others.push(provider, model);
    text += packedAxes.text + packedScore + speed;
    if (candidate.isLate) text += late;
    if (candidate.estimated) text += guessed;
    if (matchedHint !== undefined) text += hinted;
    if (candidate.viaEquivalence) text += equivalent;
    if (candidate.viaToolLoop) text += looped;
    if (candidate.viaFailover) text += failover;
  }
  return [text, hint, ...others];
}

const readMeasured = (reader: DigitReader): Measured => ({
  p50Ms: reader.counted(),
  tokensPerSecond: reader.counted() / 10,
  samples: reader.counted(),
});

function readName(reader: DigitReader, others: readonly string[]): ModelName {
  if (reader.peek() !== unlisted) return readModel(reader);
  reader.character();
  const at = 2 * reader.counted();
  const [provider, model] = [others[at], others[at + 1]];
  if (provider === undefined || model === undefined) throw new SyntaxError("a model without name");
  return { provider, model };
}

function readCandidate(
  reader: DigitReader,
  scale: Scale,
  { hint, others }: { hint: string | null; others: readonly string[] },
): Candidate {
  const { provider, model } = readName(reader, others);
  const [cost, speed, intelligence] = [0, 1, 2].map(() => reader.stepped());
  const its = { cost: cost ?? 0, speed: speed ?? 0, intelligence: intelligence ?? 0 };
  const axisOf = (step: number): number => round(step / scale.steps);
  const candidate: Candidate = {
    provider,
    model,
    score: scoreOf(scale, its, 0),
    axes: {
      cost: axisOf(its.cost),
      speed: axisOf(its.speed),
      intelligence: axisOf(its.intelligence),
    },
  };
  while (!reader.isAtEnd && marks.includes(reader.peek()) && reader.peek() !== unlisted) {
    const mark = reader.character();
    if (mark === lossy) candidate.score = scoreOf(scale, its, reasoningLoss);
    else if (mark === scored) candidate.score = reader.counted() / 1e4;
    else if (mark === measured) candidate.measured = readMeasured(reader);
    else if (mark === late) candidate.isLate = true;
    else if (mark === hinted) candidate.matchedHint = hint ?? "";
    else if (mark === equivalent) candidate.viaEquivalence = true;
    else if (mark === looped) candidate.viaToolLoop = true;
    else if (mark === guessed) candidate.estimated = true;
    else candidate.viaFailover = true;
  }
  return candidate;
}

export function unpackCandidates(
  [text, hint, ...others]: PackedCandidates,
  weights: Axes,
): Candidate[] {
  const reader = readDigits(text);
  const scale = scaleOf(reader.counted(), weights);
  const candidates: Candidate[] = [];
  while (!reader.isAtEnd) candidates.push(readCandidate(reader, scale, { hint, others }));
  return candidates;
}
