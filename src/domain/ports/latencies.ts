import type { AsyncResult } from "../refusals.ts";
import type { Durations, Histogram } from "../latencies.ts";
import type { UsageBy, UsageFigures, UsageOfAllBy, UsageQuery } from "./ledger.ts";

export const latencyGroupings = ["model", "key", "server", "endpoint"] as const;
export type LatencyBy = (typeof latencyGroupings)[number];

export interface LatencyCursor {
  tenantId: string;
  seal: number;
  position: number;
}

export interface TimedCall {
  /** ms since the epoch of the admission */
  at: number;
  durations: Durations;
  groups: Record<LatencyBy, string>;
}

export interface HistogramRow {
  /** s, an hour or a day */
  width: number;
  by: LatencyBy;
  /** s since the epoch */
  at: number;
  group: string;
  histogram: Histogram;
}

export type GroupedUsageKind = "group" | "tag" | "endpoint";

export interface GroupedUsageRow extends UsageFigures {
  kind: GroupedUsageKind;
  /** s since the epoch */
  hour: number;
  name: string;
}

export type LatencyQuery<By> = Omit<UsageQuery<By>, "bucket"> & { bucket: "hour" | "day" };

export type CountedRow = Pick<HistogramRow, "at" | "group" | "histogram">;

export interface LatencyStore {
  /** Tenants with uncounted records, longest waiting first. */
  pending(limit: number): AsyncResult<LatencyCursor[]>;
  /** Calls after the cursor, and the next cursor. */
  callsAfter(
    cursor: LatencyCursor,
    limit: number,
  ): AsyncResult<{
    calls: TimedCall[];
    grouped: GroupedUsageRow[];
    next: LatencyCursor;
    passed: number;
  }>;
  /** Adds counts and moves the cursor, unless another run did. */
  count(
    from: LatencyCursor,
    to: LatencyCursor,
    counted: { rows: readonly HistogramRow[]; grouped: readonly GroupedUsageRow[]; now: number },
  ): AsyncResult<null>;
  read(tenantId: string, asked: LatencyQuery<Exclude<UsageBy, "all">>): AsyncResult<CountedRow[]>;
  /** By tenant id or model, for the operator. null: too many rows to merge. */
  readAll(asked: LatencyQuery<UsageOfAllBy>): AsyncResult<CountedRow[] | null>;
}
