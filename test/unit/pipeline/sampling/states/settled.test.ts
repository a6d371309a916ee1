/** The provider's part of an admitted call, over fakes of the attempt and the settlement. */
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../../../src/domain/refusals.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import { model } from "../../../domain/models.fixture.ts";
import type { Attempt } from "../../../../../src/domain/attempts.ts";
import type { SamplingRequest } from "../../../../../src/pipeline/sampling/request/sampling-request.ts";
import type { AttemptsMade } from "../../../../../src/pipeline/sampling/attempts/attempt.ts";
import { createSettleWithApproval } from "../../../../../src/pipeline/approvals/settle-with-approval.ts";
import { createSample } from "../../../../../src/pipeline/sampling/sample.ts";
import { createAttempting } from "../../../../../src/pipeline/sampling/states/attempted.ts";
import type { Idempotency } from "../../../../../src/pipeline/sampling/request/idempotency.ts";
import { createAccount } from "../../../../../src/pipeline/sampling/states/accounted.ts";
import { createSettling } from "../../../../../src/pipeline/sampling/states/settled.ts";
import type { Ended } from "../../../../../src/pipeline/sampling/settlement/settle.ts";
import {
  admittedWith,
  arrivalWith,
  deciding,
  observer,
  untaken,
  unreadWith,
} from "../arrivals.fixture.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  provider: "mistral",
  model: "one",
  credentialId: "cred_mistral_0",
  status: 200,
  retryable: false,
  fault: null,
  billed: "yes",
  latencyMs: 5,
  retryAfterMs: null,
  usage: { inputTokens: 10, outputTokens: 20, estimated: false },
  ...fields,
});
const answered: AttemptsMade = {
  attempts: [attempt()],
  providerMs: 7,
  circuits: [],
  refusedKeys: [],
  answer: ok({
    model: model("mistral/one"),
    answer: {
      content: [{ type: "text", text: "hello" }],
      stopReason: "endTurn",
      providerStopReason: "stop",
      usage: { inputTokens: 10, outputTokens: 20, estimated: false },
      notes: ["a note"],
    },
  }),
};
const failure: Refusal = { reason: "provider_failed", attempts: [] };
const failed: AttemptsMade = {
  attempts: [attempt({ fault: "server", billed: "no", status: 503, usage: undefined as never })],
  providerMs: 7,
  circuits: [],
  refusedKeys: [],
  answer: err(failure),
};

/** `settles`: whether the database answers at all */
async function finished(
  attempted: AttemptsMade | Error,
  {
    settles = true,
    sealing = async () => ["part"],
    ...fields
  }: Partial<SamplingRequest> & { settles?: boolean; sealing?: () => Promise<string[]> } = {},
) {
  const settled: Ended[] = [];
  const forgotten: string[] = [];
  const sealed: unknown[] = [];
  const { told, observed } = observer();
  const clock = { now: () => 1_000, elapsed: () => 50 };
  const idempotency: Pick<Idempotency<unknown>, "seal"> = {
    seal: async (_, __, recorded) => {
      sealed.push(recorded);
      return sealing();
    },
  };
  const settling = createSettling({
    settle: async (ended) => {
      settled.push(ended);
      return settles ? ok(true) : new Promise(() => {});
    },
    idempotency,
    ...clock,
    after: (_, act) => {
      act();
      return () => {};
    },
    background: () => {},
  });
  const arrival = arrivalWith(fields);
  const sample = createSample(
    {
      ...untaken,
      attempt: createAttempting({
        attempt: async () => {
          if (attempted instanceof Error) throw attempted;
          return attempted;
        },
        streams: { begin: () => null },
        holdLease: () => () => {},
        now: () => 1_000,
        forget: ({ memoryKey }) => void forgotten.push(memoryKey),
      }),
      settle: createSettleWithApproval({
        account: createAccount({ idempotency, ...clock }),
        settling,
        holdResult: async () => ok(false),
      }),
      settleThrown: settling.settleThrown,
    },
    deciding([() => admittedWith(observed, arrival)]),
  );
  const { outcome } = await sample(unreadWith());
  if (!outcome.ok) throw new Error(outcome.error.reason);
  const ending = outcome.value(new AbortController().signal);
  const thrown = await ending.then(
    () => null,
    (cause: unknown) => cause,
  );
  const ended = thrown === null ? await ending : (null as never);
  return { ended, settled, told, forgotten, sealed, thrown };
}

describe("the provider's part of a call", () => {
  it("answers with the decision, charges what was used, and reports the call once", async () => {
    const { ended, settled, told } = await finished(answered);
    expect(ended).toMatchObject({
      answeredBy: "this-call",
      timing: { auth: 2, choose: 3, admit: 4, provider: 7, settle: 0 },
      outcome: {
        ok: true,
        value: {
          answer: { model: "mistral/one", stopReason: "endTurn", providerStopReason: "stop" },
          decision: { requestId: "req_1", attempts: 1, costUsd: 30 / 1e6, notes: ["a note"] },
        },
      },
    });
    expect(settled).toMatchObject([
      { id: "req_1", refusal: null, model: "mistral/one", charge: { tokens: 30 }, result: null },
    ]);
    expect(told).toEqual(["ended succeeded"]);
  });

  it("settles a failure too, and forgets the caller, whose circuits have changed", async () => {
    const { ended, settled, told, forgotten } = await finished(failed);
    expect(ended.outcome).toEqual(err(failure));
    expect(settled).toMatchObject([{ refusal: failure, model: null, charge: { tokens: 0 } }]);
    expect(told).toEqual(["ended failed"]);
    expect(forgotten).toHaveLength(1);
    expect((await finished(answered)).forgotten).toEqual([]);
  });

  it("seals the answer for repetitions, and sets the key of an unpaid failure free", async () => {
    const replayKey = { kind: "client", key: "k" } as const;
    const kept = await finished(answered, { replayKey });
    expect(kept.settled[0]?.result).toMatchObject({ parts: ["part"] });
    // The time of the settlement is known to the first caller alone.
    expect(kept.sealed).toMatchObject([{ value: { decision: { timingMs: { settle: 0 } } } }]);
    const free = await finished(failed, { replayKey });
    expect([free.settled[0]?.result, free.sealed]).toEqual(["free", []]);
  });

  it("settles what was used where keeping the answer throws, and throws on for the surface to report", async () => {
    const replayKey = { kind: "client", key: "k" } as const;
    let tries = 0;
    const sealing = async (): Promise<string[]> => {
      if (tries++ === 0) throw new RangeError("Maximum call stack size exceeded");
      return ["part"];
    };
    const { settled, told, thrown } = await finished(answered, { replayKey, sealing });
    expect(thrown).toBeInstanceOf(RangeError);
    expect(settled).toMatchObject([
      { refusal: { reason: "internal" }, model: null, charge: { tokens: 30 }, content: null },
    ]);
    expect(settled[0]?.result).toMatchObject({ parts: ["part"] });
    expect(told).toEqual(["ended failed"]);
    const text = (): string => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    const content = { ...arrivalWith().content, text };
    const caller = callerWith({ policy: { capture: "full" } });
    const captured = await finished(answered, { content, caller });
    expect(captured.settled).toMatchObject([{ refusal: { reason: "internal" }, result: null }]);
  });

  it("settles as reserved where the attempt throws, since a provider may have been called", async () => {
    const { settled, thrown } = await finished(new TypeError("a bug"));
    expect(thrown).toBeInstanceOf(TypeError);
    expect(settled).toMatchObject([{ refusal: { reason: "internal" }, charge: { usage: null } }]);
    const [ended] = settled;
    expect(ended?.charge.tokens).toBe(ended?.reserved.tokens);
    expect(ended?.charge.microUsd).toBe(ended?.reserved.microUsd);
  });

  it("waits for no database that is away: the answer has been paid for", async () => {
    const { ended, settled } = await finished(answered, { settles: false });
    expect(ended.outcome.ok).toBe(true);
    expect(settled).toHaveLength(1);
  });

  it("captures what was said only where the policy says so", async () => {
    const content = { ...arrivalWith().content, text: () => '{"messages":[]}' };
    expect((await finished(answered, { content })).settled[0]?.content).toBeNull();
    const caller = callerWith({ policy: { capture: "full" } });
    const { settled } = await finished(answered, { content, caller });
    expect(settled[0]?.content).toContain("hello");
  });
});
