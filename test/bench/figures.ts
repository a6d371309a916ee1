/** From turns to figures: what each of two subjects did, and how they compare pair of turns by pair of turns. */
import type { Timing } from "./calls.ts";
import type { Turn } from "./load.ts";

/** What one subject did in all its turns. */
export interface Figures {
  /** ms */
  p50: number;
  p99: number;
  rps: number;
  measured: number;
  asked: number;
  wrong: number;
  firstWrong: string | null;
  /** ms of CPU a request: of what answers, and of the database server where there is one */
  cpu: { server: number | null; database: number | null };
  /** MiB resident after the last turn */
  memoryMib: number | null;
  /** mean ms per step, as the router reports them */
  timing: Timing | null;
}

/** Of the ratios that the pairs of turns have: one disturbed turn moves the median little. */
export interface Ratio {
  median: number;
  least: number;
  max: number;
}

/** One turn of the subject and one of the baseline, whichever came first. */
export interface TurnPair {
  subject: Turn;
  baseline: Turn;
}

export interface Comparison {
  subject: Figures;
  baseline: Figures;
  /** the subject's in the baseline's */
  ratio: { rps: Ratio; p50: Ratio };
}

/** Nearest rank; `sorted` ascending. */
function percentile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const ratioOf = (values: readonly number[]): Ratio => ({
  median: median(values),
  least: Math.min(...values),
  max: Math.max(...values),
});

const rateOf = ({ answers, measuredSeconds }: Turn): number => answers / measuredSeconds;
const p50Of = ({ latencies }: Turn): number =>
  percentile(Float64Array.from(latencies).toSorted(), 0.5);

function cpuPerRequest(turns: readonly Turn[], of: keyof Turn["cpu"]): number | null {
  const spent = turns.flatMap(({ cpu }) => cpu[of] ?? []);
  const asked = sum(turns.map((turn) => turn.asked));
  return spent.length < turns.length ? null : sum(spent) / asked;
}

export function figuresOf(turns: readonly Turn[]): Figures {
  const sorted = Float64Array.from(turns.flatMap(({ latencies }) => latencies)).toSorted();
  const timing: Timing = {};
  for (const turn of turns)
    for (const [step, ms] of Object.entries(turn.timing))
      timing[step] = (timing[step] ?? 0) + ms / sorted.length;
  return {
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    rps: sum(turns.map(({ answers }) => answers)) / sum(turns.map((turn) => turn.measuredSeconds)),
    measured: sorted.length,
    asked: sum(turns.map(({ asked }) => asked)),
    wrong: sum(turns.map(({ wrong }) => wrong)),
    firstWrong: turns.find((turn) => turn.firstWrong !== null)?.firstWrong ?? null,
    cpu: {
      server: cpuPerRequest(turns, "server"),
      database: cpuPerRequest(turns, "database"),
    },
    memoryMib: turns.at(-1)?.memoryMib ?? null,
    timing: Object.keys(timing).length === 0 ? null : timing,
  };
}

export const comparisonOf = (pairs: readonly TurnPair[]): Comparison => ({
  subject: figuresOf(pairs.map(({ subject }) => subject)),
  baseline: figuresOf(pairs.map(({ baseline }) => baseline)),
  ratio: {
    rps: ratioOf(pairs.map(({ subject, baseline }) => rateOf(subject) / rateOf(baseline))),
    p50: ratioOf(pairs.map(({ subject, baseline }) => p50Of(subject) / p50Of(baseline))),
  },
});
