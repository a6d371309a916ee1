/**
 * One modern request with its rounds: what is sent to the server, and what to do with each of its answers. It has no network;
 * `relay.ts` carries the messages.
 */
import { answererOf } from "../../domain/servers/answering.ts";
import { questionsIn } from "../../domain/servers/asking.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  asksAgain,
  maxEntries,
  maxRounds,
  samplingEntriesOf,
  type CarriedState,
  type HeldRound,
  type RoundWire,
} from "../../domain/sampling/rounds.ts";
import type { ProxyServices } from "../services.ts";
import { createConnectRound } from "./connect-round.ts";
import {
  canComeBack,
  sampleEntries,
  type EntryOutcome,
  type RoundSampler,
} from "./round-sampling.ts";
import {
  foreignLifetimeMs,
  isOwnState,
  isState,
  maxForeignCharacters,
  openRequest,
  type Opened,
  type RoundRequest,
  type RoundStates,
} from "./round-state.ts";
import { sealTask } from "./task-ids.ts";

/** ms for which a repeated round with the router's state is recognized */
const keptMs = 24 * 3_600_000;
/** ms. A server's own state may recur in another conversation, so only concurrent rounds are joined. */
const joinedMs = 5_000;
/** ms before a server that asks to be called again is; longer with each round */
const firstPauseMs = 250;
const longestPauseMs = 1_000;

export type RoundAction =
  /** send the request again, or one of another method, under this id */
  | { kind: "send"; text: string; idText: string; method?: string }
  | { kind: "deliver"; text: string }
  | { kind: "refuse"; refusal: Refusal; requestId: string | null };

export interface Round {
  first: { text: string; idText: string };
  /** a stored response of the server, JSON text, that is acted on before anything is sent */
  held: string | null;
  repeated(): boolean;
  /** Whether a message can be passed unchanged. A cheap check with false negatives. */
  surelyHarmless(message: string): boolean;
  /** Whether to send the refused message again, after a pause: a user is about to connect an account. */
  looksAgain(refusal: Refusal, signal: AbortSignal): Promise<boolean>;
  /** What to do if the message `sent` did not reach the server. */
  onRefusal(refusal: Refusal, sent: string): Promise<Exclude<RoundAction, { kind: "send" }>>;
  /** @param response the server's response to the last request, JSON text */
  actOn(response: string, signal: AbortSignal): Promise<RoundAction>;
}

const foreignStateTooLarge = serverFailed(
  `Its requestState is longer than ${maxForeignCharacters} characters.`,
);

export const refusing = (
  refusal: Refusal,
  requestId: string | null = null,
): Extract<RoundAction, { kind: "refuse" }> => ({
  kind: "refuse",
  refusal,
  requestId,
});

const answersIn = (outcomes: readonly EntryOutcome[]): [key: string, text: string][] =>
  outcomes.flatMap((each): [string, string][] =>
    each.kind === "answered" ? [[each.key, each.text]] : [],
  );

export function createRounds(deps: {
  wire: RoundWire;
  states: RoundStates;
  sha256Hex: (text: string) => Promise<string>;
  nonce: () => string;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { wire, states, sha256Hex, nonce, wait } = deps;

  /** What identifies a repeated round; null: the round is new, even if it looks like another. */
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

  const createRound = (
    request: RoundRequest,
    sampler: RoundSampler,
    { text, carried, connect }: Opened,
  ): Round => {
    const { mode, declared, idText, callsAgain } = request;
    const identity = identityOf(request, carried);
    let connectRound: ReturnType<typeof createConnectRound> | null = null;
    const connecting = (): ReturnType<typeof createConnectRound> =>
      (connectRound ??= createConnectRound({ wire, states, wait }, { request, answer: connect }));
    let rounds = carried?.rounds ?? 0;
    let hidden = (carried?.answers.length ?? 0) > 0;
    let repeats = 0;

    const held = carried?.held ?? null;
    /** Only for the question it was stored for: the server's next question may reuse the same keys. */
    const heldQuestion = (): HeldRound | null => (repeats === 0 ? held : null);

    const replayKeyOf = async (key: string, entryText: string): Promise<ReplayKey | null> => {
      const known = new Map(heldQuestion()?.waiting).get(key) ?? null;
      if (identity === null || known !== null) return known;
      const { keyId, serverId, digest: requestDigest } = await request.owner();
      const same = [keyId, serverId, requestDigest, identity.text, repeats, key, entryText];
      const digest = await sha256Hex(JSON.stringify(same));
      return { kind: "round", digest, keptMs: identity.keptMs };
    };

    /** The state for the client; null: the server's own, unchanged. */
    const stateFor = async (given: string | null): Promise<Result<string | null, Refusal>> => {
      if (!isState(given)) return ok(null);
      const nested = { state: given, answers: [], rounds };
      // A state of another router behind this one goes back there, and must not be taken for ours.
      if (isOwnState(given)) return ok(await states.wrap(await request.owner(), nested));
      if (!request.sealsState) return ok(null);
      if (given.length > maxForeignCharacters) return err(foreignStateTooLarge);
      return ok(await states.wrap(await request.owner(), nested, foreignLifetimeMs));
    };

    const deliver = async (response: string, result: unknown): Promise<RoundAction> => {
      const asksForInput = own(result, "resultType") === "input_required";
      let out = repeats === 0 && held === null ? response : wire.withId(response, idText);
      const given = asksForInput ? wire.stateGiven(response) : null;
      const state = await stateFor(given);
      if (!state.ok) return refusing(state.error);
      if (state.value !== null)
        out = wire.remaining(out, { without: [], state: JSON.stringify(state.value) });
      if (request.tasks !== null && own(result, "resultType") === "task") {
        const task = { id: own(result, "taskId"), ...request.tasks };
        const sealed = await sealTask(states, await request.owner(), task);
        if (!sealed.ok) return refusing(sealed.error);
        out = wire.withTaskId(out, sealed.value);
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

    /** Gives the client a state to come back with while approval is pending. */
    const comeBack = async (
      response: string,
      { outcomes, asked }: { outcomes: readonly EntryOutcome[]; asked: readonly string[] },
    ): Promise<RoundAction> => {
      const kept = outcomes.flatMap((each) =>
        each.kind === "waits" ? [[each.key, each.replayKey] as const] : [],
      );
      const state = await states.wrap(await request.owner(), {
        state: wire.stateGiven(response),
        answers: answersIn(outcomes),
        // The round continues when the client comes back.
        rounds: rounds - 1,
        held: { response, waiting: kept },
      });
      const left = wire.remaining(response, { without: asked, state: JSON.stringify(state) });
      return { kind: "deliver", text: wire.withId(left, idText) };
    };

    /** Calls the server again, or gives the client the entries that remain. */
    const continueWith = async (
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
      return {
        kind: "deliver",
        text: repeats === 0 && held === null ? left : wire.withId(left, idText),
      };
    };

    const actOn = async (response: string, signal: AbortSignal): Promise<RoundAction> => {
      const result = own(JSON.parse(response), "result");
      // A legacy client can't be asked for everything. So nothing is sampled for a round that it can't complete.
      const questions = callsAgain === "router" ? questionsIn(result, declared) : ok([]);
      if (!questions.ok) return refusing(questions.error);
      const ours = samplingEntriesOf(result).filter(
        ({ params }) => answererOf(mode, sampler.decode(params), declared) === "router",
      );
      const again = ours.length === 0 && callsAgain === "router" && asksAgain(result);
      if (ours.length === 0 && !again) return deliver(response, result);
      if (rounds >= maxRounds)
        return refusing({ reason: "forbidden", action: `more than ${maxRounds} rounds of input` });
      const tooMany = `more than ${maxEntries} concurrent sampling requests`;
      if (ours.length > maxEntries) return refusing({ reason: "forbidden", action: tooMany });
      rounds += 1;
      if (again) {
        await wait(Math.min(firstPauseMs * rounds, longestPauseMs), signal);
        return repeat(null, wire.stateGiven(response));
      }
      const before = new Map(heldQuestion() === null ? [] : carried?.answers);
      const open = await Promise.all(
        ours
          .filter(({ key }) => !before.has(key))
          .map(async (entry) => ({
            entry,
            replayKey: await replayKeyOf(entry.key, wire.entryText(response, entry.key)),
          })),
      );
      const {
        outcomes: late,
        refused,
        isHeld,
      } = await sampleEntries(open, { sampler, signal, sha256Hex });
      const early = [...before].map(([key, said]): EntryOutcome => ({
        kind: "answered",
        key,
        text: said,
      }));
      const outcomes: EntryOutcome[] = [...early, ...late];
      const asked = Object.keys(own(result, "inputRequests") as JsonObject);
      const keys = { asked, ours: ours.map(({ key }) => key), callsAgain };
      if (isHeld && canComeBack(response, keys)) return comeBack(response, { outcomes, asked });
      if (refused !== null) return refusing(refused.refusal, refused.requestId);
      hidden = true;
      return continueWith(answersIn(outcomes), { response, result });
    };

    // JSON contains the word as it is, or an escape.
    const surelyHarmless = (message: string): boolean =>
      repeats === 0 && !hidden && !/input_required|"task"|\\u/.test(message);

    const repeated = (): boolean => repeats > 0;
    return {
      looksAgain: (refusal, signal) => connecting().looksAgain(refusal, signal),
      async onRefusal(refusal, sent) {
        const asks =
          refusal.reason === "authorization_needed"
            ? await connecting().ask(refusal, { sent, rounds })
            : null;
        return asks === null ? refusing(refusal) : { kind: "deliver", text: asks };
      },
      first: { text, idText },
      held: held?.response ?? null,
      repeated,
      surelyHarmless,
      actOn,
    };
  };

  return async (request: RoundRequest, sampler: RoundSampler): Promise<Result<Round, Refusal>> => {
    const opened = await openRequest(deps, request);
    return opened.ok ? ok(createRound(request, sampler, opened.value)) : opened;
  };
}

export type BeginRounds = ReturnType<typeof createRounds>;

export interface ModernServices extends ProxyServices {
  rounds: BeginRounds;
  states: RoundStates;
}
