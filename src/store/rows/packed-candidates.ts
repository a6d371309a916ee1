/** Models as indexes, scores as steps of a quantile; candidates with other figures are JSON. */
import type { Candidate } from "../../domain/choice/decision.ts";
import { counted, readDigits, type DigitReader } from "./digits.ts";
import { listedModels } from "./listed-models.ts";

/** In place of a model's index. */
const spelledOut = 0;
const places = new Map(listedModels.map((name, at) => [name, at + 1]));

/** Flags of a candidate. Fields are restored in the order in which `explain` sets them. */
const has = {
  score: 1,
  measured: 2,
  matchedHint: 4,
  viaFailover: 8,
  isLate: 16,
  viaEquivalence: 32,
  viaToolLoop: 64,
  estimated: 128,
  isCopy: 256,
  isFallback: 512,
  isDefault: 1_024,
} as const;

const axisNames = ["cost", "speed", "intelligence"] as const;
/** Precision of `explain`. */
const perScore = 1e4;
const round = (value: number): number => Math.round(value * perScore) / perScore;
/** Largest number of steps among this many candidates: two equal candidates share one. */
const stepsOf = (judged: number): number => Math.max(1, 2 * (judged - 1));

function judgedIn(candidates: readonly Candidate[]): number {
  const once = candidates.filter(({ isCopy }) => isCopy !== true);
  const judged = once.filter(({ estimated }) => estimated !== true).length;
  return judged > 1 ? judged : once.length;
}

/** NaN if the figure is not a whole number of parts. */
function partsOf(figure: number, perUnit: number): number {
  const parts = Math.round(figure * perUnit);
  return parts / perUnit === figure ? parts : Number.NaN;
}

function stepOf(axis: number, steps: number): number {
  const step = Math.round(axis * steps);
  return round(step / steps) === axis ? step : Number.NaN;
}

function bitsOf(candidate: Candidate): number {
  let bits = 0;
  for (const name in candidate) bits |= has[name as keyof typeof has] ?? 0;
  return bits;
}

export type PackedCandidates = [text: string, hint: string | null, ...Candidate[]];

function packed(candidate: Candidate, steps: number, hint: string | null): string | null {
  const { provider, model, score, axes, measured, matchedHint = hint } = candidate;
  const counts = [places.get(`${provider} ${model}`) ?? Number.NaN, bitsOf(candidate)];
  if (score !== undefined || axes !== undefined)
    counts.push(
      partsOf(score ?? Number.NaN, perScore),
      ...axisNames.map((name) => stepOf(axes?.[name] ?? Number.NaN, steps)),
    );
  if (measured !== undefined)
    counts.push(measured.p50Ms, partsOf(measured.tokensPerSecond, 10), measured.samples);
  if (matchedHint !== hint) return null;
  let text = "";
  for (const count of counts) {
    if (!Number.isSafeInteger(count) || count < 0) return null;
    text += counted(count);
  }
  return text;
}

export function packCandidates(candidates: readonly Candidate[]): PackedCandidates {
  const judged = judgedIn(candidates);
  const steps = stepsOf(judged);
  const hint = candidates.find(({ matchedHint }) => matchedHint !== undefined)?.matchedHint ?? null;
  const others: Candidate[] = [];
  let text = counted(judged);
  for (const candidate of candidates) {
    const its = packed(candidate, steps, hint);
    if (its === null) others.push(candidate);
    text += its ?? counted(spelledOut);
  }
  return [text, hint, ...others];
}

function unpacked(
  reader: DigitReader,
  place: number,
  { steps, hint }: { steps: number; hint: string | null },
): Candidate {
  const name = listedModels[place - 1];
  if (name === undefined) throw new SyntaxError("a model that is not listed");
  const space = name.indexOf(" ");
  const candidate: Candidate = { provider: name.slice(0, space), model: name.slice(space + 1) };
  const bits = reader.counted();
  if (bits & has.score) {
    candidate.score = reader.counted() / perScore;
    const [cost = 0, speed = 0, intelligence = 0] = axisNames.map(() =>
      round(reader.counted() / steps),
    );
    candidate.axes = { cost, speed, intelligence };
  }
  if (bits & has.measured)
    candidate.measured = {
      p50Ms: reader.counted(),
      tokensPerSecond: reader.counted() / 10,
      samples: reader.counted(),
    };
  if (bits & has.isLate) candidate.isLate = true;
  if (bits & has.estimated) candidate.estimated = true;
  if (bits & has.isCopy) candidate.isCopy = true;
  if (bits & has.matchedHint) candidate.matchedHint = hint ?? "";
  if (bits & has.viaEquivalence) candidate.viaEquivalence = true;
  if (bits & has.viaToolLoop) candidate.viaToolLoop = true;
  if (bits & has.isFallback) candidate.isFallback = true;
  if (bits & has.isDefault) candidate.isDefault = true;
  if (bits & has.viaFailover) candidate.viaFailover = true;
  return candidate;
}

export function unpackCandidates([text, hint, ...others]: PackedCandidates): Candidate[] {
  const reader = readDigits(text);
  const steps = stepsOf(reader.counted());
  const candidates: Candidate[] = [];
  while (!reader.isAtEnd) {
    const place = reader.counted();
    const candidate =
      place === spelledOut ? others.shift() : unpacked(reader, place, { steps, hint });
    if (candidate === undefined) throw new SyntaxError("a candidate that is not spelled out");
    candidates.push(candidate);
  }
  return candidates;
}
