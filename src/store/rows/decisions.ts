/** Packs a decision, the largest part of a record, into a tenth of its JSON. */
import { customType } from "drizzle-orm/sqlite-core";
import { faultReaches } from "../../domain/attempts.ts";
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import type { FailoverCandidate } from "../../domain/choice/failover.ts";
import { counted, readDigits } from "./digits.ts";
import { packCandidates, unpackCandidates, type PackedCandidates } from "./packed-candidates.ts";
import { lengthen, shorten } from "./phrases.ts";

function packFailover(
  failover: readonly FailoverCandidate[],
  candidates: readonly Candidate[],
): string | null {
  let text = "";
  for (const { provider, model, after } of failover) {
    const place = candidates.findIndex(
      (candidate) => candidate.model === model && candidate.provider === provider,
    );
    if (place < 0) return null;
    const bits = after.reduce((sum, reach) => sum | (1 << faultReaches.indexOf(reach)), 0);
    text += counted(place) + counted(bits);
  }
  return text;
}

function unpackFailover(text: string, candidates: readonly Candidate[]): FailoverCandidate[] {
  const reader = readDigits(text);
  const steps: FailoverCandidate[] = [];
  while (!reader.isAtEnd) {
    const { provider, model } = candidates[reader.counted()] ?? noCandidate;
    const bits = reader.counted();
    steps.push({ provider, model, after: faultReaches.filter((_, at) => bits & (1 << at)) });
  }
  return steps;
}

interface Stored extends Omit<Decision, "provider" | "model" | "candidates" | "failover"> {
  /** 0 for the first candidate's */
  provider: string | 0;
  model: string | 0;
  candidates: PackedCandidates;
  failover?: string | FailoverCandidate[];
}

const noCandidate = { provider: "", model: "" };

/** Expected tokens come first: SQL reads them when a lease expires. */
export function packDecision(decision: Decision): string {
  const { provider, model, candidates, failover, estimate } = decision;
  const [first] = candidates;
  const stored: Stored = {
    ...decision,
    ...(first?.provider === provider && first.model === model && { provider: 0, model: 0 }),
    candidates: packCandidates(candidates),
    ...(failover !== undefined && { failover: packFailover(failover, candidates) ?? failover }),
  };
  return `${estimate.inputTokens},${estimate.outputTokens};${shorten(JSON.stringify(stored))}`;
}

export function unpackDecision(text: string): Decision {
  const stored = JSON.parse(lengthen(text.slice(text.indexOf(";") + 1))) as Stored;
  const { provider, model, failover } = stored;
  const candidates = unpackCandidates(stored.candidates);
  const first = candidates[0] ?? noCandidate;
  return {
    ...stored,
    provider: provider === 0 ? first.provider : provider,
    model: model === 0 ? first.model : model,
    candidates,
    ...(failover !== undefined && {
      failover: typeof failover === "string" ? unpackFailover(failover, candidates) : failover,
    }),
  } as Decision;
}

export const decisionColumn = customType<{ data: Decision; driverData: string }>({
  dataType: () => "text",
  toDriver: packDecision,
  fromDriver: unpackDecision,
});

export const estimateIn = (column: string, figure: "inputTokens" | "outputTokens"): string => {
  const from = figure === "inputTokens" ? column : `substr(${column}, instr(${column}, ',') + 1)`;
  return `case when ${column} glob '[0-9]*,[0-9]*;*' then cast(${from} as integer) end`;
};
