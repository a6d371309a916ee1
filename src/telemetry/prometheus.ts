/** Prometheus text format 0.0.4, with names by OpenTelemetry's compatibility document. */
import type { Instrument, Labels } from "../domain/audit/metrics.ts";
import type { Metric, Series } from "./meters.ts";

export const prometheusType = "text/plain; version=0.0.4; charset=utf-8";

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

/** UCUM units. */
const suffixes: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

function nameOf({ name, kind, unit }: Instrument): string {
  const suffix = suffixes[unit] ?? "";
  const based = `${plain(name)}${suffix}`;
  return kind === "counter" ? `${based}_total` : based;
}

const quoted = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function labelsText(labels: Labels, ...more: string[]): string {
  const all = [...labels, ...more];
  const pairs = all.flatMap((name, at) =>
    at % 2 === 0 ? [`${plain(name)}="${quoted(all[at + 1] ?? "")}"`] : [],
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function histogramLines(name: string, { bounds }: Instrument, series: Series): string[] {
  let count = 0;
  const buckets = series.counts.map((inBucket, at) => {
    count += inBucket;
    const bound = bounds[at];
    const le = bound === undefined ? "+Inf" : String(bound);
    return `${name}_bucket${labelsText(series.labels, "le", le)} ${count}`;
  });
  return [
    ...buckets,
    `${name}_sum${labelsText(series.labels)} ${series.sum}`,
    `${name}_count${labelsText(series.labels)} ${count}`,
  ];
}

function linesOf({ instrument, allSeries }: Metric): string[] {
  const name = nameOf(instrument);
  return [
    `# HELP ${name} ${instrument.description}`,
    `# TYPE ${name} ${instrument.kind}`,
    ...allSeries.flatMap((series) =>
      instrument.kind === "histogram"
        ? histogramLines(name, instrument, series)
        : [`${name}${labelsText(series.labels)} ${series.sum}`],
    ),
  ];
}

export const prometheusText = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join("");
