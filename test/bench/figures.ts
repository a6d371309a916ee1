/** From turns to figures. */
import type { Timing } from "./calls.ts";
import type { Turn } from "./load.ts";
import type { SubjectName } from "./options.ts";

export interface Figures {
  subject: SubjectName;
  concurrency: number;
  /** ms */
  p50: number;
  p99: number;
  rps: number;
  /** to the pass-through at the same concurrency; null: it did not take part */
  ratioP50: number | null;
  ratioRps: number | null;
  measured: number;
  asked: number;
  wrong: number;
  firstWrong: string | null;
  /** ms of CPU per request: of workerd, and of the database server where there is one */
  cpu: { server: number | null; database: number | null };
  /** mean ms per step, as the router reports them */
  timing: Timing | null;
  /** of each turn, in order */
  turns: { rps: number; p50: number }[];
}

/** Nearest rank; `sorted` ascending. */
function percentile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function cpuPerRequest(turns: readonly Turn[], of: keyof Turn["cpu"]): number | null {
  const spent = turns.flatMap(({ cpu }) => cpu[of] ?? []);
  const asked = sum(turns.map((turn) => turn.asked));
  return spent.length < turns.length ? null : sum(spent) / asked;
}

export function figuresOf(
  subject: SubjectName,
  concurrency: number,
  turns: readonly Turn[],
): Figures {
  const sorted = Float64Array.from(turns.flatMap(({ latencies }) => latencies)).toSorted();
  const timing: Timing = {};
  for (const turn of turns)
    for (const [step, ms] of Object.entries(turn.timing))
      timing[step] = (timing[step] ?? 0) + ms / sorted.length;
  return {
    subject,
    concurrency,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    rps: sum(turns.map(({ answers }) => answers)) / sum(turns.map((turn) => turn.measuredSeconds)),
    ratioP50: null,
    ratioRps: null,
    measured: sorted.length,
    asked: sum(turns.map(({ asked }) => asked)),
    wrong: sum(turns.map(({ wrong }) => wrong)),
    firstWrong: turns.find((turn) => turn.firstWrong !== null)?.firstWrong ?? null,
    cpu: {
      server: cpuPerRequest(turns, "server"),
      database: cpuPerRequest(turns, "database"),
    },
    timing: Object.keys(timing).length === 0 ? null : timing,
    turns: turns.map((turn) => ({
      rps: turn.answers / turn.measuredSeconds,
      p50: percentile(Float64Array.from(turn.latencies).toSorted(), 0.5),
    })),
  };
}

/** Each one compared with the pass-through at its concurrency. */
export const compared = (all: readonly Figures[]): Figures[] =>
  all.map((figures) => {
    const bare = all.find(
      ({ subject, concurrency }) =>
        subject === "pass-through" && concurrency === figures.concurrency,
    );
    if (bare === undefined) return figures;
    return { ...figures, ratioP50: figures.p50 / bare.p50, ratioRps: figures.rps / bare.rps };
  });

/** How far the turns of one cell lie apart: (highest - lowest) / mean of rps. */
export function spreadOf({ turns }: Figures): number {
  const rates = turns.map(({ rps }) => rps);
  return (Math.max(...rates) - Math.min(...rates)) / (sum(rates) / rates.length);
}
