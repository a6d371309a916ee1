/** One call from its arrival to its end, over fakes of every step. */
import { describe, expect, it } from "vitest";
import { err, ok } from "../../../../src/domain/result.ts";
import type { Refusal } from "../../../../src/domain/refusals.ts";
import type { Decided } from "../../../../src/pipeline/sampling/decided.ts";
import type { EndedCall } from "../../../../src/pipeline/sampling/settlement/finish.ts";
import type { Joined } from "../../../../src/pipeline/sampling/request/idempotency.ts";
import type { Summary } from "../../../../src/pipeline/sampling/settlement/summary.ts";
import type { ToWait, Waited } from "../../../../src/pipeline/approvals/wait.ts";
import { createSample } from "../../../../src/pipeline/sampling/sample.ts";
import { returningKey } from "../../../../src/domain/sampling/replay-key.ts";
import { call } from "../../domain/models.fixture.ts";
import { admittedWith, arrivalWith, observer, turnOf, unreadWith } from "./arrivals.fixture.ts";

const signal = new AbortController().signal;
const limited: Refusal = { reason: "rate_limited", limit: "key rpm", retryAfterMs: 5 };
const limits = [{ name: "key rpm", limit: 1, remaining: 0, resetMs: 5 }] as never;
const finished: EndedCall = {
  answeredBy: "this-call",
  timing: { auth: 2, settle: 1 },
  outcome: err({ reason: "provider_failed", attempts: [] }),
};

/** `decisions` and `joins` are used up in order; none left is an error of the test. */
function world(given: {
  decisions: Decided[];
  joins?: Joined<Summary>[];
  entered?: Refusal;
  waited?: Waited;
}) {
  const log: string[] = [];
  const background: Promise<unknown>[] = [];
  const waits: ToWait[] = [];
  const { told, observed } = observer();
  const next = <T>(list: T[]): T => {
    const value = list.shift();
    if (value === undefined) throw new Error("asked too often");
    return value;
  };
  const sample = createSample({
    decide: async () => {
      log.push("decide");
      return next(given.decisions);
    },
    finish: async () => {
      log.push("finish");
      return finished;
    },
    idempotency: {
      join: async () => {
        log.push("join");
        return next(given.joins ?? []);
      },
      addKey: async (of, key) => {
        log.push(`${of.key} is ${key}`);
        return ok(null);
      },
    },
    observe: () => observed,
    waitForApproval: async (toWait) => {
      waits.push(toWait);
      return given.waited ?? { state: "over" };
    },
    door: {
      enter: async () => (given.entered === undefined ? ok(turnOf(log)) : err(given.entered)),
    },
    ids: { next: () => "req_1" },
    digestContent: async () => arrivalWith().content,
    sha256Hex: async (text) => `hash of ${text}`,
    background: (work) => void background.push(work),
    upkeep: () => undefined,
  });
  return { sample, log, told, background, waits };
}

const admitted: Decided = {
  state: "admitted",
  requestId: "req_1",
  limits,
  admitted: admittedWith(observer().observed),
};
const refused: Decided = { state: "refused", requestId: "req_1", limits, refusal: limited };
const repeated: Decided = {
  state: "repeated",
  requestId: "req_0",
  limits: [],
  call: call(),
  first: { tenantId: "ten_1", keyId: "key_1", serverId: null, key: "k" },
};

/** Starts, and runs what is left to run. */
async function through(given: Parameters<typeof world>[0]) {
  const its = world(given);
  const started = await its.sample(unreadWith());
  const ended = started.outcome.ok ? await started.outcome.value(signal) : null;
  return { ...its, started, ended };
}

describe("a sampling request", () => {
  it("that is admitted is finished beyond its caller, and its end is a value", async () => {
    const { started, ended, log, background } = await through({ decisions: [admitted] });
    expect(started).toMatchObject({ requestId: "req_1", limits, timing: { auth: 2 } });
    expect(ended).toBe(finished);
    expect(log).toEqual(["decide", "finish", "turn ended"]);
    expect(background).toHaveLength(1);
  });

  it("that is refused ends its turn, and tells so once", async () => {
    const { started, log, told } = await through({ decisions: [refused] });
    expect(started).toMatchObject({ limits, outcome: { ok: false, error: limited } });
    expect(log).toEqual(["decide", "turn ended"]);
    expect(told).toEqual(["ended refused"]);
  });

  it("that gets no turn is refused before anything is decided", async () => {
    const { started, log, told } = await through({ decisions: [], entered: limited });
    expect(started).toMatchObject({ requestId: "req_1", limits: [], outcome: { error: limited } });
    expect(log).toEqual([]);
    expect(told).toEqual(["ended refused"]);
  });

  it("of a legacy server that waits for a person in vain is known by its content from then on", async () => {
    const pending: Refusal = { reason: "approval_pending", retryAfterMs: 5, idempotencyKey: null };
    const own = { tenantId: "ten_1", keyId: "key_1", serverId: null, key: "k" };
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "7" } as const;
    const held: Decided = {
      state: "held",
      requestId: "req_1",
      limits: [],
      first: own,
      call: call(),
      replayKey,
      idempotencyKey: null,
    };
    const joins: Joined<Summary>[] = [{ state: "held", requestId: "req_1" }];
    const { sample, log, waits } = world({
      decisions: [held],
      joins,
      waited: { state: "refused", refusal: pending },
    });
    const started = await sample(unreadWith({ replayKey }));
    const ended = started.outcome.ok ? await started.outcome.value(signal) : null;
    expect(ended?.outcome).toEqual(err(pending));
    expect(log).toContain(`k is ${returningKey("ses_1", "c0")}`);
    expect(log).toContain("k is hash of req_1");
    expect(waits).toMatchObject([{ idempotencyKey: "req_1" }]);
  });

  it("of a legacy server that joined a held call is given the key of that call again", async () => {
    const pending: Refusal = { reason: "approval_pending", retryAfterMs: 5, idempotencyKey: null };
    const { sample, log, waits } = world({
      decisions: [{ ...repeated, returns: true }],
      joins: [{ state: "held", requestId: "req_0" }],
      waited: { state: "refused", refusal: pending },
    });
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "9" } as const;
    const started = await sample(unreadWith({ replayKey }));
    if (started.outcome.ok) await started.outcome.value(signal);
    expect(waits).toMatchObject([{ idempotencyKey: "req_0", leaving: "leaves-it-waiting" }]);
    expect(log).toContain("k is hash of req_0");
  });

  it("of a server that came back is answered by nobody else", async () => {
    const recorded = err<Refusal>({ reason: "provider_failed", attempts: [] });
    const { ended } = await through({
      decisions: [{ ...repeated, returns: true }],
      joins: [{ state: "done", recorded, answeredBy: "concurrent-call" }],
    });
    expect(ended?.answeredBy).toBe("this-call");
  });

  it("that repeats another waits for it outside of its turn, and says which call answered", async () => {
    const recorded = err<Refusal>({ reason: "provider_failed", attempts: [] });
    const { started, ended, log, told } = await through({
      decisions: [repeated],
      joins: [{ state: "done", recorded, answeredBy: "concurrent-call" }],
    });
    expect(started.requestId).toBe("req_0");
    expect(ended).toEqual({
      answeredBy: "concurrent-call",
      timing: { auth: 2 },
      outcome: recorded,
    });
    expect(log).toEqual(["decide", "turn handed on", "join", "turn ended"]);
    expect(told).toEqual(["ended repeated"]);
  });

  it("that repeats a call which set its key free is decided anew, as often as that happens", async () => {
    const { ended, log } = await through({
      decisions: [repeated, repeated, admitted],
      joins: [{ state: "free" }, { state: "free" }],
    });
    expect(ended).toBe(finished);
    expect(log.filter((entry) => entry === "decide")).toHaveLength(3);
  });

  it("is refused where the key was set free and nothing is left to admit it", async () => {
    const { ended, told, log } = await through({
      decisions: [repeated, refused],
      joins: [{ state: "free" }],
    });
    expect(ended).toMatchObject({ answeredBy: "this-call", outcome: err(limited) });
    expect(told).toEqual(["ended refused"]);
    expect(log.at(-1)).toBe("turn ended");
  });

  it("keeps the turn that it came with", async () => {
    const own: string[] = [];
    const { sample, log } = world({ decisions: [refused], entered: limited });
    const started = await sample(unreadWith({ turn: turnOf(own) }));
    expect(started.outcome).toEqual(err(limited));
    expect([log, own]).toEqual([["decide"], ["turn ended"]]);
  });
});
