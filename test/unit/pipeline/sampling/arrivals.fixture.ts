/** A sampling request on its way, with fakes for everything around it. */
import type { Admitted } from "../../../../src/pipeline/sampling/settlement/finish.ts";
import { ok } from "../../../../src/domain/result.ts";
import { featuresOf } from "../../../../src/domain/sampling/negotiation.ts";
import type { CallTurn } from "../../../../src/domain/sampling/call-turn.ts";
import {
  openingOf,
  type SamplingRequest,
  type UnreadRequest,
} from "../../../../src/pipeline/sampling/request/sampling-request.ts";
import type { Observation } from "../../../../src/pipeline/sampling/request/observe.ts";
import { call } from "../../domain/models.fixture.ts";
import { callerWith, planOf, priced, reservedBy } from "../callers/callers.fixture.ts";

export const arrivalWith = (fields: Partial<SamplingRequest> = {}): SamplingRequest => ({
  caller: callerWith(),
  again: async () => ok(callerWith()),
  call: ok(call()),
  declaredBy: () => ({ capabilities: {}, features: featuresOf({}) }),
  client: { name: null, version: null, revision: "2025-11-25" },
  server: null,
  tool: null,
  replayKey: null,
  messageId: null,
  content: { sha256: "c0", bytes: 2, characters: 2, text: () => "{}" },
  bytes: 10,
  startedAt: 1_000,
  beganAt: 0,
  authMs: 2,
  turn: null,
  propagated: { traceparent: null, tracestate: null },
  ...fields,
});

/** The same before its content was read. */
export const unreadWith = (
  fields: Partial<Omit<SamplingRequest, "content">> = {},
): UnreadRequest => ({
  ...arrivalWith(fields),
  content: {},
});

/** What was told of the call, in order. */
export function observer() {
  const told: string[] = [];
  const observed: Observation = {
    chose: ({ model }) => void told.push(`chose ${model}`),
    begins: () => ({}),
    ends(ended) {
      told.push(`ended ${ended.outcome}`);
      return { auth: 2, ...ended.timing };
    },
  };
  return { told, observed };
}

/** A turn that says when it is handed on and when it ends. */
export function turnOf(log: string[]): CallTurn {
  return {
    outside: (wait) => {
      log.push("turn handed on");
      return wait(async () => {});
    },
    end: () => void log.push("turn ended"),
  };
}

export function admittedWith(observed: Observation, arrival = arrivalWith()): Admitted {
  const plan = planOf([priced("mistral/one", 1), priced("anthropic/two", 2)]);
  return {
    caller: arrival.caller,
    plan,
    reserved: reservedBy(plan),
    opening: openingOf(arrival, "req_1"),
    receipt: {
      number: 1,
      openingCode: "",
      model: "mistral/one",
      reservedTokens: 0,
      reservedMicroUsd: 0,
    },
    observed,
    request: arrival,
    turn: turnOf([]),
    blocked: [],
    chooseMs: 3,
    approveMs: 0,
    admitMs: 4,
    approval: null,
  };
}
