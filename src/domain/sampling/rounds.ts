/** Multi-round-trip requests (2026-07-28, basic/patterns/mrtr). */
import { canonicalJson } from "../canonical.ts";
import { isObject, own, type JsonObject } from "../json.ts";
import type { ReplayKey } from "./replay-key.ts";

export const samplingMethod = "sampling/createMessage";

export const roundMethods: readonly string[] = ["tools/call", "prompts/get", "resources/read"];

/** A server may never be satisfied. */
export const maxRounds = 32;
/** Sampling requests per result, which are answered concurrently. */
export const maxEntries = 32;

export interface SamplingEntry {
  key: string;
  params: JsonObject;
}

/** An absent type means complete; the client rejects unknown types. */
export const samplingEntriesOf = (result: unknown): SamplingEntry[] =>
  own(result, "resultType") === "input_required"
    ? samplingEntriesIn(own(result, "inputRequests"))
    : [];

export function samplingEntriesIn(requests: unknown): SamplingEntry[] {
  if (!isObject(requests)) return [];
  return Object.entries(requests).flatMap(([key, entry]): SamplingEntry[] => {
    if (own(entry, "method") !== samplingMethod) return [];
    const params = own(entry, "params");
    return [{ key, params: isObject(params) ? params : {} }];
  });
}

/** Whether a result only asks to be called again, for example to shed load. */
export const asksAgain = (result: unknown): boolean =>
  own(result, "resultType") === "input_required" &&
  typeof own(result, "requestState") === "string" &&
  Object.keys(own(result, "inputRequests") ?? {}).length === 0;

/** Detected by shape, because only the server knows its keys. */
export const isSamplingAnswer = (response: unknown): boolean =>
  typeof own(response, "role") === "string" &&
  typeof own(response, "model") === "string" &&
  own(response, "content") !== undefined;

/** A repeated request differs only in `_meta`, responses and state. */
export function identityOf(method: string, params: JsonObject): string {
  const { _meta, inputResponses, requestState, ...rest } = params;
  return canonicalJson([method, rest]);
}

export interface CarriedState {
  nonce: string;
  state: string | null;
  answers: readonly (readonly [key: string, answer: string])[];
  rounds: number;
  expiresAt: number;
  connecting?: true;
  /** a round with calls that wait for approval */
  held?: HeldRound;
  /** a call that waits at an older server, and the round of the client's next answer */
  parked?: { id: string; epoch: string; round: number };
  /** a task, and the tool whose call began it */
  task?: Task;
}

export interface Task {
  /** the server's */
  id: string;
  tool: string | null;
}

/** The client comes back for the answer after the decision. */
export interface HeldRound {
  response: string;
  waiting: readonly (readonly [key: string, replayKey: ReplayKey])[];
}

export interface RepeatedRequest {
  inputResponses: string | null;
  requestState: string | null;
  id?: string;
}

export interface RoundWire {
  repeated(request: string, change: RepeatedRequest): string;
  responsesOf(request: string): Map<string, string>;
  stateSent(request: string): string | null;
  stateGiven(response: string): string | null;
  /** without some entries; `state` null: unchanged */
  remaining(response: string, change: { without: readonly string[]; state: string | null }): string;
  entryText(response: string, key: string): string;
  objectText(members: Iterable<readonly [string, string]>): string;
  withId(response: string, id: string): string;
  /** of a task, in its own result */
  withTaskId(response: string, id: string): string;
  uncached(response: string): string;
}
