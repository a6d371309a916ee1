/** Exports metrics as OTLP/HTTP in JSON to the collector of spans. */
import { ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { JsonMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Instrument, Labels } from "../domain/audit/metrics.ts";
import type { Figures, Line, Meters } from "./meters.ts";
import { send, type TraceTarget } from "./otlp.ts";

/** ms to batch measurements. */
const lingerMs = 1_000;
/** ms after which another request takes over an export whose invocation may have ended. */
const lostMs = 2 * lingerMs;

/**
 * `cumulative` since the process started, robust to lost messages; `delta` since the last message, for many
 * short-lived isolates.
 */
export type Temporality = "cumulative" | "delta";

const attributesOf = (labels: Labels): Record<string, string> =>
  Object.fromEntries(
    labels.flatMap((name, at) => (at % 2 === 0 ? [[name, labels[at + 1] ?? ""]] : [])),
  );

interface Span {
  from: number;
  until: number;
  temporality: Temporality;
}

function dataOf({ instrument, lines }: Figures, span: Span): MetricData {
  const { name, description, unit, kind, bounds } = instrument;
  const common = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality:
      span.temporality === "delta"
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
  };
  const pointOf = <T>({ labels }: Line, value: T) => ({
    attributes: attributesOf(labels),
    startTime: millisToHrTime(span.from),
    endTime: millisToHrTime(span.until),
    value,
  });
  if (kind === "histogram")
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: lines.map((line) =>
        pointOf(line, {
          buckets: { boundaries: [...bounds], counts: line.counts },
          sum: line.sum,
          count: line.counts.reduce((sum, count) => sum + count, 0),
        }),
      ),
    };
  const dataPoints = lines.map((line) => pointOf(line, line.sum));
  return kind === "gauge"
    ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

export function encodeMetrics(
  figures: readonly Figures[],
  span: Span,
  serviceName: string,
): Uint8Array<ArrayBuffer> {
  const all: ResourceMetrics = {
    resource: resourceFromAttributes({ "service.name": serviceName }),
    scopeMetrics: [
      { scope: { name: "sampling-router" }, metrics: figures.map((each) => dataOf(each, span)) },
    ],
  };
  return new Uint8Array(JsonMetricsSerializer.serializeRequest(all) ?? []);
}

const lineKey = ({ name }: Instrument, { labels }: Line): string => [name, ...labels].join("\n");

/** Shared by all invocations of an isolate. */
export function createDeltas(meters: Meters) {
  let before = new Map<string, Line>();
  let at: number | null = null;
  let noted = 0;
  return {
    isChanged: (): boolean => meters.noted() !== noted,
    take(now: number): { figures: Figures[]; from: number } {
      const figures = meters.read();
      const from = at ?? meters.since();
      const next = new Map<string, Line>();
      const changed = figures.map(({ instrument, lines }) => ({
        instrument,
        lines: lines.flatMap((line): Line[] => {
          if (instrument.kind === "gauge") return [line];
          const key = lineKey(instrument, line);
          const old = before.get(key);
          next.set(key, { ...line, counts: [...line.counts] });
          const counts = line.counts.map((count, bucket) => count - (old?.counts[bucket] ?? 0));
          const sum = line.sum - (old?.sum ?? 0);
          return sum === 0 && counts.every((count) => count === 0)
            ? []
            : [{ labels: line.labels, sum, counts }];
        }),
      }));
      before = next;
      at = now;
      noted = meters.noted();
      return { figures: changed.filter(({ lines }) => lines.length > 0), from };
    },
  };
}

export type Deltas = ReturnType<typeof createDeltas>;

export function createMetricExports(deps: {
  target: TraceTarget;
  temporality: Temporality;
  meters: Meters;
  deltas: Deltas;
  fetch: typeof fetch;
  now: () => number;
  /** ms, monotonic */
  elapsed: () => number;
  /** Continues after the response. */
  background: (work: Promise<unknown>) => void;
  wait: (ms: number) => Promise<void>;
  log: (entry: Record<string, unknown>) => void;
}): () => void {
  const { target, temporality, meters, deltas, now, elapsed, background, wait, log } = deps;
  /** monotonic; `null` if no export is pending */
  let awaitedUntil: number | null = null;
  const sendOnce = async (): Promise<void> => {
    awaitedUntil = elapsed() + lostMs;
    await wait(lingerMs);
    awaitedUntil = null;
    // Another invocation may have exported everything.
    if (!deltas.isChanged()) return;
    const until = now();
    const taken = deltas.take(until);
    const { figures, from } =
      temporality === "delta" ? taken : { figures: meters.read(), from: meters.since() };
    const body = encodeMetrics(figures, { from, until, temporality }, target.serviceName);
    const fault = await send(body, target, deps.fetch);
    if (fault !== null) log({ event: "telemetry", fault, metrics: figures.length });
  };
  return () => {
    if (awaitedUntil === null || awaitedUntil <= elapsed()) background(sendOnce());
  };
}
