/** What is printed at the end. */
import { availableParallelism, cpus, loadavg } from "node:os";
import { createRequire } from "node:module";
import { spreadOf, type Figures } from "./figures.ts";
import type { Counted, Trips } from "./round-trips.ts";

const number = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : "–";
const ms = (value: number): string => number(value, value < 100 ? 2 : 0);
/** A process that isn't there spent nothing. */
const cpu = (value: number | null): string => (value ? value.toFixed(2) : "–");
const ratio = (value: number | null): string => (value === null ? "–" : `${value.toFixed(2)}×`);

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

export function figuresTable(all: readonly Figures[]): string {
  const head = [
    "",
    "c",
    "p50 ms",
    "p99 ms",
    "rps",
    "p50 to bare",
    "rps to bare",
    "spread",
    "wrong",
    "cpu ms",
    "db cpu ms",
  ];
  const rows = all.map((figures, at) => [
    all[at - 1]?.subject === figures.subject ? "" : figures.subject,
    String(figures.concurrency),
    ms(figures.p50),
    ms(figures.p99),
    number(figures.rps, 0),
    ratio(figures.ratioP50),
    ratio(figures.ratioRps),
    `${number(spreadOf(figures) * 100, 0)} %`,
    String(figures.wrong),
    cpu(figures.cpu.server),
    cpu(figures.cpu.database),
  ]);
  return table([head, ...rows]);
}

export function timingTable(all: readonly Figures[]): string {
  const timed = all.filter(({ timing }) => timing !== null);
  const steps = Object.keys(timed[0]?.timing ?? {});
  return table([
    ["", "c", ...steps],
    ...timed.map(({ subject, concurrency, timing }, at) => [
      timed[at - 1]?.subject === subject ? "" : subject,
      String(concurrency),
      ...steps.map((step) => ms(timing?.[step] ?? Number.NaN)),
    ]),
  ]);
}

function tripsText(all: readonly Trips[]): string {
  const range = (side: keyof Trips): string => {
    const counts = all.map((trips) => trips[side]);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return least === most ? `${most}` : `${least} to ${most}`;
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

export function machine(): Record<string, string | number> {
  const require = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  const workerd = require("workerd/package.json") as { version: string };
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    node: process.version,
    workerd: workerd.version,
    platform: `${process.platform} ${process.arch}`,
    loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
