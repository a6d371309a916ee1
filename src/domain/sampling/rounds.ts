/**
 * Multi round-trip requests of 2026-07-28: a result may ask for input, and the client repeats the request with
 * it. `servers/answering.ts` says who answers an entry; `mcp/rev2026/round.ts` says how a round is spelt.
 * Source: 2026-07-28, basic/patterns/mrtr.
 */
import { canonicalJson } from "../canonical.ts";
import { isObject, own, type JsonObject } from "../json.ts";
import type { ReplayKey } from "./replay-key.ts";

export const samplingMethod = "sampling/createMessage";

/** The requests whose results may ask for input. */
export const roundMethods: readonly string[] = ["tools/call", "prompts/get", "resources/read"];

/** How often one request is repeated, since a server may never have enough. */
export const maxRounds = 32;
/** How many sampling requests one result may hold: all of them are answered at once. */
export const maxEntries = 32;

/** A sampling entry of a result that asks for input. */
export interface SamplingEntry {
  /** the server's name for the entry */
  key: string;
  params: JsonObject;
}

/** The sampling entries of a result; none if it asks for no sampling. */
export function samplingEntriesOf(result: unknown): SamplingEntry[] {
  // An absent type means complete, and an unknown type is for the client to refuse.
  if (own(result, "resultType") !== "input_required") return [];
  const requests = own(result, "inputRequests");
  if (!isObject(requests)) return [];
  return Object.entries(requests).flatMap(([key, entry]): SamplingEntry[] => {
    if (own(entry, "method") !== samplingMethod) return [];
    const params = own(entry, "params");
    return [{ key, params: isObject(params) ? params : {} }];
  });
}

/**
 * Whether a result asks for nothing but to be called again with its state. A server does that to shed load, or
 * to go on where it stopped.
 */
export const asksAgain = (result: unknown): boolean =>
  own(result, "resultType") === "input_required" &&
  typeof own(result, "requestState") === "string" &&
  Object.keys(own(result, "inputRequests") ?? {}).length === 0;

/**
 * Whether an input response answers sampling. Only its shape can tell, because only the server knows what it
 * asked under a key. An elicitation has an `action`, roots have `roots`.
 */
export const isSamplingAnswer = (response: unknown): boolean =>
  typeof own(response, "role") === "string" &&
  typeof own(response, "model") === "string" &&
  own(response, "content") !== undefined;

/** What makes a repeated request the same one: everything but `_meta`, the responses and the state. */
export function identityOf(method: string, params: JsonObject): string {
  const { _meta, inputResponses, requestState, ...rest } = params;
  return canonicalJson([method, rest]);
}

/** What a wrapped state holds. Every text is JSON as it stood on the wire, or as it will stand there. */
export interface CarriedState {
  /** differs for each round that went to a client */
  nonce: string;
  /** the server's own state; null: the server gave none */
  state: string | null;
  /** the router's answers, by the entry's key */
  answers: readonly (readonly [key: string, answer: string])[];
  /** repeats so far */
  rounds: number;
  /** ms since the epoch */
  expiresAt: number;
  /** a person has gone to connect an account; absent: nobody has */
  connecting?: true;
  /** a round in which a call waits for a person; absent: none does */
  held?: HeldRound;
}

/** The server's question stays open while a person decides, and the client comes back for what comes of it. */
export interface HeldRound {
  /** the server's result that asks, as it stood on the wire */
  response: string;
  /** by what the calls that wait are known again, by the entry's key */
  waiting: readonly (readonly [key: string, replayKey: ReplayKey])[];
}

/** A request that may be repeated, as its text. */
export interface RepeatedRequest {
  /** JSON text; null: leave the member out */
  inputResponses: string | null;
  requestState: string | null;
  /** JSON text of a new id; absent: the id stays */
  id?: string;
}

/** How rounds are spelt on the wire; every text is JSON. */
export interface RoundWire {
  /** the request with another id, other responses, another state; nothing else is touched */
  repeated(request: string, change: RepeatedRequest): string;
  /** a request's `params.inputResponses`, member by member */
  responsesOf(request: string): Map<string, string>;
  /** `params.requestState` of a request, as it stands; null: none */
  stateSent(request: string): string | null;
  /** `result.requestState` of a response, as it stands; null: none */
  stateGiven(response: string): string | null;
  /** a response without some entries, and with another state; null keeps the state */
  remaining(response: string, change: { without: readonly string[]; state: string | null }): string;
  /** an entry's JSON text, for its digest */
  entryText(response: string, key: string): string;
  objectText(members: Iterable<readonly [string, string]>): string;
  /** a response with the id of the request that the client sent */
  withId(response: string, id: string): string;
  /** a result that nobody may keep for another */
  uncached(response: string): string;
}
