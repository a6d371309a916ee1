/** What the router has to reach beside its baselines. */
import { median, type Comparison } from "./figures.ts";

export type RatioName = keyof Comparison["ratio"];

export interface Goal {
  subject: string;
  baseline: string;
  concurrency: number;
  ratio: RatioName;
  required: number;
  aim: number;
}

export const goals: readonly Goal[] = [
  {
    subject: "self-hosted",
    baseline: "node-pass-through",
    concurrency: 64,
    ratio: "rps",
    required: 0.25,
    aim: 0.4,
  },
  {
    subject: "self-hosted",
    baseline: "portkey",
    concurrency: 64,
    ratio: "rps",
    required: 0.4,
    aim: 1,
  },
  {
    subject: "self-hosted",
    baseline: "node-pass-through",
    concurrency: 1,
    ratio: "p50",
    required: 6,
    aim: 4,
  },
  {
    subject: "self-hosted-libsql",
    baseline: "self-hosted-libsql-before",
    concurrency: 64,
    ratio: "rps",
    required: 2.5,
    aim: 4,
  },
  {
    subject: "worker-no-jobs",
    baseline: "worker-before",
    concurrency: 64,
    ratio: "rps",
    required: 2,
    aim: 3,
  },
  {
    subject: "worker-no-jobs",
    baseline: "workerd-pass-through",
    concurrency: 16,
    ratio: "p50",
    required: 5,
    aim: 4,
  },
];

/** One run may be lucky, so one run proves no goal. */
export const runsThatCount = 3;

export type Verdict = "reaches the aim" | "reaches what is required" | "misses" | "too few runs";

/** @param medians of each run's pairs */
export function verdictOf(goal: Goal, medians: readonly number[]): Verdict {
  if (medians.length < runsThatCount) return "too few runs";
  const reached = median(medians);
  const reaches = (figure: number): boolean =>
    goal.ratio === "rps" ? reached >= figure : reached <= figure;
  if (reaches(goal.aim)) return "reaches the aim";
  return reaches(goal.required) ? "reaches what is required" : "misses";
}
