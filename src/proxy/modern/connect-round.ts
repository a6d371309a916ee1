/**
 * The client opens a page, comes back, and waits; the server sees nothing of it. Source: 2026-07-28,
 * client/elicitation, "URL Mode".
 */
import { connectMessage } from "../../pipeline/servers/authorization-needed.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { supports } from "../../domain/sampling/capabilities.ts";
import { featuresOf, refusesInteraction } from "../../domain/sampling/negotiation.ts";
import { maxRounds, type RoundWire } from "../../domain/sampling/rounds.ts";
import {
  connectEntry,
  type ConnectAnswer,
  type RoundRequest,
  type RoundStates,
} from "./round-state.ts";

/** ms between two checks whether the account is connected */
const pauseMs = 1_000;
/** Checks per request. Together they take less than a client's timeout; then the client comes back. */
const looks = 20;

type Needed = Extract<Refusal, { reason: "authorization_needed" }>;

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
    /** Whether to send the refused message again, after a pause, because the account is about to be connected. */
    async looksAgain({ reason }: Refusal, signal: AbortSignal): Promise<boolean> {
      if (reason !== "authorization_needed" || !mayAsk || answer !== "accepted" || left === 0)
        return false;
      left -= 1;
      await wait(pauseMs, signal);
      return !signal.aborted;
    },

    /**
     * null: it can't be asked, or the user declined.
     * @param sent the refused message; its answers and state come back
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
