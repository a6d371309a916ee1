/** Every pair of subjects, as often as was asked for. */
import { writeFileSync } from "node:fs";
import type { Ending } from "../../src/start/ending.ts";
import { writeDocument } from "./document.ts";
import type { Comparison } from "./figures.ts";
import { machine, machineLine, othersShare } from "./machine.ts";
import type { Options } from "./options.ts";
import { measurePair, type Pair } from "./pairs.ts";
import { comparisonsTable, goalsTable, timingTable } from "./report.ts";
import { subjectsWith } from "./subjects.ts";

type Say = (line: string) => void;

/** A pair at one concurrency, in every run. */
export interface Compared {
  subject: { name: string; title: string };
  baseline: { name: string; title: string };
  concurrency: number;
  runs: Comparison[];
}

/** What other programs used before each pair and run, at most; figures of a busier machine are not written down. */
const othersAtMost = 0.1;
/** Its processes, tenants and keys; more on a slow machine. */
const startSeconds = 15;

/** Throws, with a sentence, on a name that no subject has. */
export function pairsOf({ pairs, before }: Pick<Options, "pairs" | "before">): Pair[] {
  const subjects = subjectsWith(before);
  const named = (name: string): Pair["subject"] => {
    const found = subjects.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new Error(
      `--pairs names ${name}, and there are ${subjects.map((each) => each.name).join(", ")}`,
    );
  };
  return pairs.map(({ subject, baseline }) => ({
    subject: named(subject),
    baseline: named(baseline),
  }));
}

/** s, of everything. */
export function expectedSeconds(options: Options): number {
  const { turns, seconds, warmUpSeconds, concurrencies, pairs, runs } = options;
  const perConcurrency = 2 * (warmUpSeconds + turns * seconds);
  return runs * pairs.length * (startSeconds + concurrencies.length * perConcurrency);
}

const lineOf = ({ subject, baseline, ratio }: Comparison): string =>
  `${Math.round(subject.rps)} : ${Math.round(baseline.rps)} rps, ratio ${ratio.rps.median.toFixed(3)} ` +
  `(${ratio.rps.least.toFixed(3)} to ${ratio.rps.max.toFixed(3)}); ` +
  `p50 ${subject.p50.toFixed(2)} : ${baseline.p50.toFixed(2)} ms`;

async function measureAll(
  options: Options,
  ending: Ending,
  say: Say,
): Promise<{ all: Compared[]; others: number | null }> {
  const pairs = pairsOf(options);
  const all = pairs.flatMap(({ subject, baseline }) =>
    options.concurrencies.map((concurrency): Compared => ({
      subject,
      baseline,
      concurrency,
      runs: [],
    })),
  );
  let others: number | null = null;
  for (let run = 1; run <= options.runs; run += 1)
    for (const pair of pairs) {
      const now = await othersShare();
      if (now !== null) others = Math.max(others ?? 0, now);
      say(`run ${run} of ${options.runs}: ${pair.subject.name} : ${pair.baseline.name}`);
      const comparisons = await measurePair(pair, options, { ending, say });
      for (const [concurrency, comparison] of comparisons) {
        say(`  c=${concurrency}: ${lineOf(comparison)}`);
        all
          .find(
            (each) =>
              each.subject === pair.subject &&
              each.baseline === pair.baseline &&
              each.concurrency === concurrency,
          )
          ?.runs.push(comparison);
      }
    }
  return { all, others };
}

const faultsOf = (all: readonly Compared[]): string[] =>
  all.flatMap(({ concurrency, runs, ...pair }) =>
    runs.flatMap((run) => {
      const faults = (["subject", "baseline"] as const)
        .filter((side) => run[side].wrong > 0)
        .map((side) => {
          const { asked, wrong, firstWrong } = run[side];
          return `${pair[side].name}, c=${concurrency}: ${wrong} of ${asked} answers wrong; the first: ${firstWrong}`;
        });
      if (faults.length > 0 || Number.isFinite(run.ratio.p50.median)) return faults;
      const names = `${pair.subject.name} : ${pair.baseline.name}`;
      return [`${names}, c=${concurrency}: a turn saw no whole answer; it needs more --seconds`];
    }),
  );

/** Sentences on what was wrong; none: every answer was right. */
export async function compare(options: Options, ending: Ending, say: Say): Promise<string[]> {
  const minutes = Math.ceil(expectedSeconds(options) / 60);
  say(`About ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`);
  const { all, others } = await measureAll(options, ending, say);
  const faults = faultsOf(all);
  // After the peers were installed, so that their versions are known.
  const about = machine(options.before);
  const noise = others === null ? "unknown" : `at most ${Math.round(others * 100)} %`;
  say(`\n${machineLine(options.before)}`);
  say(`Load generator, provider and subjects share these cores. Others used ${noise} of them.\n`);
  say(comparisonsTable(all));
  say(`\n${goalsTable(all)}`);
  const timing = timingTable(all);
  if (timing !== null) say(`\nWhere the router's time went, mean ms by its own clock:\n${timing}`);
  if (options.json !== null)
    writeFileSync(
      options.json,
      `${JSON.stringify({ machine: about, others, options, all, faults }, null, 2)}\n`,
    );
  if (options.write && faults.length === 0) {
    if (others !== null && others > othersAtMost)
      faults.push(`nothing is written: other programs used ${noise} of the machine`);
    else say(writeDocument(all, { machine: about, others, options }));
  }
  return faults;
}
