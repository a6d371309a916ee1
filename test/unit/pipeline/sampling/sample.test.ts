/** One call from its arrival to its end, over fakes of every step. */
import { describe, expect, it } from "vitest";
import { err, ok } from "../../../../src/domain/result.ts";
import type { Refusal } from "../../../../src/domain/refusals.ts";
import { createAwaitApproval } from "../../../../src/pipeline/approvals/await-approval.ts";
import type { Waited } from "../../../../src/pipeline/approvals/wait.ts";
import type {
  Admitted,
  Attempted,
  Decided,
  Held,
  Joined,
  Received,
  Settled,
} from "../../../../src/pipeline/sampling/states/states.ts";
import type { Joined as Result } from "../../../../src/pipeline/sampling/request/idempotency.ts";
import type { Summary } from "../../../../src/pipeline/sampling/settlement/summary.ts";
import { createSample } from "../../../../src/pipeline/sampling/sample.ts";
import { createJoin } from "../../../../src/pipeline/sampling/states/joined.ts";
import { createReceive, receivedAs } from "../../../../src/pipeline/sampling/states/received.ts";
import { refused } from "../../../../src/pipeline/sampling/states/refused.ts";
import { keyOf, returningKey } from "../../../../src/domain/sampling/replay-key.ts";
import type { SamplingRequest } from "../../../../src/pipeline/sampling/request/sampling-request.ts";
import { call as samplingCall } from "../../domain/models.fixture.ts";
import {
  admittedWith,
  arrivalWith,
  deciding,
  observer,
  slotOf,
  untaken,
  unreadWith,
} from "./arrivals.fixture.ts";

const signal = new AbortController().signal;
const limited: Refusal = { reason: "rate_limited", limit: "key rpm", retryAfterMs: 5 };
const limits = [{ name: "key rpm", limit: 1, remaining: 0, resetMs: 5 }] as never;
const finished: Settled = {
  state: "settled",
  answeredBy: "this-call",
  timing: { auth: 2, settle: 1 },
  outcome: err({ reason: "provider_failed", attempts: [] }),
};

const admitted = (received: Received): Decided => ({
  ...admittedWith(received.observed, received.request),
  slot: received.slot,
  limits,
});
const attemptedWith = (call: Admitted): Attempted => ({
  ...call,
  state: "attempted",
  attempts: [],
  providerMs: 0,
  circuits: [],
  refusedKeys: [],
  answer: finished.outcome as never,
  messages: [],
});
const taken = (call: Held): Waited => ({
  state: "taken",
  admitted: { ...admittedWith(call.observed, call.request), slot: call.slot },
});
const pending: Refusal = { reason: "approval_pending", retryAfterMs: 5, idempotencyKey: null };
const refusedThen = (received: Received): Decided => refused(received, limited, limits);
const repeated = (received: Received): Joined => ({
  ...received,
  state: "joined",
  asked: samplingCall(),
  requestId: "req_0",
  limits: [],
  replayKey: received.replayKey ?? { kind: "client", key: "k" },
  role: "repetition",
});
const returning = (received: Received): Joined => ({ ...repeated(received), role: "returning" });
const held = (received: Received): Held => ({
  ...repeated(received),
  state: "held",
  requestId: "req_1",
  role: "owner",
});

/** Starts a call, and runs what is left to run. Each list is used up in order; none left is an error of the test. */
async function through(given: {
  decisions: ((received: Received) => Decided)[];
  asked?: Partial<Omit<SamplingRequest, "content">>;
  results?: Result<Summary>[];
  entered?: Refusal;
  waited?: ((call: Held) => Waited)[];
  settled?: ((call: Attempted) => Settled | Held)[];
}) {
  const log: string[] = [];
  const background: Promise<unknown>[] = [];
  const waits: Held[] = [];
  const { told, observed } = observer();
  const next = <T>(list: T[] | undefined): T => {
    const value = list?.shift();
    if (value === undefined) throw new Error("asked too often");
    return value;
  };
  const sample = createSample(
    {
      ...untaken,
      receive: createReceive({
        digestContent: async () => arrivalWith().content,
        ids: { next: () => "req_1" },
        observe: () => observed,
      }),
      attempt: async (admittedCall) => {
        log.push("attempt");
        return attemptedWith(admittedCall);
      },
      settle: async (attempted) => {
        log.push("settle");
        return (given.settled?.shift() ?? (() => finished))(attempted);
      },
      join: createJoin({
        idempotency: {
          join: async () => {
            log.push("join");
            return next(given.results);
          },
        },
      }),
      awaitApproval: createAwaitApproval({
        waitForApproval: async (waiting) => {
          log.push("wait");
          waits.push(waiting);
          return next(given.waited)(waiting);
        },
        observe: () => observed,
        idempotency: {
          addKey: async (of, key) => {
            log.push(`${of.key} is ${key}`);
            return ok(null);
          },
        },
        sha256Hex: async (text) => `hash of ${text}`,
        upkeep: () => undefined,
      }),
    },
    deciding(given.decisions, {
      log,
      callScheduler: {
        enter: async () => (given.entered === undefined ? ok(slotOf(log)) : err(given.entered)),
      },
      background: (work) => void background.push(work),
    }),
  );
  const started = await sample(unreadWith(given.asked));
  const ended = started.outcome.ok ? await started.outcome.value(signal) : null;
  return { log, told, background, waits, started, ended };
}

describe("a sampling request", () => {
  it("that is admitted is finished beyond its caller, and its end is a value", async () => {
    const { started, ended, log, background } = await through({ decisions: [admitted] });
    expect(started).toMatchObject({ requestId: "req_1", limits, timing: { auth: 2 } });
    expect(ended).toBe(finished);
    expect(log).toEqual(["decide", "attempt", "settle", "slot ended"]);
    expect(background).toHaveLength(1);
  });

  it("that is refused ends its turn, and tells so once", async () => {
    const { started, log, told } = await through({ decisions: [refusedThen] });
    expect(started).toMatchObject({ limits, outcome: { ok: false, error: limited } });
    expect(log).toEqual(["decide", "slot ended"]);
    expect(told).toEqual(["ended refused"]);
  });

  it("that gets no turn is refused before anything is decided", async () => {
    const { started, log, told } = await through({ decisions: [], entered: limited });
    expect(started).toMatchObject({ requestId: "req_1", limits: [], outcome: { error: limited } });
    expect(log).toEqual([]);
    expect(told).toEqual(["ended refused"]);
  });

  it("of a legacy server that waits for a person in vain is known by its content from then on", async () => {
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "7" } as const;
    const { ended, log, waits } = await through({
      decisions: [held],
      waited: [() => ({ state: "refused", refusal: pending })],
      asked: { replayKey },
    });
    expect(ended?.outcome).toEqual(err(pending));
    expect(log).toContain(`${keyOf(replayKey, "c0")} is ${returningKey("ses_1", "c0")}`);
    expect(log).toContain(`${keyOf(replayKey, "c0")} is hash of req_1`);
    expect(waits).toMatchObject([{ role: "owner", requestId: "req_1" }]);
  });

  it("of a legacy server that joined a held call is given the key of that call again", async () => {
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "9" } as const;
    const { log, waits } = await through({
      decisions: [returning],
      results: [{ state: "held", requestId: "req_0" }],
      waited: [() => ({ state: "refused", refusal: pending })],
      asked: { replayKey },
    });
    expect(waits).toMatchObject([{ requestId: "req_0", role: "returning" }]);
    expect(log).toContain(`${keyOf(replayKey, "c0")} is hash of req_0`);
  });

  it("of a server that came back is answered by nobody else", async () => {
    const recorded = err<Refusal>({ reason: "provider_failed", attempts: [] });
    const { ended } = await through({
      decisions: [returning],
      results: [{ state: "done", recorded, answeredBy: "concurrent-call" }],
    });
    expect(ended?.answeredBy).toBe("this-call");
  });

  it("that is approved runs, and waits again where its result needs an approval too", async () => {
    const recorded = err<Refusal>({ reason: "user_rejected", by: "approver" });
    const { ended, log, waits, background } = await through({
      decisions: [held],
      waited: [taken, () => ({ state: "over" })],
      settled: [(attempted) => ({ ...held(receivedAs(attempted)), asked: attempted.asked })],
      results: [{ state: "done", recorded, answeredBy: "earlier-call" }],
    });
    expect(log).toEqual([
      "decide",
      "wait",
      "attempt",
      "settle",
      "wait",
      "slot handed on",
      "join",
      "slot ended",
    ]);
    expect(waits).toMatchObject([{ role: "owner" }, { role: "owner" }]);
    expect(background).toHaveLength(1);
    expect(ended).toMatchObject({ answeredBy: "this-call", outcome: recorded });
  });

  it("that repeats an approved call runs that call, and takes its result", async () => {
    const recorded = err<Refusal>({ reason: "provider_failed", attempts: [] });
    const { ended, log, told } = await through({
      decisions: [repeated],
      results: [
        { state: "held", requestId: "req_0" },
        { state: "done", recorded, answeredBy: "earlier-call" },
      ],
      waited: [taken],
    });
    expect(log.filter((entry) => entry !== "slot handed on")).toEqual([
      "decide",
      "join",
      "wait",
      "attempt",
      "settle",
      "join",
      "slot ended",
    ]);
    expect(ended).toMatchObject({ answeredBy: "earlier-call", outcome: recorded });
    expect(told).toEqual(["ended repeated"]);
  });

  it("that repeats another waits for it outside of its turn, and says which call answered", async () => {
    const recorded = err<Refusal>({ reason: "provider_failed", attempts: [] });
    const { started, ended, log, told } = await through({
      decisions: [repeated],
      results: [{ state: "done", recorded, answeredBy: "concurrent-call" }],
    });
    expect(started.requestId).toBe("req_0");
    expect(ended).toMatchObject({
      answeredBy: "concurrent-call",
      timing: { auth: 2 },
      outcome: recorded,
    });
    expect(log).toEqual(["decide", "slot handed on", "join", "slot ended"]);
    expect(told).toEqual(["ended repeated"]);
  });

  it("that repeats a call which set its key free is decided anew, as often as that happens", async () => {
    const { ended, log } = await through({
      decisions: [repeated, repeated, admitted],
      results: [{ state: "free" }, { state: "free" }],
    });
    expect(ended).toBe(finished);
    expect(log.filter((entry) => entry === "decide")).toHaveLength(3);
  });

  it("is refused where the key was set free and nothing is left to admit it", async () => {
    const { ended, told, log } = await through({
      decisions: [repeated, refusedThen],
      results: [{ state: "free" }],
    });
    expect(ended).toMatchObject({ answeredBy: "this-call", outcome: err(limited) });
    expect(told).toEqual(["ended refused"]);
    expect(log.at(-1)).toBe("slot ended");
  });

  it("keeps the turn that it came with", async () => {
    const own: string[] = [];
    const { started, log } = await through({
      decisions: [refusedThen],
      entered: limited,
      asked: { slot: slotOf(own) },
    });
    expect(started.outcome).toEqual(err(limited));
    expect([log, own]).toEqual([["decide"], ["slot ended"]]);
  });
});
