/**
 * One modern request through the proxy, with its rounds: what is sent to the server, and what is done with each
 * of its answers. No network: `modern/relay.ts` carries the texts.
 */
import { answererOf } from "../../domain/servers/answering.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  asksAgain,
  isSamplingAnswer,
  maxEntries,
  maxRounds,
  samplingEntriesOf,
  type CarriedState,
  type RoundWire,
  type SamplingEntry,
} from "../../domain/sampling/rounds.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { statePrefix, type RoundStates, type StateOwner } from "./round-state.ts";

/** ms for which a round that a client sends again is the same round. */
const keptMs = 24 * 3_600_000;
/**
 * ms. The server's own state may be the same in two conversations, so only rounds that run at once are the
 * same.
 */
const joinedMs = 5_000;
/** ms. A server that asks to be called again gets time, and more of it with each round. */
const firstPauseMs = 250;
const longestPauseMs = 1_000;

export interface RoundRequest {
  /** JSON text, as the server gets it, except for its rounds */
  text: string;
  /** the client's JSON-RPC id, as JSON text */
  idText: string;
  method: string;
  /** made when they are needed, since most requests have no rounds */
  owner: () => Promise<StateOwner>;
  mode: SamplingMode;
  /** what the client declared, as its revision knows it */
  declared: JsonObject;
  /** who calls again where a result has a state alone: `router` for a client that knows no rounds */
  callsAgain: "client" | "router";
}

/** JSON text, or the refusal. `requestId` names the record of the sampling request. */
export type Answered = Result<string, { refusal: Refusal; requestId: string | null }>;

export interface RoundSampler {
  decode(params: JsonObject): Result<SamplingCall, Refusal>;
  /** Samples for one entry, and gives the result for the server as JSON text. */
  sample(
    entry: SamplingEntry,
    options: {
      signal: AbortSignal;
      /** the key of the round; null: the round is new */
      replayKey: ReplayKey | null;
    },
  ): Promise<Answered>;
}

export type RoundAction =
  /** send the request again; the server answers to this id */
  | { kind: "send"; text: string; idText: string }
  | { kind: "deliver"; text: string }
  | { kind: "refuse"; refusal: Refusal; requestId: string | null };

export interface Round {
  /** the message that is sent first, and its id */
  first: { text: string; idText: string };
  /** Whether the request has been sent again. */
  repeated(): boolean;
  /**
   * Whether a message can go on as it came, whatever it says. A cheap look, which sometimes says no without
   * need.
   */
  surelyHarmless(message: string): boolean;
  /** What to do with the server's response to the last request. `response` is JSON text. */
  actOn(response: string, signal: AbortSignal): Promise<RoundAction>;
}

const refusing = (refusal: Refusal, requestId: string | null = null): RoundAction => ({
  kind: "refuse",
  refusal,
  requestId,
});

const isOurs = (state: string | null): boolean =>
  state !== null && String(JSON.parse(state)).startsWith(statePrefix);

/** A request as its server gets it first. */
interface Opened {
  text: string;
  /** what the router's own state held; null: the request has none */
  carried: CarriedState | null;
}

export function createRounds(deps: {
  wire: RoundWire;
  states: RoundStates;
  sha256Hex: (text: string) => Promise<string>;
  nonce: () => string;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { wire, states, sha256Hex, nonce, wait } = deps;

  /**
   * The digest by which this request's round is known again; null: the round is new, even if it looks like
   * another.
   */
  const identityOf = (
    request: RoundRequest,
    carried: CarriedState | null,
  ): { text: string; keptMs: number } | null => {
    if (carried !== null) return { text: carried.nonce, keptMs };
    const state = wire.stateSent(request.text);
    if (state === null) return null;
    const responses = wire.objectText(wire.responsesOf(request.text));
    return { text: JSON.stringify([state, responses]), keptMs: joinedMs };
  };

  /**
   * A client that was never asked to sample has no sampling answers to give. Before a server that keeps no
   * state, it could otherwise pass off words that no model said.
   */
  const withoutForged = ({ text, mode }: RoundRequest): string => {
    if (mode !== "router" && mode !== "deny") return text;
    const responses = [...wire.responsesOf(text)];
    const kept = responses.filter(([, response]) => !isSamplingAnswer(JSON.parse(response)));
    if (kept.length === responses.length) return text;
    return wire.repeated(text, {
      inputResponses: kept.length === 0 ? null : wire.objectText(kept),
      requestState: wire.stateSent(text),
    });
  };

  /** What the server gets first, and what came back with the client's answers if the state is the router's. */
  const opening = async (request: RoundRequest): Promise<Result<Opened, Refusal>> => {
    const sent = wire.stateSent(request.text);
    const text = withoutForged(request);
    if (!isOurs(sent)) return ok({ text, carried: null });
    const opened = await states.open(await request.owner(), JSON.parse(sent ?? "") as string);
    if (!opened.ok) return opened;
    const carried = opened.value;
    // The router's answers win over the client's, who may answer what it was not asked.
    const responses = new Map([...wire.responsesOf(text), ...carried.answers]);
    const inputResponses = responses.size === 0 ? null : wire.objectText(responses);
    return ok({
      text: wire.repeated(text, { inputResponses, requestState: carried.state }),
      carried,
    });
  };

  const createRound = (
    request: RoundRequest,
    sampler: RoundSampler,
    { text, carried }: Opened,
  ): Round => {
    const { mode, declared, idText, callsAgain } = request;
    const identity = identityOf(request, carried);
    let rounds = carried?.rounds ?? 0;
    let hidden = (carried?.answers.length ?? 0) > 0;
    let repeats = 0;

    const replayKeyOf = async (key: string, entryText: string): Promise<ReplayKey | null> => {
      if (identity === null) return null;
      const { keyId, serverId, digest: requestDigest } = await request.owner();
      const same = [keyId, serverId, requestDigest, identity.text, repeats, key, entryText];
      const digest = await sha256Hex(JSON.stringify(same));
      return { kind: "round", digest, keptMs: identity.keptMs };
    };

    /** Gives the response to the client, under the id that the client knows. */
    const deliver = async (response: string, result: unknown): Promise<RoundAction> => {
      const asksForInput = own(result, "resultType") === "input_required";
      let out = repeats === 0 ? response : wire.withId(response, idText);
      const given = asksForInput ? wire.stateGiven(response) : null;
      // The state of a router behind this router. The state goes back to that router, and is not
      // mistaken for ours.
      if (isOurs(given)) {
        const carrying = { state: given, answers: [], rounds };
        const state = await states.wrap(await request.owner(), carrying);
        out = wire.remaining(out, { without: [], state: JSON.stringify(state) });
      }
      const isResource = request.method === "resources/read";
      if (hidden && isResource && isObject(result) && !asksForInput) out = wire.uncached(out);
      return { kind: "deliver", text: out };
    };

    const repeat = (inputResponses: string | null, requestState: string | null): RoundAction => {
      repeats += 1;
      const id = JSON.stringify(`sampling-router-${nonce()}`);
      return {
        kind: "send",
        text: wire.repeated(text, { inputResponses, requestState, id }),
        idText: id,
      };
    };

    /** The answers to the entries, by their keys; or the refusal of the first that failed. */
    const sampleAll = async (
      entries: readonly SamplingEntry[],
      { response, signal }: { response: string; signal: AbortSignal },
    ): Promise<Result<[string, string][], RoundAction>> => {
      const failed = new AbortController();
      const both = AbortSignal.any([signal, failed.signal]);
      let refusal: RoundAction | null = null;
      const answers = await Promise.all(
        entries.map(async (entry): Promise<[string, string][]> => {
          const replayKey = await replayKeyOf(entry.key, wire.entryText(response, entry.key));
          const answered = await sampler.sample(entry, { signal: both, replayKey });
          if (answered.ok) return [[entry.key, answered.value]];
          // The first failure says why. The entries that run beside it are needed no more.
          refusal ??= refusing(answered.error.refusal, answered.error.requestId);
          // An entry that waits for a person says nothing against the entries beside it.
          if (answered.error.refusal.reason !== "approval_pending") failed.abort();
          return [];
        }),
      );
      return refusal === null ? ok(answers.flat()) : err(refusal);
    };

    /** What is done with the router's answers: with others' entries left, the client gets those to answer. */
    const goOnWith = async (
      answers: [string, string][],
      { response, result }: { response: string; result: JsonValue | undefined },
    ): Promise<RoundAction> => {
      const state = wire.stateGiven(response);
      const keys = answers.map(([key]) => key);
      const requests = own(result, "inputRequests");
      if (Object.keys(requests as JsonObject).every((key) => keys.includes(key)))
        return repeat(wire.objectText(answers), state);
      const wrapped = await states.wrap(await request.owner(), { state, answers, rounds });
      const left = wire.remaining(response, { without: keys, state: JSON.stringify(wrapped) });
      return { kind: "deliver", text: repeats === 0 ? left : wire.withId(left, idText) };
    };

    const actOn = async (response: string, signal: AbortSignal): Promise<RoundAction> => {
      const result = own(JSON.parse(response), "result");
      const ours = samplingEntriesOf(result).filter(
        ({ params }) => answererOf(mode, sampler.decode(params), declared) === "router",
      );
      const again = ours.length === 0 && callsAgain === "router" && asksAgain(result);
      if (ours.length === 0 && !again) return deliver(response, result);
      if (rounds >= maxRounds)
        return refusing({ reason: "forbidden", action: `more than ${maxRounds} rounds of input` });
      const tooMany = `more than ${maxEntries} sampling requests at once`;
      if (ours.length > maxEntries) return refusing({ reason: "forbidden", action: tooMany });
      rounds += 1;
      if (again) {
        await wait(Math.min(firstPauseMs * rounds, longestPauseMs), signal);
        return repeat(null, wire.stateGiven(response));
      }
      const sampled = await sampleAll(ours, { response, signal });
      if (!sampled.ok) return sampled.error;
      hidden = true;
      return goOnWith(sampled.value, { response, result });
    };

    // JSON spells the word plainly, or escapes something.
    const surelyHarmless = (message: string): boolean =>
      repeats === 0 && !hidden && !/input_required|\\u/.test(message);

    return { first: { text, idText }, repeated: () => repeats > 0, surelyHarmless, actOn };
  };

  return async (request: RoundRequest, sampler: RoundSampler): Promise<Result<Round, Refusal>> => {
    const opened = await opening(request);
    return opened.ok ? ok(createRound(request, sampler, opened.value)) : opened;
  };
}

export type BeginRounds = ReturnType<typeof createRounds>;
