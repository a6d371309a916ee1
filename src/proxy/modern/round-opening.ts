/** What a request brings back of its earlier rounds: the client's answers, and what the router's own state held. */
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  isSamplingAnswer,
  type CarriedState,
  type RoundWire,
} from "../../domain/sampling/rounds.ts";
import { connectAnswerIn, connectEntry, type ConnectAnswer } from "./connect-round.ts";
import type { RoundRequest } from "./round-request.ts";
import { isOwnState, isState, stateRefused, type RoundStates } from "./round-state.ts";

/** A request as its server gets it first. */
export interface Opened {
  text: string;
  /** what the router's own state held; null: the request has none */
  carried: CarriedState | null;
  connect: ConnectAnswer;
}

export function createOpening({ wire, states }: { wire: RoundWire; states: RoundStates }) {
  /**
   * Without what is not for the server: answers to the router's own entry, and answers that nobody can have asked
   * for. A client that was never asked to sample has no sampling answers to give. Before a server that keeps no
   * state, it could otherwise pass off words that no model said.
   */
  const forServer = ({ text, mode }: RoundRequest, responses: Map<string, string>): string => {
    const isForged = (response: string): boolean =>
      (mode === "router" || mode === "deny") && isSamplingAnswer(JSON.parse(response));
    const kept = [...responses].filter(
      ([key, response]) => key !== connectEntry && !isForged(response),
    );
    if (kept.length === responses.size) return text;
    return wire.repeated(text, {
      inputResponses: kept.length === 0 ? null : wire.objectText(kept),
      requestState: wire.stateSent(text),
    });
  };

  return async (request: RoundRequest): Promise<Result<Opened, Refusal>> => {
    const sent = wire.stateSent(request.text);
    const given = wire.responsesOf(request.text);
    const text = forServer(request, given);
    if (request.sealsState && isState(sent) && !isOwnState(sent)) return err(stateRefused);
    if (!isOwnState(sent))
      return ok({ text, carried: null, connect: connectAnswerIn(given, null) });
    const opened = await states.open(await request.owner(), JSON.parse(sent ?? "") as string);
    if (!opened.ok) return opened;
    const carried = opened.value;
    // The router's answers win over the client's, who may answer what it was not asked.
    const responses = new Map([...wire.responsesOf(text), ...carried.answers]);
    const inputResponses = responses.size === 0 ? null : wire.objectText(responses);
    return ok({
      text: wire.repeated(text, { inputResponses, requestState: carried.state }),
      carried,
      connect: connectAnswerIn(given, carried),
    });
  };
}
