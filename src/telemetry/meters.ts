/** Metrics of this process, one series per instrument and labels. */
import type { Instrument, Labels, Note } from "../domain/audit/metrics.ts";

export interface Line {
  labels: Labels;
  /** of a histogram, the sum of values */
  sum: number;
  /** by bucket; the last is unbounded */
  counts: number[];
}

export interface Figures {
  instrument: Instrument;
  lines: Line[];
}

/** Evaluated when read. */
export interface Gauge {
  instrument: Instrument;
  read: () => { labels: Labels; value: number }[];
}

/** Bounds the cardinality, since people choose model names. */
const maxLines = 2_000;
/** OpenTelemetry's "Metrics SDK", cardinality limits. */
const overflow: Labels = ["otel.metric.overflow", "true"];

function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
  return at;
}

export function createMeters(deps: { gauges: readonly Gauge[]; now: () => number }) {
  const held = new Map<Instrument, Map<string, Line>>();
  let since: number | null = null;
  let noted = 0;

  const lineOf = (instrument: Instrument, labels: Labels): Line => {
    let lines = held.get(instrument);
    if (lines === undefined) {
      lines = new Map();
      held.set(instrument, lines);
    }
    const key = labels.join("\n");
    const known = lines.get(key);
    if (known !== undefined) return known;
    if (lines.size >= maxLines && labels !== overflow) return lineOf(instrument, overflow);
    const { kind, bounds } = instrument;
    const counts = kind === "histogram" ? Array.from({ length: bounds.length + 1 }, () => 0) : [];
    const line = { labels, sum: 0, counts };
    lines.set(key, line);
    return line;
  };

  const note: Note = (instrument, value, labels) => {
    since ??= deps.now();
    noted += 1;
    const line = lineOf(instrument, labels);
    line.sum += value;
    if (instrument.kind !== "histogram") return;
    const at = bucketOf(instrument.bounds, value);
    line.counts[at] = (line.counts[at] ?? 0) + 1;
  };

  return {
    note,
    /** incremented per measurement */
    noted: (): number => noted,
    /** ms since the epoch of the first measurement */
    since: (): number => since ?? deps.now(),
    read: (): Figures[] => [
      ...Array.from(held, ([instrument, lines]) => ({ instrument, lines: [...lines.values()] })),
      ...deps.gauges.map(({ instrument, read }) => ({
        instrument,
        lines: read().map(({ labels, value }) => ({ labels, sum: value, counts: [] })),
      })),
    ],
  };
}

export type Meters = ReturnType<typeof createMeters>;
