/** Metrics of this process, one series per instrument and labels. */
import type { Instrument, Labels, Note } from "../domain/audit/metrics.ts";

export interface Series {
  labels: Labels;
  /** of a histogram, the sum of values */
  sum: number;
  /** by bucket; the last is unbounded */
  counts: number[];
}

export interface Metric {
  instrument: Instrument;
  allSeries: Series[];
}

/** Evaluated when read. */
export interface Gauge {
  instrument: Instrument;
  read: () => { labels: Labels; value: number }[];
}

/** Per instrument. Limits the cardinality, since people choose model names. */
const maxSeries = 2_000;
/** OpenTelemetry's "Metrics SDK", cardinality limits. */
const overflow: Labels = ["otel.metric.overflow", "true"];

function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
  return at;
}

export function createMeters(deps: { gauges: readonly Gauge[]; now: () => number }) {
  const held = new Map<Instrument, Map<string, Series>>();
  let since: number | null = null;
  let measurements = 0;

  const seriesOf = (instrument: Instrument, labels: Labels): Series => {
    let allSeries = held.get(instrument);
    if (allSeries === undefined) {
      allSeries = new Map();
      held.set(instrument, allSeries);
    }
    const key = labels.join("\n");
    const known = allSeries.get(key);
    if (known !== undefined) return known;
    if (allSeries.size >= maxSeries && labels !== overflow) return seriesOf(instrument, overflow);
    const { kind, bounds } = instrument;
    const counts = kind === "histogram" ? Array.from({ length: bounds.length + 1 }, () => 0) : [];
    const series = { labels, sum: 0, counts };
    allSeries.set(key, series);
    return series;
  };

  const note: Note = (instrument, value, labels) => {
    since ??= deps.now();
    measurements += 1;
    const series = seriesOf(instrument, labels);
    series.sum += value;
    if (instrument.kind !== "histogram") return;
    const at = bucketOf(instrument.bounds, value);
    series.counts[at] = (series.counts[at] ?? 0) + 1;
  };

  return {
    note,
    measurementCount: (): number => measurements,
    /** ms since the epoch of the first measurement */
    since: (): number => since ?? deps.now(),
    read: (): Metric[] => [
      ...Array.from(held, ([instrument, allSeries]) => ({
        instrument,
        allSeries: [...allSeries.values()],
      })),
      ...deps.gauges.map(({ instrument, read }) => ({
        instrument,
        allSeries: read().map(({ labels, value }) => ({ labels, sum: value, counts: [] })),
      })),
    ],
  };
}

export type Meters = ReturnType<typeof createMeters>;
