/** Tenants take turns, however many calls one of them has waiting. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createSlotScheduler,
  type Ticket,
  type QueueLimits,
} from "../../../src/domain/limits/admission-queue.ts";

const limits: QueueLimits = {
  atOnce: 1,
  ofLaneWhileShared: 100,
  maxPerLane: 100,
  maxWaiting: 1_000,
  longestWaitMs: 1_000,
  fewOfLane: 0,
  leaseMs: 6_000,
  takenWithinMs: 500,
};

/** An order of turns in which each turn is taken at once, and the lanes in the order of their turns. */
function given(changed: Partial<QueueLimits> = {}) {
  const order = createSlotScheduler({ ...limits, ...changed });
  const served: string[] = [];
  const held: Ticket[] = [];
  let now = 0;
  const asking = (lane: string, kind: Ticket["kind"] = "begins"): Ticket => {
    let ticket: Ticket | null = null;
    let early = false;
    const take = (): void => {
      if (ticket === null) early = true;
      else if (order.take(ticket, now)) {
        served.push(lane);
        held.push(ticket);
      }
    };
    ticket = order.ask({ lane, kind, wake: take }, now);
    if (early) take();
    return ticket;
  };
  const finish = (ms: number): void => {
    now += ms;
    const ticket = held.shift();
    if (ticket !== undefined) order.leave(ticket, now);
  };
  return { order, served, held, asking, finish, at: (ms: number) => (now = ms), now: () => now };
}

describe("turns", () => {
  it("go to tenants in turn, however many one of them has waiting", () => {
    const { served, asking, finish } = given();
    for (let count = 0; count < 50; count += 1) asking("flood");
    asking("calm");
    asking("other");
    asking("calm");
    for (let count = 0; count < 6; count += 1) finish(5);
    expect(served).toEqual(["flood", "flood", "calm", "other", "flood", "calm", "flood"]);
  });

  it("go to what ends a call before what begins one, of the same tenant only", () => {
    const { order, now, served, asking, finish, held } = given();
    const kinds: string[] = [];
    asking("flood");
    for (let count = 0; count < 3; count += 1) asking("flood");
    for (let count = 0; count < 3; count += 1) asking("flood", "ends");
    asking("calm");
    while (held.length > 0) {
      kinds.push(held[0]?.kind ?? "");
      finish(5);
    }
    expect(order.retryAfterMs("calm", now())).toBeNull();
    expect(served.slice(0, 4)).toEqual(["flood", "flood", "calm", "flood"]);
    expect(kinds).toEqual([
      "begins",
      "ends",
      "begins",
      "ends",
      "ends",
      "begins",
      "begins",
      "begins",
    ]);
  });

  it("of one tenant are one at a time while another tenant is at work", () => {
    const { held, asking, finish, at } = given({ atOnce: 4, ofLaneWhileShared: 1 });
    const lanesHeld = () => held.map(({ lane }) => lane);
    for (let count = 0; count < 20; count += 1) asking("flood");
    expect(lanesHeld()).toEqual(["flood", "flood", "flood", "flood"]);
    asking("calm");
    finish(5);
    expect(lanesHeld()).toEqual(["flood", "flood", "flood", "calm"]);
    for (let count = 0; count < 3; count += 1) finish(5);
    // The calm tenant waits for no turn now: the flood holds one, and three are free.
    expect(lanesHeld()).toEqual(["calm", "flood"]);
    asking("calm");
    expect(lanesHeld()).toEqual(["calm", "flood"]);
    asking("other");
    expect(lanesHeld()).toEqual(["calm", "flood", "other"]);
    while (held.length > 1 || held[0]?.lane !== "flood") finish(1);
    at(2_000);
    finish(1);
    expect(lanesHeld()).toEqual(["flood", "flood", "flood", "flood"]);
  });

  it("are held by no more than may work at once", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom("ask", "end", "finish"), { maxLength: 60 }),
        (atOnce, steps) => {
          const { held, asking, finish } = given({ atOnce });
          for (const [at, step] of steps.entries()) {
            if (step === "finish") finish(1);
            else asking(`lane-${at % 3}`, step === "end" ? "ends" : "begins");
            expect(held.length).toBeLessThanOrEqual(atOnce);
          }
        },
      ),
    );
  });

  it("are not left free while somebody waits", () => {
    const { served, asking, finish, held } = given({ atOnce: 2 });
    for (let count = 0; count < 7; count += 1) asking(`lane-${count % 2}`);
    while (held.length > 0) finish(1);
    expect(served).toHaveLength(7);
  });

  it("refuse one more of a lane that is full, and no other lane", () => {
    const { order, now, asking } = given({ maxPerLane: 3 });
    for (let count = 0; count < 4; count += 1) asking("flood");
    expect(order.retryAfterMs("flood", now())).toBeGreaterThan(0);
    expect(order.retryAfterMs("calm", now())).toBeNull();
  });

  it("refuse everybody once as many wait as may wait in all", () => {
    const { order, now, asking } = given({ maxWaiting: 3 });
    for (let count = 0; count < 4; count += 1) asking(`tenant-${count}`);
    expect(order.retryAfterMs("calm", now())).not.toBeNull();
  });

  /** Each second `asked` calls come, and `finished` end. */
  const pass = (
    given_: ReturnType<typeof given>,
    seconds: number,
    each: { asked: number; finished: number },
  ) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let count = 0; count < each.asked; count += 1) given_.asking("one");
      for (let count = 0; count < each.finished; count += 1) given_.finish(1_000 / each.finished);
    }
  };

  it("refuse early where a queue grows and its calls wait too long, and no other lane", () => {
    const parts = given({ maxPerLane: 1_000 });
    pass(parts, 8, { asked: 20, finished: 10 });
    const { order, now } = parts;
    expect(order.retryAfterMs("one", now())).toBeGreaterThan(2_000);
    expect(order.retryAfterMs("calm", now())).toBeNull();
  });

  it("refuse nothing more once the queue's calls wait briefly again", () => {
    const parts = given({ maxPerLane: 1_000 });
    pass(parts, 8, { asked: 20, finished: 10 });
    const { order, finish, now, held } = parts;
    while (held.length > 0) finish(1);
    pass(parts, 1, { asked: 2, finished: 1 });
    expect(order.retryAfterMs("one", now())).toBeNull();
  });

  it("refuse nothing early in a slow start, nor where a queue is long and does not grow", () => {
    const parts = given({ fewOfLane: 32 });
    const { order, asking, finish, now } = parts;
    for (let count = 0; count < 64; count += 1) asking("one");
    for (let count = 0; count < 300; count += 1) {
      finish(count < 20 ? 250 : 100);
      expect(order.retryAfterMs("one", now())).toBeNull();
      expect(order.waitedTooLong({ lane: "one", waitedMs: 60_000 }, now())).toBeNull();
      asking("one");
    }
  });

  it("report at most the longest wait that ended in the last 10 s, and at least 100 ms", () => {
    const { order, asking, finish, now, at } = given({ maxPerLane: 3 });
    for (let count = 0; count < 4; count += 1) asking("one");
    expect(order.retryAfterMs("one", now())).toBe(100);
    finish(700);
    asking("one");
    expect(order.retryAfterMs("one", now())).toBe(700);
    at(now() + 10_000);
    expect(order.retryAfterMs("one", now())).toBe(100);
  });

  it("let a few of each lane wait, however slow turns are", () => {
    const parts = given({ maxPerLane: 1_000, fewOfLane: 71 });
    pass(parts, 8, { asked: 20, finished: 10 });
    const { order, asking, now } = parts;
    while (order.waiting() < 71) asking("one");
    expect(order.retryAfterMs("one", now())).not.toBeNull();
  });

  it("never refuse anybody while a turn is free", () => {
    const { order, now, asking, finish } = given();
    asking("slow");
    finish(60_000);
    expect(order.retryAfterMs("calm", now())).toBeNull();
  });

  it("pass on from a waiter that does not take its turn, because its invocation ended while it waited", () => {
    const order = createSlotScheduler(limits);
    const woken: string[] = [];
    const ask = (lane: string) =>
      order.ask({ lane, kind: "begins", wake: () => void woken.push(lane) }, 0);
    const dead = ask("dead");
    const alive = ask("alive");
    order.advance(limits.takenWithinMs);
    expect(woken).toEqual(["dead"]);
    order.advance(limits.takenWithinMs + 1);
    expect(woken).toEqual(["dead", "alive"]);
    expect(order.take(dead, 501)).toBe(false);
    expect(order.take(alive, 501)).toBe(true);
  });

  it("pass on from one that never gives its turn back", () => {
    const { order, served, asking, at } = given();
    asking("dead");
    asking("alive");
    at(limits.leaseMs + 1);
    order.advance(limits.leaseMs + 1);
    expect(served).toEqual(["dead", "alive"]);
  });

  it("forget one that does not want to wait any more", () => {
    const { order, served, asking, finish } = given();
    asking("a");
    order.leave(asking("b"), 0);
    asking("c");
    finish(1);
    expect(served).toEqual(["a", "c"]);
  });
});
