import { longestStreamMs } from "../../../domain/leases.ts";

export interface StreamLimits {
  /** ms to the first event that says something of the answer, where the policy sets no deadline */
  firstEventMs: number;
  /** ms and bytes for which events of the provider's own are held back before there is content */
  heldMs: number;
  heldBytes: number;
  /** ms between two events */
  silenceMs: number;
  totalMs: number;
  /** ms for which a stream is read on after its caller has left, and how many such streams a process reads */
  readOnMs: number;
  maxReadToEnd: number;
  watchMs: number;
}

export const streamLimits: StreamLimits = {
  firstEventMs: 120_000,
  heldMs: 5_000,
  heldBytes: 64 * 1024,
  silenceMs: 300_000,
  totalMs: longestStreamMs,
  readOnMs: 60_000,
  maxReadToEnd: 100,
  watchMs: 4_000,
};

/** Work in a Worker ends 30 s after its client has left. */
export const workerReadOnMs = 25_000;
