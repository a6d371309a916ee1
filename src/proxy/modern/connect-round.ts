/**
 * The round in which a person connects an account of their own at the server: the client is asked to open the page
 * for that, comes back, and waits there. No server sees anything of it.
 * Source: 2026-07-28, client/elicitation, "URL Mode".
 */
import { parsedJson, own } from "../../domain/json.ts";
import { connectMessage } from "../../pipeline/servers/authorization-needed.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { featuresOf, refusesInteraction } from "../../domain/sampling/negotiation.ts";
import { supports } from "../../domain/sampling/capabilities.ts";
import { maxRounds, type CarriedState, type RoundWire } from "../../domain/sampling/rounds.ts";
import type { RoundRequest } from "./round-request.ts";
import type { RoundStates } from "./round-state.ts";

/** The router's entry among what a client is asked. */
export const connectEntry = "sampling-router/connect";

/** ms between two looks whether the person has connected the account. */
const pauseMs = 1_000;
/** Looks of one request, less than a client's time limit in all: after them the client comes back. */
const looks = 20;

/** What the person said: to go to the page, or not to. */
export type ConnectAnswer = "none" | "accepted" | "declined";

/** @param responses `inputResponses` of the request, @param carried what the router's own state held */
export function connectAnswerIn(
  responses: ReadonlyMap<string, string>,
  carried: CarriedState | null,
): ConnectAnswer {
  const said = responses.get(connectEntry);
  if (said === undefined) return carried?.connecting === true ? "accepted" : "none";
  return own(parsedJson(said), "action") === "accept" ? "accepted" : "declined";
}

type Needed = Extract<Refusal, { reason: "authorization_needed" }>;

/** @param deps `answer` to an earlier question of this kind */
export function createConnectRound(
  deps: {
    wire: RoundWire;
    states: RoundStates;
    wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  },
  { request, answer }: { request: RoundRequest; answer: ConnectAnswer },
) {
  const { wire, states, wait } = deps;
  const { declared, callsAgain, idText } = request;
  let left = looks;
  const mayAsk =
    callsAgain === "client" &&
    answer !== "declined" &&
    supports(declared, "elicitation.url") &&
    !refusesInteraction(featuresOf(declared));
  return {
    /** Whether to look once more for the account that a person is about to connect. */
    async looksAgain({ reason }: Refusal, signal: AbortSignal): Promise<boolean> {
      if (reason !== "authorization_needed" || !mayAsk || answer !== "accepted" || left === 0)
        return false;
      left -= 1;
      await wait(pauseMs, signal);
      return !signal.aborted;
    },

    /**
     * The result that asks the client; null: it can't be asked, or the person said no.
     * @param sent the request as the server was to get it: its answers and its state come back with the client
     */
    async ask(
      needed: Needed,
      { sent, rounds }: { sent: string; rounds: number },
    ): Promise<string | null> {
      if (!mayAsk || rounds >= maxRounds) return null;
      const isGone = answer === "accepted";
      const requestState = await states.wrap(await request.owner(), {
        state: wire.stateSent(sent),
        answers: [...wire.responsesOf(sent)],
        rounds: rounds + 1,
        ...(isGone && { connecting: true }),
      });
      const params = { mode: "url", message: connectMessage(needed), url: needed.url };
      const entry = { method: "elicitation/create", params };
      const result = {
        resultType: "input_required",
        ...(!isGone && { inputRequests: { [connectEntry]: entry } }),
        requestState,
      };
      return wire.withId(JSON.stringify({ jsonrpc: "2.0", id: null, result }), idText);
    },
  };
}
