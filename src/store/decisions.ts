/**
 * A decision as its column keeps it. The decision is the largest part of a record: 50 feasible models are
 * 6.4 kB as objects, 4.6 kB as lists of values, and 0.5 kB packed. Reading gives back an equal object, also
 * of rows from before.
 */
import { customType } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../domain/json.ts";
import { faultReaches, type FaultReach } from "../domain/attempts.ts";
import type { Candidate, Decision } from "../domain/choice/decision.ts";
import type { FailoverCandidate } from "../domain/choice/failover.ts";
import { digit, readDigits } from "./digits.ts";
import { modelCode, readModel } from "./model-codes.ts";
import { packCandidates, unpackCandidates, type PackedCandidates } from "./packed-candidates.ts";
import { lengthen, shorten } from "./phrases.ts";

/** provider, model, score, then cost, speed and intelligence, then an object with all other fields */
type Listed = [string, string, number, number, number, number, JsonObject?];

function listed(candidate: Candidate): Listed | Candidate {
  const { provider, model, score, axes, ...rest } = candidate;
  if (score === undefined || axes === undefined) return candidate;
  const { cost, speed, intelligence } = axes;
  const row: Listed = [provider, model, score, cost, speed, intelligence];
  if (Object.keys(rest).length > 0) row.push(rest as unknown as JsonObject);
  return row;
}

function unlisted(stored: Listed | Candidate): Candidate {
  if (!Array.isArray(stored)) return stored;
  const [provider, model, score, cost, speed, intelligence, rest] = stored;
  return { provider, model, score, axes: { cost, speed, intelligence }, ...rest };
}

/** As rows of earlier versions have it, and as codes cover it. So it never changes. */
export const decisionText = (decision: Decision): string =>
  JSON.stringify({ ...decision, candidates: decision.candidates.map(listed) });

/** null: not as expected */
function packFailover(failover: readonly FailoverCandidate[]): string | null {
  let text = "";
  for (const step of failover) {
    const code = modelCode(step);
    const names = step.after.map((reach) => faultReaches.indexOf(reach));
    const isPlain =
      Object.keys(step).join() === "provider,model,after" &&
      names.every((name, at) => name > (names[at - 1] ?? -1));
    if (code === undefined || !isPlain) return null;
    text += code + digit(names.reduce((sum, name) => sum + 2 ** name, 0));
  }
  return text;
}

function unpackFailover(text: string): FailoverCandidate[] {
  const reader = readDigits(text);
  const steps: FailoverCandidate[] = [];
  while (!reader.isAtEnd) {
    const model = readModel(reader);
    const reaches = reader.digit();
    const after = faultReaches.filter((_, at): boolean => Math.floor(reaches / 2 ** at) % 2 === 1);
    steps.push({ ...model, after: after satisfies FaultReach[] });
  }
  return steps;
}

interface Stored extends Omit<Decision, "provider" | "model" | "candidates" | "failover"> {
  /** 0: the first candidate's */
  provider: string | 0;
  model: string | 0;
  candidates: PackedCandidates | (Listed | Candidate)[];
  failover?: string | FailoverCandidate[];
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** The tokens that were expected stand before all else, since SQL reads them where a lease runs out. */
export function packDecision(decision: Decision): string {
  const { inputTokens, outputTokens } = decision.estimate;
  const candidates = packCandidates(decision);
  if (candidates === null || !isCount(inputTokens) || !isCount(outputTokens))
    return decisionText(decision);
  const { provider, model, failover } = decision;
  const [first] = decision.candidates;
  const isFirst = first?.provider === provider && first.model === model;
  const steps = failover === undefined ? null : packFailover(failover);
  const stored: Stored = {
    ...decision,
    ...(isFirst && { provider: 0, model: 0 }),
    candidates,
    ...(steps !== null && { failover: steps }),
  };
  return `${inputTokens},${outputTokens};${shorten(JSON.stringify(stored))}`;
}

const isPacked = (stored: Stored["candidates"]): stored is PackedCandidates =>
  typeof stored[0] === "string";

export function unpackDecision(text: string): Decision {
  const isPlain = text.startsWith("{");
  const json = isPlain ? text : lengthen(text.slice(text.indexOf(";") + 1));
  const stored = JSON.parse(json) as Stored;
  const { candidates: kept, failover } = stored;
  const candidates = isPacked(kept) ? unpackCandidates(kept, stored.weights) : kept.map(unlisted);
  const [first] = candidates;
  const { provider, model } = stored;
  return {
    ...stored,
    provider: provider === 0 ? (first?.provider ?? "") : provider,
    model: model === 0 ? (first?.model ?? "") : model,
    candidates,
    ...(failover !== undefined && {
      failover: typeof failover === "string" ? unpackFailover(failover) : failover,
    }),
  } as Decision;
}

/** Packed text, or the JSON of rows from before. */
export const decisionColumn = customType<{ data: Decision; driverData: string }>({
  dataType: () => "text",
  toDriver: packDecision,
  fromDriver: unpackDecision,
});

/**
 * What a decision expected to be used, read by SQL: from the beginning of a packed text, or from the JSON of
 * a row from before. null where neither can be read.
 */
export const estimateIn = (column: string, figure: "inputTokens" | "outputTokens"): string => {
  const packed = figure === "inputTokens" ? column : `substr(${column}, instr(${column}, ',') + 1)`;
  return `case when json_valid(${column}) then json_extract(${column}, '$.estimate.${figure}')
    when ${column} glob '[0-9]*,[0-9]*;*' then cast(${packed} as integer) end`;
};
