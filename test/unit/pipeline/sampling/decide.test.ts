/** What becomes of a call before a provider is called, over fakes of the choice and the ledger. */
import { describe, expect, it } from "vitest";
import type { Admission, FirstCall, FirstCallState } from "../../../../src/domain/ports/ledger.ts";
import { err, ok, type Result } from "../../../../src/domain/result.ts";
import type { Refusal } from "../../../../src/domain/refusals.ts";
import { keyOf, returningKey } from "../../../../src/domain/sampling/replay-key.ts";
import { createLimitWaits } from "../../../../src/pipeline/sampling/admission/limit-waits.ts";
import { createWaitForRoom, withCurrentCaller } from "../../../../src/pipeline/sampling/decide.ts";
import { createAdmitWithApproval } from "../../../../src/pipeline/approvals/admit-with-approval.ts";
import {
  createAdmitChosen,
  createClaim,
} from "../../../../src/pipeline/sampling/states/admitted.ts";
import { createChoose } from "../../../../src/pipeline/sampling/states/chosen.ts";
import {
  createRepeat,
  createRepeatKnown,
} from "../../../../src/pipeline/sampling/states/joined.ts";
import { createRefuse } from "../../../../src/pipeline/sampling/states/refused.ts";
import type { Idempotency } from "../../../../src/pipeline/sampling/request/idempotency.ts";
import { type SamplingRequest } from "../../../../src/pipeline/sampling/request/sampling-request.ts";
import { arrivalWith, observer, receivedWith, slotOf } from "./arrivals.fixture.ts";
import { callerWith, planOf, priced } from "../callers/callers.fixture.ts";

const plan = planOf([priced("mistral/one", 1)]);
const admitted: Admission = {
  state: "admitted",
  limits: [],
  blocked: ["a circuit"],
  rung: 0,
  receipt: {
    number: 1,
    openingCode: "",
    model: "mistral/one",
    reservedTokens: 0,
    reservedMicroUsd: 0,
  },
};
const nothing: Refusal = {
  reason: "no_eligible_model",
  cause: "no_credential",
  requirements: plan.requirements,
  candidates: [],
};
const away: Refusal = { reason: "unavailable", retryAfterMs: 9 };
const client = { kind: "client", key: "k" } as const;

/** Whether a model can be chosen, and what the ledger says, each in order. */
async function decided(
  given: {
    admissions?: Result<Admission, Refusal>[];
    choices?: boolean[];
    found?: Result<FirstCallState | null, Refusal>;
    recorded?: Result<null, Refusal>;
    returned?: FirstCall;
  },
  fields: Partial<SamplingRequest> = {},
) {
  const log: string[] = [];
  const { told, observed } = observer();
  const arrival = arrivalWith({
    reauthenticate: async () => {
      log.push("again");
      return ok(callerWith());
    },
    ...fields,
  });
  const idempotency: Pick<Idempotency<unknown>, "find" | "addKey" | "moveKey"> = {
    find: async ({ key }) => {
      if (key === "named") log.push("find named");
      return given.found ?? ok(null);
    },
    addKey: async (from, to) => {
      log.push(`${from.key} is ${to}`);
      return ok(null);
    },
    moveKey: async (from, to) => {
      log.push(`${from.key} becomes ${to}`);
      return ok(given.returned ?? null);
    },
  };
  const refuse = createRefuse({
    ledger: {
      refuse: async (_, reason) => {
        log.push(`record ${reason}`);
        return given.recorded ?? ok(null);
      },
    },
  });
  const repeat = createRepeat({ refuse });
  const repeatKnown = createRepeatKnown({ idempotency, repeat });
  const choose = createChoose({
    chooser: {
      plan: () => {
        log.push("choose");
        return (given.choices?.shift() ?? true) ? ok(plan) : err(nothing);
      },
    },
    refuse,
    now: () => 1_000,
    elapsed: () => 0,
  });
  const claim = createClaim({
    admit: async () => {
      log.push("admit");
      return given.admissions?.shift() ?? ok(admitted);
    },
    repeat,
    release: () => void log.push("release"),
  });
  const admit = createAdmitWithApproval({
    admit: createAdmitChosen({ claim, elapsed: () => 0 }),
    claim,
    hold: async () => err(away),
    repeat,
    repeatKnown,
    refuse,
    idempotency,
    approvals: { count: async () => ok({ key: 0, server: 0, tenant: 0 }) },
    sendWebhooks: () => undefined,
    sha256Hex: async (text) => text,
  });
  const waitForRoom = createWaitForRoom({
    limitWaits: createLimitWaits({
      ledger: { runningOf: async () => ok(new Map()) },
      now: () => 0,
      elapsed: () => 0,
      after: () => () => {},
    }),
    repeatKnown,
    refuse,
  });
  const decide = waitForRoom(
    withCurrentCaller(async (call) => {
      const chosen = await choose(call);
      return chosen.state === "chosen" ? admit(chosen) : chosen;
    }),
  );
  const made = await decide(receivedWith(observed, { arrival, slot: slotOf(log) }));
  return { made, log, told };
}

const warm = { ...callerWith(), warm: true };
const first = { requestId: "req_0", contentSha256: "c0" };

describe("a decision", () => {
  it("admits what was chosen and reserved", async () => {
    const { made, log, told } = await decided({});
    expect(made).toMatchObject({
      state: "admitted",
      requestId: "req_1",
      plan,
      blocked: ["a circuit"],
    });
    expect(log).toEqual(["choose", "admit"]);
    expect(told).toEqual(["chose one", "chose one"]);
  });

  it("joins a server that was sent away to its held call, and leaves others alone", async () => {
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "8" } as const;
    const { tenant, ...others } = callerWith().snapshot;
    const policy = { ...tenant.policy, approval: { mode: "request" } as const };
    const caller = { ...callerWith(), snapshot: { ...others, tenant: { ...tenant, policy } } };
    const contentSha256 = arrivalWith().content.sha256;
    const returned = { requestId: "req_0", contentSha256 };
    const joined = await decided({ returned }, { replayKey, caller });
    expect(joined.made).toMatchObject({ state: "joined", requestId: "req_0", role: "returning" });
    expect(joined.log).toEqual([
      "choose",
      `${returningKey("ses_1", contentSha256)} becomes ${keyOf(replayKey, contentSha256)}`,
    ]);
    // Nobody was sent away: the call is held anew, which the fake refuses.
    expect((await decided({}, { replayKey, caller })).made).toMatchObject({ outcome: err(away) });
    const keyed = await decided({ returned }, { replayKey: client, caller });
    expect(keyed.log).toEqual(["choose", "record unavailable"]);
  });

  it("joins the held call that a server names, whether an approval is needed now or not", async () => {
    const replayKey = { kind: "stream", scope: "ses_1", messageId: "8", joins: "named" } as const;
    const contentSha256 = arrivalWith().content.sha256;
    const held = {
      requestId: "req_0",
      outcome: "admitted" as const,
      leaseUntil: null,
      result: null,
    };
    const joined = await decided({ found: ok({ ...held, contentSha256 }) }, { replayKey });
    expect(joined.made).toMatchObject({ state: "joined", requestId: "req_0", role: "returning" });
    const own = keyOf(replayKey, contentSha256);
    expect(joined.log).toEqual(["choose", "find named", `named is ${own}`]);
    const other = await decided({ found: ok({ ...held, contentSha256: "c1" }) }, { replayKey });
    expect(other.made).toMatchObject({ outcome: { error: { reason: "idempotency_conflict" } } });
    expect(other.log).toEqual(["choose", "find named", "record idempotency_conflict"]);
    // A name that nobody gave is passed over.
    const unknown = await decided({}, { replayKey });
    expect(unknown.made.state).toBe("admitted");
    expect(unknown.log).toContain(`${returningKey("ses_1", contentSha256)} becomes ${own}`);
  });

  it("records a request that can't be read, and chooses nothing", async () => {
    const unread: Refusal = { reason: "invalid_params", path: "messages", detail: "is missing" };
    const { made, log } = await decided({}, { call: err(unread) });
    expect(made).toMatchObject({ state: "refused", outcome: err(unread) });
    expect(log).toEqual(["record invalid_params"]);
  });

  it("refuses as the database is away, where not even the refusal can be recorded", async () => {
    const { made } = await decided({ choices: [false], recorded: err(away) });
    expect(made).toMatchObject({ state: "refused", outcome: err(away) });
  });

  it.each([
    ["nothing can be chosen", { choices: [false, true] }, ["choose", "again", "choose", "admit"]],
    [
      "the ledger says that it is stale",
      { admissions: [ok<Admission>({ state: "stale" }), ok(admitted)] },
      ["choose", "admit", "again", "choose", "admit"],
    ],
  ])("reads a caller from memory anew where %s", async (_, given, steps) => {
    const { made, log } = await decided(given, { caller: warm });
    expect(made.state).toBe("admitted");
    expect(log).toEqual(steps);
  });

  it("gives up where a caller that was just read is stale already", async () => {
    const stale = ok<Admission>({ state: "stale" });
    const { made, log } = await decided({ admissions: [stale, stale] }, { caller: warm });
    expect(made).toMatchObject({
      outcome: { error: { reason: "unavailable", retryAfterMs: 1_000 } },
    });
    expect(log).toEqual(["choose", "admit", "again", "choose", "admit"]);
    const cold = await decided({ admissions: [stale] });
    expect([cold.made.state, cold.log]).toEqual(["refused", ["choose", "admit"]]);
  });

  it("releases an admission whose answer never came", async () => {
    const { made, log } = await decided({ admissions: [err(away)] });
    expect(made).toMatchObject({ state: "refused", outcome: err(away) });
    expect(log).toEqual(["choose", "admit", "release"]);
  });

  it("repeats the call that holds the replay key", async () => {
    const { made } = await decided(
      { admissions: [ok<Admission>({ state: "repeated", first })] },
      { replayKey: client },
    );
    expect(made).toMatchObject({ state: "joined", requestId: "req_0", replayKey: client });
  });

  it("refuses a replay key that another content holds", async () => {
    const other = { ...first, contentSha256: "c1" };
    const { made, log } = await decided(
      { admissions: [ok<Admission>({ state: "repeated", first: other })] },
      { replayKey: client },
    );
    expect(made).toMatchObject({ outcome: { error: { reason: "idempotency_conflict" } } });
    expect(log.at(-1)).toBe("record idempotency_conflict");
  });

  it("repeats a call that was answered, also where nothing can be chosen any more", async () => {
    const found = ok({ ...first, outcome: "succeeded" as const, leaseUntil: null, result: "r" });
    const repeated = await decided({ choices: [false], found }, { replayKey: client });
    expect(repeated.made).toMatchObject({ state: "joined", requestId: "req_0" });
    const fresh = await decided({ choices: [false] }, { replayKey: client });
    expect(fresh.made).toMatchObject({ state: "refused", outcome: err(nothing) });
  });
});
