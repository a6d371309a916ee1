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
