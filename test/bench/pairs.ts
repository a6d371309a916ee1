/** Two subjects beside each other, and nothing else of the bench alive but their provider. */
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { startChild } from "./child.ts";
import { comparisonOf, type Comparison, type TurnPair } from "./figures.ts";
import { runTurn, type Target, type Turn } from "./load.ts";
import type { Measuring } from "./options.ts";
import type { Subject } from "./subjects.ts";

export interface Pair {
  subject: Subject;
  baseline: Subject;
}

export type Side = keyof TurnPair;

/** ABBA: what drifts on the machine hits both sides alike. */
export const orderOf = (turn: number): readonly [Side, Side] =>
  turn % 2 === 0 ? ["subject", "baseline"] : ["baseline", "subject"];

interface Alive {
  subject: Target;
  baseline: Target;
}

async function warmUp(alive: Alive, concurrency: number, seconds: number): Promise<void> {
  for (const side of ["subject", "baseline"] as const) {
    const warmed = await runTurn(alive[side], { concurrency, seconds });
    if (warmed.wrong > 0) throw new Error(`the ${side} answered wrong: ${warmed.firstWrong}`);
  }
}

async function measureAt(
  alive: Alive,
  concurrency: number,
  { turns, seconds, warmUpSeconds }: Measuring,
): Promise<Comparison> {
  await warmUp(alive, concurrency, warmUpSeconds);
  const pairs: TurnPair[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const [first, second] = orderOf(turn);
    const done: Partial<Record<Side, Turn>> = {};
    for (const side of [first, second])
      done[side] = await runTurn(alive[side], { concurrency, seconds });
    const { subject, baseline } = done;
    if (subject !== undefined && baseline !== undefined) pairs.push({ subject, baseline });
  }
  return comparisonOf(pairs);
}

/** One run of a pair, from its start to its end, at every concurrency. */
export async function measurePair(
  pair: Pair,
  measuring: Measuring,
  about: { ending: Ending; say: (line: string) => void },
): Promise<Map<number, Comparison>> {
  const { say } = about;
  const ending = createEnding();
  // Of this pair alone; a Ctrl-C in between ends it too.
  about.ending.add(ending.run);
  try {
    const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
    const alive = {
      subject: await pair.subject.start({ provider, ending, say }),
      baseline: await pair.baseline.start({ provider, ending, say }),
    };
    const comparisons = new Map<number, Comparison>();
    for (const concurrency of measuring.concurrencies)
      comparisons.set(concurrency, await measureAt(alive, concurrency, measuring));
    return comparisons;
  } finally {
    await ending.run();
  }
}
