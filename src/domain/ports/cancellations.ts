import type { AsyncResult } from "../refusals.ts";

export interface CancelledCall {
  tenantId: string;
  sessionId: string;
  /** the JSON-RPC id, as JSON */
  messageId: string;
}

export interface CancellationStore {
  record(call: CancelledCall, now: number): AsyncResult<null>;
  isRecorded(call: CancelledCall, since: number): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}
