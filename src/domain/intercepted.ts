/**
 * Sampling requests that were taken out of a server's stream. The record exists before the provider is
 * called, so that a replayed event is answered from it and never charged twice.
 */
import type { Refusal } from "./refusals.ts";
import type { Result } from "./result.ts";

type Stored<T> = Promise<Result<T, Refusal>>;

export interface InterceptedCall {
  tenantId: string;
  /** within which the server's id names one request: a session, or what stands for it */
  scope: string;
  /** the server's JSON-RPC id, as JSON */
  messageId: string;
  /** of the params; the same id with other params is another request */
  digest: string;
}

export type Claim =
  | { state: "mine" }
  /** somebody else is at it, and will have ended by then */
  | { state: "running"; leaseUntil: number }
  /** the answer, sealed */
  | { state: "answered"; sealed: string };

export interface InterceptedStore {
  /** One of many gets it. */
  claim(call: InterceptedCall, about: { now: number; leaseUntil: number }): Stored<Claim>;
  answer(call: InterceptedCall, sealed: string): Stored<null>;
  /** How the server took the answer: its HTTP status; 0: it could not be reached. */
  deliver(call: InterceptedCall, status: number): Stored<null>;
  /** Whether a request of that id was taken, whatever its params. */
  isTaken(call: Omit<InterceptedCall, "digest">): Stored<boolean>;
  prune(now: number): Stored<number>;
}
