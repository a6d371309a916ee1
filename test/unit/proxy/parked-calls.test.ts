/** Parked calls: who of several answers and waiting clients gets which outcome. */
import { expect, it } from "vitest";
import { createParkedCalls, type ParkedOutcome } from "../../../src/proxy/bridge/parked-calls.ts";

const asks: ParkedOutcome = { kind: "asks", params: "{}" };
const done: ParkedOutcome = { kind: "answer", text: "done" };
const here = new AbortController().signal;

function given() {
  const calls = createParkedCalls({ epoch: "e", patienceMs: 1, processes: "one" });
  let abandoned = 0;
  const call = calls.begin({ id: "a", tenantId: "ten_1" }, () => (abandoned += 1));
  return { calls, call, abandoned: () => abandoned };
}

it("an answer ends its round, equal ones join, and others do not count", async () => {
  const { calls, call } = given();
  const first = call.outcomeOf(0, here);
  const answered = call.conclude(asks);
  calls.keep(call);
  expect(await first).toBe(asks);
  expect(call.answer(2, { digest: "1", text: "early" })).toBe(false);
  expect(call.answer(1, { digest: "1", text: "one" })).toBe(true);
  expect(call.answer(1, { digest: "1", text: "again" })).toBe(true);
  expect(call.answer(1, { digest: "2", text: "other" })).toBe(false);
  expect(call.answer(0, { digest: "1", text: "before" })).toBe(false);
  expect(await answered).toBe("one");
  const both = [call.outcomeOf(1, here), call.outcomeOf(1, here)];
  void call.conclude(done);
  expect(await Promise.all(both)).toEqual([done, done]);
  // What was asked before is still known.
  expect(await call.outcomeOf(0, here)).toBe(asks);
  expect(calls.find("a", "ten_1")).toBe(call);
  expect(calls.find("a", "ten_2")).toBeNull();
  await call.end();
  expect(calls.find("a", "ten_1")).toBeNull();
});

it("the last client that leaves abandons it", async () => {
  const { call, abandoned } = given();
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [call.outcomeOf(0, one.signal), call.outcomeOf(0, other.signal)];
  one.abort();
  expect(await waiting[0]).toBeNull();
  expect(abandoned()).toBe(0);
  other.abort();
  expect(await waiting[1]).toBeNull();
  expect(abandoned()).toBe(1);
});

it("is told when the first call is kept and when the last one ends", async () => {
  const { calls, call } = given();
  const until = calls.keep(call);
  expect(until?.aborted).toBe(false);
  const other = calls.begin({ id: "b", tenantId: "ten_1" }, () => undefined);
  expect(calls.keep(other)).toBeNull();
  expect(calls.byTenant()).toEqual(new Map([["ten_1", ["a", "b"]]]));
  await call.end();
  expect(until?.aborted).toBe(false);
  await other.end();
  expect(until?.aborted).toBe(true);
  expect(calls.keep(call)?.aborted).toBe(false);
});

it("ends after other processes have been told", async () => {
  const { call } = given();
  const telling = Promise.withResolvers<void>();
  call.endsAfter(telling.promise);
  let hasEnded = false;
  const ending = call.end().then(() => (hasEnded = true));
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  telling.resolve();
  await ending;
});
