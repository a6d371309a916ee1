/** What a process does while it has parked calls: it renews their leases, and answers other processes. */
import { expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import type { ReceivedQuestion } from "../../../src/domain/ports/questions.ts";
import { err, ok, type Result } from "../../../src/domain/result.ts";
import { createParkedCalls, type ParkedOutcome } from "../../../src/proxy/bridge/parked-calls.ts";
import { tendParked } from "../../../src/proxy/bridge/tend-parked.ts";

const asks: ParkedOutcome = { kind: "asks", params: "{}" };
const done: ParkedOutcome = { kind: "answer", text: "done" };
const asked: ReceivedQuestion = {
  tenantId: "ten_1",
  id: "qst_1",
  askedOf: "ses_1",
  content: JSON.stringify({
    tenantId: "ten_2",
    id: "ses_2",
    round: 1,
    text: '{"action":"accept"}',
  }),
};
const seen: ReceivedQuestion = { ...asked, content: null };

/** @param polls what other processes ask each time; the outcome is there at the second, and at the end the call ends */
function given(
  processes: "one" | "several",
  polls: readonly (readonly ReceivedQuestion[])[],
  outcome: ParkedOutcome | null = null,
) {
  const calls = createParkedCalls({ epoch: "here", patienceMs: 1, processes });
  let abandoned = 0;
  const call = calls.begin({ id: "ses_1", tenantId: "ten_1" }, () => (abandoned += 1));
  void call.conclude(asks);
  const until = calls.keep(call);
  if (until === null) throw new Error("not the first");
  const renewed: [string, readonly string[]][] = [];
  const answers: unknown[] = [];
  const state = { now: 0, polls: 0, kept: [] as Result<boolean, Refusal>[] };
  const services: Parameters<typeof tendParked>[0] = {
    now: () => state.now,
    async wait(ms) {
      // What was read is handled meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      state.now += ms;
      state.polls += 1;
      if (state.polls === 2 && outcome !== null) void call.conclude(outcome);
      if (state.polls > polls.length) await call.end();
    },
    sha256Hex: async (text) => String(text),
    report: (_, thrown) => expect.unreachable(String(thrown)),
    sessions: {
      async stayParked(tenantId: string, ids: readonly string[]) {
        renewed.push([tenantId, ids]);
        return ok(null);
      },
    } as never,
    questions: {
      async receive(tenantIds: readonly string[], owner: string) {
        expect([tenantIds, owner]).toEqual([["ten_1"], "here"]);
        return ok(polls[state.polls - 1] ?? []);
      },
      async answer(question: object, text: string) {
        answers.push([question, JSON.parse(text)]);
        return state.kept.shift() ?? ok(true);
      },
    } as never,
  };
  const tending = tendParked(services, { calls, until });
  return { tending, renewed, answers, state, abandoned: () => abandoned };
}
const question = { tenantId: "ten_1", sessionId: "here", id: "qst_1", askedOf: "ses_1" };

it("renews leases, and reads nothing if there is one process", async () => {
  const { tending, renewed } = given("one", [[asked], [asked], [asked]]);
  await tending;
  expect(renewed).toEqual(Array.from({ length: 3 }, () => ["ten_1", ["ses_1"]]));
});

it("renews leases less often than it reads", async () => {
  const { tending, renewed } = given(
    "several",
    Array.from({ length: 45 }, () => []),
  );
  await tending;
  expect(renewed).toHaveLength(2);
});

it("answers another process with the outcome, for the call and tenant of the row", async () => {
  const { tending, answers } = given("several", [[asked], [seen], []], done);
  await tending;
  expect(answers).toEqual([[question, done]]);
});

it("answers that an outcome couldn't be stored", async () => {
  const { tending, answers, state } = given("several", [[asked], [seen], []], done);
  const refusal: Refusal = { reason: "internal" };
  state.kept.push(err(refusal));
  await tending;
  expect(answers).toEqual([
    [question, done],
    [question, { kind: "refused", refusal }],
  ]);
});

it("another process that no longer asks has left", async () => {
  const { tending, answers, abandoned } = given("several", [[asked], [seen], [], []]);
  await tending;
  expect(abandoned()).toBe(1);
  expect(answers).toEqual([]);
});

it("a call that is not here, or another tenant's, is lost", async () => {
  const others = [
    { ...asked, askedOf: "ses_2" },
    { ...asked, id: "qst_2", tenantId: "ten_2" },
  ];
  const { tending, answers } = given("several", [others, []]);
  await tending;
  const lost = { kind: "refused", refusal: expect.objectContaining({ retryable: false }) };
  expect(answers).toEqual([
    [{ ...question, askedOf: "ses_2" }, lost],
    [{ ...question, id: "qst_2", tenantId: "ten_2" }, lost],
  ]);
});
