/** The figures in docs/benchmarks.md: what stands between its two marks, and the plot that it shows. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../src/start/settings.ts";
import type { Compared } from "./compare.ts";
import { median, type Comparison, type Figures } from "./figures.ts";
import { goals, verdictOf } from "./goals.ts";
import type { Options } from "./options.ts";
import { plotOf } from "./plot.ts";
import { cellsOf, figureNames, rangeText, ratioText } from "./report.ts";

const pagePath = "docs/benchmarks.md";
const plotPath = "docs/images/benchmarks.svg";
/** What stands between them is written anew. */
export const marks = /(<!-- bench -->\n)[^]*?(<!-- \/bench -->)/;

export interface Circumstances {
  machine: Record<string, string | number>;
  /** the share of the cores that other programs used; null: unknown */
  others: number | null;
  options: Options;
}

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? "---" : "--:")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");

/** The run in the middle, by its ratio of rates: absolute figures are one run's, not a mix. */
export function middleRun(runs: readonly Comparison[]): Comparison | undefined {
  const sorted = runs.toSorted((a, b) => a.ratio.rps.median - b.ratio.rps.median);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** "the subject's : the baseline's" */
const bothOf = (subject: Figures, baseline: Figures): string[] => {
  const others = cellsOf(baseline);
  return cellsOf(subject).map((cell, at) => `${cell} : ${others[at]}`);
};

const figuresTable = (all: readonly Compared[]): string =>
  markdown(
    ["compared", "c", ...figureNames, "ratio of rps", "ratio of p50", "rps ratio of each run"],
    all.flatMap(({ subject, baseline, concurrency, runs }) => {
      const run = middleRun(runs);
      if (run === undefined) return [];
      return [
        [
          `${subject.title} : ${baseline.title}`,
          String(concurrency),
          ...bothOf(run.subject, run.baseline),
          rangeText(run.ratio.rps),
          rangeText(run.ratio.p50),
          runs.map(({ ratio }) => ratioText(ratio.rps.median)).join(", "),
        ],
      ];
    }),
  );

function goalsText(all: readonly Compared[]): string {
  const rows = goals.flatMap((goal) => {
    const found = all.find(
      ({ subject, baseline, concurrency }) =>
        subject.name === goal.subject &&
        baseline.name === goal.baseline &&
        concurrency === goal.concurrency,
    );
    if (found === undefined) return [];
    const medians = found.runs.map(({ ratio }) => ratio[goal.ratio].median);
    const what = `${goal.ratio} at c=${goal.concurrency}, ${found.subject.title} : ${found.baseline.title}`;
    const figures = [median(medians), goal.required, goal.aim].map(ratioText);
    return [[what, ...figures, verdictOf(goal, medians)]];
  });
  if (rows.length === 0) return "";
  return `\n${markdown(["goal", "measured", "required", "aim", ""], rows)}\n`;
}

/** What stands between the marks. */
export function sectionOf(
  all: readonly Compared[],
  about: Circumstances & { date: string; plot: string },
): string {
  const { machine, others, options, date, plot } = about;
  const { turns, seconds, warmUpSeconds, runs } = options;
  const named = Object.entries(machine).map(([name, value]) => `${name} ${value}`);
  const noise = others === null ? "an unknown share" : `at most ${Math.round(others * 100)} %`;
  return `Measured ${date} by \`npm run bench -- --runs ${runs} --write\`: ${runs} ${runs === 1 ? "run" : "runs"}, in each of them ${turns} pairs of
turns of ${seconds} s after ${warmUpSeconds} s of warm-up. Absolute figures are those of the run in the middle. A ratio is the median of
the pairs of turns, with the least and the greatest. CPU is user and system time a request, of what answers and of the
libSQL server; MiB is what the process that answers has resident in the end. Other programs used ${noise} of the machine before the pairs.
Machine and versions: ${named.join(", ")}.

![Ratios of requests a second and of p50, for each pair of subjects](${plot})

${figuresTable(all)}
${goalsText(all)}`;
}

/** Writes both files; the answer says which. */
export function writeDocument(all: readonly Compared[], about: Circumstances): string {
  const page = readFileSync(join(checkout, pagePath), "utf8");
  if (!marks.test(page)) throw new Error(`${pagePath} has no marks for the figures`);
  const date = new Date().toISOString().slice(0, 10);
  const section = sectionOf(all, { ...about, date, plot: "images/benchmarks.svg" });
  writeFileSync(join(checkout, plotPath), plotOf(all));
  const written = page.replace(marks, (_, from: string, to: string) => `${from}${section}${to}`);
  writeFileSync(join(checkout, pagePath), written);
  return `\n${pagePath} and ${plotPath} are written.`;
}
