import type { SamplingRecord } from "../audit/record.ts";
import type { AsyncResult } from "../refusals.ts";

export interface FeedState {
  open: string[];
  last: number;
}

export interface FeedChanges {
  records: SamplingRecord[];
  last: number;
  isTooMuch: boolean;
}

export interface RequestFeedStore {
  state(tenantId: string): AsyncResult<FeedState>;
  changes(tenantId: string, state: FeedState): AsyncResult<FeedChanges>;
  since(tenantId: string, at: number): AsyncResult<SamplingRecord[] | null>;
}

/** `reset`: too many changes; the list has to be reloaded. */
export type FeedItem =
  | { kind: "started" | "ended"; at: number; record: SamplingRecord }
  | { kind: "reset"; at: number };

export interface FeedListener {
  next(withinMs: number): Promise<FeedItem | null | "gone">;
  leave(): void;
}

export interface RequestFeeds {
  /** @param since ms; null: only new items */
  listen(tenantId: string, since: number | null): AsyncResult<FeedListener>;
}
