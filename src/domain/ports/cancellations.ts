/** Calls that were cancelled by a message of their own. */
import type { AsyncResult } from "../refusals.ts";

/** A call, as the notification that cancels it names it. */
export interface CancelledCall {
  tenantId: string;
  sessionId: string;
  /** the JSON-RPC id, as JSON */
  messageId: string;
}

export interface CancellationStore {
  record(call: CancelledCall, now: number): AsyncResult<null>;
  /** Whether the cancellation was recorded at `since` or later. */
  isRecorded(call: CancelledCall, since: number): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}
