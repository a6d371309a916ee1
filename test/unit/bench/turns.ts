/** Turns and runs with made-up figures. */
import type { Compared } from "../../bench/compare.ts";
import { comparisonOf, type Comparison } from "../../bench/figures.ts";
import type { Turn } from "../../bench/load.ts";

export const turn = (about: Partial<Turn> = {}): Turn => ({
  latencies: [10],
  answers: 100,
  measuredSeconds: 1,
  cpu: { server: 50, database: 0 },
  memoryMib: 100,
  timing: {},
  asked: 100,
  wrong: 0,
  firstWrong: null,
  ...about,
});

/** A run in which the subject has these shares of the baseline's 100 answers a second, pair by pair. */
export const runOf = (...shares: number[]): Comparison =>
  comparisonOf(
    shares.map((share) => ({
      subject: turn({ answers: 100 * share, latencies: [10 / share] }),
      baseline: turn(),
    })),
  );

const named = (name: string): { name: string; title: string } => ({ name, title: `the ${name}` });

export const compared = (
  about: { subject: string; baseline: string; concurrency: number },
  ...runs: Comparison[]
): Compared => ({
  subject: named(about.subject),
  baseline: named(about.baseline),
  concurrency: about.concurrency,
  runs,
});
