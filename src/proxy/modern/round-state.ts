/**
 * What a request brings back of its earlier rounds: the client's answers, and the router's own `requestState`. The state is
 * sealed for its owner and its request, so that no other caller can continue with it.
 */
import { own, parsedJson, type JsonObject } from "../../domain/json.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  isSamplingAnswer,
  type CarriedState,
  type RoundWire,
  type Task,
} from "../../domain/sampling/rounds.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";

/** The prefix of the router's own states. Any other state is the server's, and opaque. */
export const statePrefix = "srs1.";
/** ms, long enough for an approver */
const ownLifetimeMs = 24 * 3_600_000;
/** ms for which a wrapped server's state is accepted */
export const foreignLifetimeMs = 10 * 60_000;
/** Characters of a server's own state, as JSON. The client sends the state back in each request. */
export const maxForeignCharacters = 256 * 1024;

export interface StateOwner {
  tenantId: string;
  keyId: string;
  /** of the access token; null: the caller presents the API key itself */
  grantId: string | null;
  /** the user on whose behalf the caller calls; null if unknown */
  userId: string | null;
  serverId: string;
  /** digest of the request's method, name and arguments */
  digest: string;
}

/** A modern request whose result may ask for input. */
export interface RoundRequest {
  /** JSON text, as the server gets it, except for its rounds */
  text: string;
  idText: string;
  method: string;
  /** computed on demand, since most requests have no rounds */
  owner: () => Promise<StateOwner>;
  mode: SamplingMode;
  /** the client's capabilities, as its revision defines them */
  declared: JsonObject;
  /** who calls again if a result has only a state: `router` for a client that has no rounds */
  callsAgain: "client" | "router";
  /** whether the server's own state is sealed for this caller, who shares the entry's secret with others */
  sealsState: boolean;
  /** the called tool, for the tasks that the server begins; null: their ids pass */
  tasks: Pick<Task, "tool"> | null;
}

/** One message for every fault, so that callers learn nothing by guessing states. */
export const stateRefused: Refusal = {
  reason: "invalid_params",
  path: "requestState",
  detail: "Not a state of this request, or expired.",
};

/** @param state JSON text; null if the member is missing */
export const isState = (state: string | null): state is string =>
  state !== null && state !== "null";

export const isOwnState = (state: string | null): boolean =>
  state !== null && String(JSON.parse(state)).startsWith(statePrefix);

export function createRoundStates(deps: { vault: Vault; nonce: () => string; now: () => number }) {
  const { vault, nonce, now } = deps;
  const sealedFor = ({ tenantId, keyId, grantId, userId, serverId, digest }: StateOwner) =>
    ({
      purpose: "round",
      tenantId,
      provider: serverId,
      id: JSON.stringify([keyId, grantId, userId, digest]),
      // A state's contents go back to the client, or to this server.
      destination: serverId,
    }) as const;
  return {
    async wrap(
      owner: StateOwner,
      carried: Omit<CarriedState, "nonce" | "expiresAt">,
      lifetimeMs: number = ownLifetimeMs,
    ): Promise<string> {
      const whole: CarriedState = { ...carried, nonce: nonce(), expiresAt: now() + lifetimeMs };
      return statePrefix + (await vault.seal(JSON.stringify(whole), sealedFor(owner)));
    },
    async open(owner: StateOwner, state: string): Promise<Result<CarriedState, Refusal>> {
      const text = await vault.open(state.slice(statePrefix.length), sealedFor(owner));
      if (!text.ok) return err(stateRefused);
      // Only this router can have sealed the state, so its shape is known.
      const carried = JSON.parse(text.value) as CarriedState;
      return carried.expiresAt <= now() ? err(stateRefused) : ok(carried);
    },
  };
}

export type RoundStates = ReturnType<typeof createRoundStates>;

/** The router's own entry among the input requests of a result. */
export const connectEntry = "sampling-router/connect";

/** Whether the user agreed to connect an account. */
export type ConnectAnswer = "none" | "accepted" | "declined";

export function connectAnswerIn(
  responses: ReadonlyMap<string, string>,
  carried: CarriedState | null,
): ConnectAnswer {
  const connectResponse = responses.get(connectEntry);
  if (connectResponse === undefined) return carried?.connecting === true ? "accepted" : "none";
  return own(parsedJson(connectResponse), "action") === "accept" ? "accepted" : "declined";
}

export interface Opened {
  text: string;
  /** what the router's own state contained; null if the request has none */
  carried: CarriedState | null;
  connect: ConnectAnswer;
}

/**
 * Without answers to the router's own entry, and without forged ones. A client that is never asked to sample could otherwise
 * give a stateless server text that no model wrote.
 */
export function forServer(
  wire: RoundWire,
  { text, mode }: Pick<RoundRequest, "mode" | "text">,
  responses: Map<string, string>,
): string {
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
}

export async function openRequest(
  { wire, states }: { wire: RoundWire; states: RoundStates },
  request: RoundRequest,
): Promise<Result<Opened, Refusal>> {
  const sent = wire.stateSent(request.text);
  const given = wire.responsesOf(request.text);
  const text = forServer(wire, request, given);
  if (request.sealsState && isState(sent) && !isOwnState(sent)) return err(stateRefused);
  if (!isOwnState(sent)) return ok({ text, carried: null, connect: connectAnswerIn(given, null) });
  const opened = await states.open(await request.owner(), JSON.parse(sent ?? "") as string);
  if (!opened.ok) return opened;
  const carried = opened.value;
  // The router's answers take precedence over the client's, which may answer what it was not asked.
  const responses = new Map([...wire.responsesOf(text), ...carried.answers]);
  const inputResponses = responses.size === 0 ? null : wire.objectText(responses);
  return ok({
    text: wire.repeated(text, { inputResponses, requestState: carried.state }),
    carried,
    connect: connectAnswerIn(given, carried),
  });
}
