/** Counts sealed calls: durations by hour and day, and usage by group and tag. Idempotent: counts and cursor are one transaction. */
import { histogramOfCalls, type Durations } from "../../domain/latencies.ts";
import {
  latencyGroupings,
  type HistogramRow,
  type LatencyStore,
  type TimedCall,
} from "../../domain/ports/latencies.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";

const widths = [3_600, 86_400];
const tenantsAtOnce = 8;
const callsAtOnce = 2_000;

function rowsOf(calls: readonly TimedCall[]): HistogramRow[] {
  const rows = new Map<string, Omit<HistogramRow, "histogram"> & { timed: Durations[] }>();
  for (const { at: admittedAt, durations, groups } of calls)
    for (const width of widths)
      for (const by of latencyGroupings) {
        const at = Math.floor(admittedAt / (width * 1_000)) * width;
        const name = JSON.stringify([width, by, at, groups[by]]);
        const row = rows.get(name) ?? { width, by, at, group: groups[by], timed: [] };
        row.timed.push(durations);
        rows.set(name, row);
      }
  return Array.from(rows.values(), ({ timed, ...row }) => ({
    ...row,
    histogram: histogramOfCalls(timed),
  }));
}

export const createLatencyJob =
  ({ latencies, now }: { latencies: LatencyStore; now: () => number }) =>
  async (): AsyncResult<number> => {
    const pending = await latencies.pending(tenantsAtOnce);
    if (!pending.ok) return pending;
    let passed = 0;
    for (const cursor of pending.value) {
      const found = await latencies.callsAfter(cursor, callsAtOnce);
      if (!found.ok) return found;
      const rows = rowsOf(found.value.calls);
      const { grouped, next } = found.value;
      const counted = await latencies.count(cursor, next, { rows, grouped, now: now() });
      if (!counted.ok) return counted;
      passed += found.value.passed;
    }
    return ok(passed);
  };
