import type { AsyncResult } from "../refusals.ts";
import type { Limits } from "../choice/policy.ts";
import type { UsageFigures } from "./ledger.ts";

/** `group`, `tag` and `endpoint` are counted by a scheduled job. */
export const usageGroupings = [
  "key",
  "user",
  "server",
  "model",
  "group",
  "tag",
  "endpoint",
] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

/** ms since the epoch; whole hours count */
export interface TopUsageQuery {
  by: UsageGrouping;
  from: number;
  to: number;
  limit: number;
}

export interface TopUsageRow extends UsageFigures {
  group: string;
  requests: number;
  /** start of the last hour with usage in the range, ms since the epoch */
  lastUsedAt: number;
  /** in the period of the same length before */
  before: { requests: number; costMicroUsd: number };
}

export interface TopUsage {
  rows: TopUsageRow[];
  /** of all groups, also those beyond `limit` */
  groups: number;
  /** ms since the epoch; `null` if all ended calls are counted */
  uncountedSince: number | null;
  total: Pick<TopUsageRow, "requests" | "costMicroUsd" | "before">;
}

export interface OwnLimits {
  limits: Limits;
  userId: string | null;
}

export interface TopUsageStore {
  top(tenantId: string, asked: TopUsageQuery): AsyncResult<TopUsage>;
  /** Limits of keys and servers by id, with the person of a key. Without both or a row: omitted. */
  limitsOf(tenantId: string, ids: readonly string[]): AsyncResult<Record<string, OwnLimits>>;
}
