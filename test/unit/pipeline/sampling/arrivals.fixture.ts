/** A sampling request on its way, with fakes for everything around it. */
import { createCallSlots } from "../../../../src/pipeline/sampling/call-slots.ts";
import type { Around, Steps } from "../../../../src/pipeline/sampling/sample.ts";
import type {
  Admitted,
  Decided,
  Received,
} from "../../../../src/pipeline/sampling/states/states.ts";
import type { CallScheduler } from "../../../../src/pipeline/sampling/scheduling.ts";
import { receivedAs } from "../../../../src/pipeline/sampling/states/received.ts";
import { ok } from "../../../../src/domain/result.ts";
import { featuresOf } from "../../../../src/domain/sampling/negotiation.ts";
import type { CallSlot } from "../../../../src/domain/sampling/call-slot.ts";
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
  reauthenticate: async () => ok(callerWith()),
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
  monotonicStart: 0,
  authMs: 2,
  slot: null,
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
export function slotOf(log: string[]): CallSlot {
  return {
    outside: (wait) => {
      log.push("slot handed on");
      return wait(async () => {});
    },
    end: () => void log.push("slot ended"),
  };
}

export const receivedWith = (
  observed: Observation,
  {
    arrival = arrivalWith(),
    slot = slotOf([]),
  }: { arrival?: SamplingRequest; slot?: CallSlot } = {},
): Received =>
  receivedAs({ request: arrival, opening: openingOf(arrival, "req_1"), observed, slot });

export function admittedWith(observed: Observation, arrival = arrivalWith()): Admitted {
  const plan = planOf([priced("mistral/one", 1), priced("anthropic/two", 2)]);
  const received = receivedWith(observed, { arrival });
  return {
    ...received,
    state: "admitted",
    asked: call(),
    requestId: "req_1",
    limits: [],
    plan,
    reserved: reservedBy(plan),
    receipt: {
      number: 1,
      openingCode: "",
      model: "mistral/one",
      reservedTokens: 0,
      reservedMicroUsd: 0,
    },
    blocked: [],
    chooseMs: 3,
    approveMs: 0,
    admitMs: 4,
    approval: null,
  };
}

const notAsked = (): never => {
  throw new Error("asked too often");
};

/** Steps of a call that no test has asked for. */
export const untaken: Steps = {
  receive: async () => receivedWith(observer().observed),
  choose: notAsked,
  admit: notAsked,
  attempt: notAsked,
  settle: notAsked,
  settleThrown: notAsked,
  join: notAsked,
  awaitApproval: notAsked,
};

/** `decisions` are used up in order; none left is an error of the test. */
export const deciding = (
  decisions: ((received: Received) => Decided)[],
  given: {
    log?: string[];
    callScheduler?: Pick<CallScheduler, "enter">;
    background?: (work: Promise<unknown>) => void;
  } = {},
): Around => ({
  waitForRoom: () => async (received) => {
    given.log?.push("decide");
    return (decisions.shift() ?? notAsked)(received);
  },
  callSlots: createCallSlots({
    callScheduler: given.callScheduler ?? { enter: async () => ok(slotOf([])) },
  }),
  background: given.background ?? (() => {}),
});
