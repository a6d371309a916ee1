/** The port through which records are followed as they begin and end. */
import type { SamplingRecord } from "../audit/record.ts";
import type { AsyncResult } from "../refusals.ts";

/** How far a feed has come. */
export interface FeedState {
  /** ids of calls that run */
  open: string[];
  /** the highest number of a record */
  last: number;
}

export interface FeedChanges {
  /** records that began, and records that ended, since the state that was given */
  records: SamplingRecord[];
  last: number;
  /** there were more than are read at once: begin anew */
  isTooMuch: boolean;
}

export interface RequestFeedStore {
  state(tenantId: string): AsyncResult<FeedState>;
  changes(tenantId: string, state: FeedState): AsyncResult<FeedChanges>;
  /** Records that began or ended at that moment or later; null: too many to be read at once. */
  since(tenantId: string, at: number): AsyncResult<SamplingRecord[] | null>;
}

/** `reset`: so much happened that the listener had better read the list anew. */
export type FeedItem =
  | { kind: "begun" | "ended"; at: number; record: SamplingRecord }
  | { kind: "reset"; at: number };

export interface FeedListener {
  /** What happened, as soon as something has; null: nothing within so many ms; `gone`: it was given up. */
  next(withinMs: number): Promise<FeedItem | null | "gone">;
  leave(): void;
}

export interface RequestFeeds {
  /** @param since a moment (ms) from which the listener has missed what happened; null: from now on */
  listen(tenantId: string, since: number | null): AsyncResult<FeedListener>;
}
