/** What is printed at the end. */
import type { Compared } from "./compare.ts";
import { median, type Figures, type Ratio } from "./figures.ts";
import { goals, runsThatCount, verdictOf } from "./goals.ts";
import type { Counted, Trips } from "./round-trips.ts";

const number = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : "–";
const ms = (value: number): string => number(value, value < 100 ? 2 : 0);
/** A process that isn't there spent nothing. */
const cpu = (value: number | null): string => (value ? value.toFixed(2) : "–");
export const ratioText = (value: number): string => number(value, value < 10 ? 2 : 1);
export const rangeText = ({ median: middle, least, max }: Ratio): string =>
  `${ratioText(middle)} (${ratioText(least)} to ${ratioText(max)})`;

/** Text to the left, figures to the right. */
export function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One side of a comparison: rps, p50, p99, CPU and memory. */
export const cellsOf = ({ rps, p50, p99, cpu: spent, memoryMib }: Figures): string[] => [
  number(rps, 0),
  ms(p50),
  ms(p99),
  cpu(spent.server),
  cpu(spent.database),
  memoryMib === null ? "–" : number(memoryMib, 0),
];

export const figureNames = ["rps", "p50 ms", "p99 ms", "cpu ms", "db cpu ms", "MiB"] as const;

/** Two lines a comparison: the subject's with the ratios, the baseline's below. */
export const comparisonsTable = (all: readonly Compared[]): string =>
  table([
    ["", "c", ...figureNames, "rps ratio", "p50 ratio"],
    ...all.flatMap(({ subject, baseline, concurrency, runs }) =>
      runs.flatMap((run) => [
        [
          subject.name,
          String(concurrency),
          ...cellsOf(run.subject),
          rangeText(run.ratio.rps),
          rangeText(run.ratio.p50),
        ],
        [`  : ${baseline.name}`, "", ...cellsOf(run.baseline), "", ""],
      ]),
    ),
  ]);

/** What was measured of the goals, beside them. */
export function goalsTable(all: readonly Compared[]): string {
  const rows = goals.flatMap((goal) => {
    const measured = all.find(
      ({ subject, baseline, concurrency }) =>
        subject.name === goal.subject &&
        baseline.name === goal.baseline &&
        concurrency === goal.concurrency,
    );
    if (measured === undefined) return [];
    const medians = measured.runs.map(({ ratio }) => ratio[goal.ratio].median);
    return [
      [
        `${goal.ratio} at c=${goal.concurrency}, ${goal.subject} : ${goal.baseline}`,
        ratioText(median(medians)),
        String(goal.required),
        String(goal.aim),
        verdictOf(goal, medians),
      ],
    ];
  });
  if (rows.length === 0) return "None of the goals' pairs was measured.";
  const head = ["", `median of ${all[0]?.runs.length}`, "required", "aim", ""];
  return `${table([head, ...rows])}\nA figure counts when it is the median of ${runsThatCount} runs or more.`;
}

/** null: no subject reports it. */
export function timingTable(all: readonly Compared[]): string | null {
  const timed = all.flatMap(({ concurrency, runs, ...pair }) =>
    (["subject", "baseline"] as const).flatMap((side) =>
      runs.flatMap((run) => {
        const { timing } = run[side];
        return timing === null ? [] : [{ name: pair[side].name, concurrency, timing }];
      }),
    ),
  );
  if (timed.length === 0) return null;
  const steps = Object.keys(timed[0]?.timing ?? {});
  return table([
    ["", "c", ...steps],
    ...timed.map(({ name, concurrency, timing }) => [
      name,
      String(concurrency),
      ...steps.map((step) => ms(timing[step] ?? Number.NaN)),
    ]),
  ]);
}

function tripsText(all: readonly Trips[]): string {
  const range = (side: keyof Trips): string => {
    const counts = all.map((trips) => trips[side]);
    const [least, max] = [Math.min(...counts), Math.max(...counts)];
    return least === max ? `${max}` : `${least} to ${max}`;
  };
  return `${range("before")} before the provider, ${range("after")} after (${all.length} requests)`;
}

export const tripsReport = (counted: readonly Counted[]): string =>
  counted
    .flatMap(({ database, how, cold, warm, changed }) => [
      `${database}: ${how}`,
      `  cold   ${tripsText(cold)}`,
      `  warm   ${tripsText(warm)}`,
      `  warm, the tenant just changed   ${tripsText(changed)}`,
    ])
    .join("\n");
