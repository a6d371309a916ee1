/** Exports metrics as OTLP/HTTP with JSON, to the collector that also receives spans. */
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
import type { Metric, Series, Meters } from "./meters.ts";
import { send, type TraceTarget } from "./otlp.ts";

/** Measurements within this time are exported together. */
const exportDelayMs = 1_000;
/** The runtime may end an invocation before it exports; after this time, another invocation does. */
const takeoverMs = 2 * exportDelayMs;

/**
 * `cumulative`: totals since the process started, so a lost export does no harm. `delta`: changes since the last
 * export, for many short-lived isolates.
 */
export type Temporality = "cumulative" | "delta";

const attributesOf = (labels: Labels): Record<string, string> =>
  Object.fromEntries(
    labels.flatMap((name, index) => (index % 2 === 0 ? [[name, labels[index + 1] ?? ""]] : [])),
  );

interface Period {
  from: number;
  until: number;
  temporality: Temporality;
}

function dataOf({ instrument, allSeries }: Metric, period: Period): MetricData {
  const { name, description, unit, kind, bounds } = instrument;
  const common = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality:
      period.temporality === "delta"
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
  };
  const pointOf = <T>({ labels }: Series, value: T) => ({
    attributes: attributesOf(labels),
    startTime: millisToHrTime(period.from),
    endTime: millisToHrTime(period.until),
    value,
  });
  if (kind === "histogram")
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: allSeries.map((series) =>
        pointOf(series, {
          buckets: { boundaries: [...bounds], counts: series.counts },
          sum: series.sum,
          count: series.counts.reduce((sum, count) => sum + count, 0),
        }),
      ),
    };
  const dataPoints = allSeries.map((series) => pointOf(series, series.sum));
  return kind === "gauge"
    ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

export function encodeMetrics(
  metrics: readonly Metric[],
  period: Period,
  serviceName: string,
): Uint8Array<ArrayBuffer> {
  const request: ResourceMetrics = {
    resource: resourceFromAttributes({ "service.name": serviceName }),
    scopeMetrics: [
      { scope: { name: "sampling-router" }, metrics: metrics.map((each) => dataOf(each, period)) },
    ],
  };
  return new Uint8Array(JsonMetricsSerializer.serializeRequest(request) ?? []);
}

const seriesKey = ({ name }: Instrument, { labels }: Series): string =>
  [name, ...labels].join("\n");

/** Shared by all invocations of an isolate. */
export function createDeltas(meters: Meters) {
  let lastSeries = new Map<string, Series>();
  let lastTakenAt: number | null = null;
  let lastCount = 0;
  return {
    isChanged: (): boolean => meters.measurementCount() !== lastCount,
    take(now: number): { metrics: Metric[]; from: number } {
      const metrics = meters.read();
      const from = lastTakenAt ?? meters.since();
      const next = new Map<string, Series>();
      const changed = metrics.map(({ instrument, allSeries }) => ({
        instrument,
        allSeries: allSeries.flatMap((series): Series[] => {
          if (instrument.kind === "gauge") return [series];
          const key = seriesKey(instrument, series);
          const old = lastSeries.get(key);
          next.set(key, { ...series, counts: [...series.counts] });
          const counts = series.counts.map((count, bucket) => count - (old?.counts[bucket] ?? 0));
          const sum = series.sum - (old?.sum ?? 0);
          return sum === 0 && counts.every((count) => count === 0)
            ? []
            : [{ labels: series.labels, sum, counts }];
        }),
      }));
      lastSeries = next;
      lastTakenAt = now;
      lastCount = meters.measurementCount();
      return { metrics: changed.filter(({ allSeries }) => allSeries.length > 0), from };
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
  /** Lets `work` continue after the response is sent. */
  background: (work: Promise<unknown>) => void;
  wait: (ms: number) => Promise<void>;
  log: (entry: Record<string, unknown>) => void;
}): () => void {
  const { target, temporality, meters, deltas, now, elapsed, background, wait, log } = deps;
  /** ms, monotonic; `null` if no export is pending */
  let pendingUntil: number | null = null;
  const exportOnce = async (): Promise<void> => {
    pendingUntil = elapsed() + takeoverMs;
    await wait(exportDelayMs);
    pendingUntil = null;
    // Another invocation may have exported everything.
    if (!deltas.isChanged()) return;
    const until = now();
    const taken = deltas.take(until);
    const { metrics, from } =
      temporality === "delta" ? taken : { metrics: meters.read(), from: meters.since() };
    const body = encodeMetrics(metrics, { from, until, temporality }, target.serviceName);
    const fault = await send(body, target, deps.fetch);
    if (fault !== null) log({ event: "telemetry", fault, metrics: metrics.length });
  };
  return () => {
    if (pendingUntil === null || pendingUntil <= elapsed()) background(exportOnce());
  };
}
