/** How long calls took: what the job counts, and what is read of it. */
import type { AsyncResult } from "../refusals.ts";
import type { Durations, Histogram } from "../latencies.ts";
import type { UsageAsked, UsageOfAllBy } from "./ledger.ts";

export const latencyGroupings = ["model", "key", "server"] as const;
export type LatencyBy = (typeof latencyGroupings)[number];

/** A place in a tenant's chain. */
export interface LatencyCursor {
  tenantId: string;
  seal: number;
  position: number;
}

/** One call that ended with an answer, or without. */
export interface TimedCall {
  /** ms since the epoch, when the call was admitted */
  at: number;
  durations: Durations;
  /** empty: none */
  groups: Record<LatencyBy, string>;
}

export interface HistogramRow {
  /** s: an hour's or a day's */
  width: number;
  by: LatencyBy;
  /** s since the epoch, the beginning */
  at: number;
  group: string;
  histogram: Histogram;
}

/** What is counted of one hour or day; ms since the epoch. */
export type CountedRow = Pick<HistogramRow, "at" | "group" | "histogram">;

export interface LatencyStore {
  /** Tenants whose chain has records that are not counted, the one that waited longest first. */
  pending(limit: number): AsyncResult<LatencyCursor[]>;
  /** Calls after the cursor, and where the next ones begin. */
  callsAfter(
    cursor: LatencyCursor,
    limit: number,
  ): AsyncResult<{ calls: TimedCall[]; next: LatencyCursor; passed: number }>;
  /** Adds to what is counted and moves the cursor, unless another run has moved the cursor. */
  count(
    from: LatencyCursor,
    to: LatencyCursor,
    counted: { rows: readonly HistogramRow[]; now: number },
  ): AsyncResult<null>;
  /** What is counted of whole hours or days. */
  read(tenantId: string, asked: UsageAsked<LatencyBy | "user">): AsyncResult<CountedRow[]>;
  /** The operator's, of all tenants: by the tenant's id or the model. null: more rows than one answer adds up. */
  readAll(asked: UsageAsked<UsageOfAllBy>): AsyncResult<CountedRow[] | null>;
}
