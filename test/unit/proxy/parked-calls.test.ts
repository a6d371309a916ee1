/** Parked calls: who of several answers and waiting clients gets which outcome. */
import { expect, it } from "vitest";
import {
  createParkedCalls,
  maxParked,
  type ParkedOutcome,
} from "../../../src/proxy/bridge/parked-calls.ts";

const whose = { tenantId: "ten_1", keyId: "key_1" };
const asks: ParkedOutcome = { kind: "asks", params: "{}" };
const done: ParkedOutcome = { kind: "answer", text: "done" };
const here = new AbortController().signal;

function given() {
  const calls = createParkedCalls({ epoch: "e", patienceMs: 1 });
  let abandoned = 0;
  const call = calls.begin("a", () => (abandoned += 1));
  return { calls, call, abandoned: () => abandoned };
}

it("an answer ends its round, equal ones join, and others do not count", async () => {
  const { calls, call } = given();
  const first = call.outcomeOf(0, here);
  const answered = call.conclude(asks);
  expect(calls.park(call, whose)).toMatchObject({ ok: true });
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
  expect(calls.find("a")).toBe(call);
  call.end();
  expect(calls.find("a")).toBeNull();
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

it("a key and a tenant have limits", () => {
  const { calls } = given();
  const park = (id: number, keyId: string, tenantId = "ten_1") =>
    calls.park(
      calls.begin(`${keyId} ${id}`, () => undefined),
      { tenantId, keyId },
    );
  for (let key = 0; key < maxParked.perTenant / maxParked.perKey; key += 1) {
    for (let id = 0; id < maxParked.perKey; id += 1)
      expect(park(id, `key_${key}`)).toMatchObject({ ok: true });
    expect(park(-1, `key_${key}`)).toMatchObject({ error: { limit: "key.parkedCalls" } });
  }
  expect(park(0, "another")).toMatchObject({ error: { limit: "tenant.parkedCalls" } });
  expect(park(0, "another", "ten_2")).toMatchObject({ ok: true });
  expect(calls.count()).toBe(maxParked.perTenant + 1);
});
