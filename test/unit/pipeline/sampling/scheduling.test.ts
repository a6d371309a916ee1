/** Calls of several tenants share a process fairly. */
import { describe, expect, it } from "vitest";
import type { Lane } from "../../../../src/pipeline/callers/lanes.ts";
import {
  createCallScheduler,
  createSharedQueues,
  createAdmissionQueue,
  createQueuesOfTenants,
} from "../../../../src/pipeline/sampling/scheduling.ts";

/** A clock that a test moves, with what is due then. */
function createClock() {
  let now = 0;
  let timers: { at: number; act: () => void }[] = [];
  const settled = async (): Promise<void> => {
    for (let slot = 0; slot < 20; slot += 1) await Promise.resolve();
  };
  return {
    elapsed: () => now,
    after(ms: number, act: () => void) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    wait(ms: number): Promise<void> {
      return new Promise((resolve) => void timers.push({ at: now + ms, act: resolve }));
    },
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      await settled();
      for (;;) {
        const earliest = Math.min(...timers.map(({ at }) => at));
        const next = timers.find(({ at }) => at === earliest && at <= until);
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        now = next.at;
        next.act();
        await settled();
      }
      now = until;
    },
    settled,
  };
}

function given(writesAtOnce = 1) {
  const clock = createClock();
  const shared = createSharedQueues(writesAtOnce);
  const queue = createAdmissionQueue({
    order: shared.writes,
    ...clock,
    immediately: (act) => void clock.after(0, act),
  });
  /** The outcome of entering, once there is one. */
  const entering = (lane: string, kind: "begins" | "ends" = "begins") => {
    const seen: { left: (() => void) | null; refusal: unknown } = { left: null, refusal: null };
    void queue.enter({ lane, kind }).then((entered) => {
      if (entered.ok) seen.left = entered.value;
      else seen.refusal = entered.error;
      return undefined;
    });
    return seen;
  };
  return { clock, shared, queue, entering };
}

describe("turns of tenants that have databases of their own", () => {
  const held = (queue: ReturnType<ReturnType<typeof createQueuesOfTenants>>, lane: string) =>
    Array.from({ length: 100 }, () =>
      queue.admissions.ask({ lane, kind: "begins", wake: () => {} }, 0),
    ).filter(({ state }) => state === "given").length;

  it("are many for a tenant that calls alone", () => {
    expect(held(createQueuesOfTenants()(), "a")).toBe(65);
  });

  it("are few for a tenant beside another one, whose turns are those of another database", () => {
    const turnsOf = createQueuesOfTenants();
    const [one, other] = [turnsOf(), turnsOf()];
    other.admissions.ask({ lane: "b", kind: "begins", wake: () => {} }, 0);
    expect(held(one, "a")).toBe(9);
  });
});

describe("turns of a crowd beside a calm tenant", () => {
  /** Each tenant has a database of its own. What a tenant's calls have by now: when each came in, and its end. */
  function calling() {
    const clock = createClock();
    const turnsOf = createQueuesOfTenants();
    const callsOf = (lane: string) => {
      const queue = createAdmissionQueue({
        order: turnsOf().admissions,
        ...clock,
        immediately: (act) => void clock.after(0, act),
      });
      const cameAt: number[] = [];
      const ends: (() => void)[] = [];
      return {
        cameAt,
        async call(): Promise<void> {
          const entered = await queue.enter({ lane, kind: "begins" });
          if (!entered.ok) throw new Error(entered.error.reason);
          cameAt.push(clock.elapsed());
          ends.push(entered.value);
        },
        endAll: ({ but } = { but: 0 }) => {
          for (const end of ends.splice(but)) end();
        },
      };
    };
    return { clock, calm: callsOf("calm"), crowd: callsOf("crowd") };
  }

  it("come in slices: what came while the crowd rested begins together, and a calm call at once", async () => {
    const { clock, calm, crowd } = calling();
    void calm.call();
    await clock.pass(1);
    calm.endAll();
    for (let count = 0; count < 5; count += 1) void crowd.call();
    await clock.pass(9);
    expect(crowd.cameAt).toHaveLength(5);
    crowd.endAll();
    for (let count = 0; count < 5; count += 1) {
      void crowd.call();
      await clock.pass(2);
    }
    expect(crowd.cameAt).toHaveLength(5);
    void calm.call();
    await clock.pass(0);
    expect(calm.cameAt.at(-1)).toBe(20);
    await clock.pass(15);
    expect(crowd.cameAt.slice(5)).toEqual([35, 35, 35, 35, 35]);
  });

  it("that waited for another turn come as soon as the rest is over", async () => {
    const { clock, calm, crowd } = calling();
    void calm.call();
    await clock.pass(0);
    calm.endAll();
    for (let count = 0; count < 12; count += 1) void crowd.call();
    await clock.pass(30);
    expect(crowd.cameAt).toHaveLength(9);
    crowd.endAll();
    await clock.pass(40);
    expect(crowd.cameAt.slice(9)).toEqual([60, 60, 60]);
  });

  it("come again as soon as the rest is over, though one call of the slice works on", async () => {
    const { clock, calm, crowd } = calling();
    void calm.call();
    await clock.pass(0);
    calm.endAll();
    for (let count = 0; count < 12; count += 1) void crowd.call();
    await clock.pass(40);
    crowd.endAll({ but: 1 });
    await clock.pass(100);
    expect(crowd.cameAt.slice(9)).toEqual([100, 100, 100]);
  });
});

describe("turns of a process", () => {
  it("are handed from one invocation to the next", async () => {
    const { clock, entering } = given();
    const first = entering("a");
    const second = entering("b");
    await clock.pass(0);
    expect(first.left).not.toBeNull();
    expect(second.left).toBeNull();
    first.left?.();
    await clock.pass(0);
    expect(second.left).not.toBeNull();
  });

  it("refuse a flood with the time to wait, and let another tenant wait", async () => {
    const { clock, entering } = given();
    const all = Array.from({ length: 1_000 }, () => entering("flood"));
    const calm = entering("calm");
    await clock.pass(0);
    const refused = all.flatMap(({ refusal }) => refusal ?? []);
    expect(refused.length).toBeGreaterThan(700);
    for (const refusal of refused)
      expect(refusal).toEqual({ reason: "unavailable", retryAfterMs: expect.any(Number) });
    expect(calm.refusal).toBeNull();
    all[0]?.left?.();
    await clock.pass(0);
    all[1]?.left?.();
    await clock.pass(0);
    expect(calm.left).not.toBeNull();
  });

  it("never refuse what ends a call, and let it in after 2 s when no turn comes", async () => {
    const { clock, entering } = given();
    const hanging = entering("a");
    const flood = Array.from({ length: 500 }, () => entering("a"));
    const ends = Array.from({ length: 500 }, () => entering("a", "ends"));
    await clock.pass(0);
    expect(hanging.left).not.toBeNull();
    expect(flood.some(({ refusal }) => refusal !== null)).toBe(true);
    await clock.pass(2_500);
    expect(ends.every(({ left, refusal }) => left !== null && refusal === null)).toBe(true);
  });

  it("refuse what has waited 4 s where nothing is served any more", async () => {
    const { clock, entering } = given();
    entering("a");
    const waiting = entering("b");
    await clock.pass(4_600);
    expect(waiting.refusal).toEqual({ reason: "unavailable", retryAfterMs: 100 });
  });

  it("cost no timer and no wait while there is room", async () => {
    const { queue } = given();
    const entered = await queue.enter({ lane: "a", kind: "begins" });
    expect(entered.ok).toBe(true);
  });
});

describe("the door", () => {
  const doorOf = (
    { queue, clock }: ReturnType<typeof given>,
    lane: Lane = { kind: "lane", name: "a" },
  ) =>
    createCallScheduler({
      queue,
      heldBack: { count: 0 },
      wait: clock.wait,
      laneOf: async () => lane,
      pause: async () => {},
    });

  it("tells refused callers later the more of them wait, and two thousand of them at most", async () => {
    const parts = given();
    const { clock, entering } = parts;
    for (let count = 0; count < 300; count += 1) entering("flood");
    await clock.settled();
    const callScheduler = doorOf(parts);
    let told = 0;
    for (let count = 0; count < 2_010; count += 1)
      void callScheduler.enter("flood").then((entered) => {
        if (!entered.ok && entered.error.reason === "unavailable") told += 1;
        return undefined;
      });
    await clock.settled();
    expect(told).toBe(10);
    await clock.pass(1_000);
    expect(told).toBe(10 + 100);
    await clock.pass(9_000);
    expect(told).toBe(2_010);
  });

  it("tells a caller with nobody's key later too, and gives it no turn", async () => {
    const parts = given();
    let refusal: string | null = null;
    void doorOf(parts, { kind: "unknown" })
      .enterFor({ token: "t", sessionId: null })
      .then((entered) => (refusal = entered.ok ? "let in" : entered.error.reason));
    await parts.clock.pass(999);
    expect(refusal).toBeNull();
    await parts.clock.pass(1);
    expect(refusal).toBe("unauthorized");
  });

  it("lets a stranger in without a turn, however many wait", async () => {
    const parts = given();
    for (let count = 0; count < 300; count += 1) parts.entering("flood");
    const callScheduler = doorOf(parts, { kind: "unverified" });
    expect(await callScheduler.enterFor({ token: "t", sessionId: null })).toEqual({
      ok: true,
      value: null,
    });
  });

  it("lets others have the turn of a call that waits, and gives the call its turn again", async () => {
    const parts = given();
    const { clock, entering } = parts;
    const entered = await doorOf(parts).enter("a");
    if (!entered.ok) throw new Error(entered.error.reason);
    const slot = entered.value;
    const provider = Promise.withResolvers<string>();
    let answered = "";
    void slot.outside(() => provider.promise).then((text) => (answered = text));
    const other = entering("b");
    await clock.pass(1);
    expect(other.left).not.toBeNull();
    provider.resolve("done");
    await clock.pass(1);
    expect(answered).toBe("");
    other.left?.();
    await clock.pass(1);
    expect(answered).toBe("done");
    const third = entering("c");
    await clock.pass(1);
    expect(third.left).toBeNull();
    slot.end();
    await clock.pass(1);
    expect(third.left).not.toBeNull();
  });

  it("gives no turn to a call that ended while it waited", async () => {
    const parts = given();
    const { clock, entering } = parts;
    const entered = await doorOf(parts).enter("a");
    if (!entered.ok) throw new Error(entered.error.reason);
    const provider = Promise.withResolvers<void>();
    const waiting = entered.value.outside(() => provider.promise);
    entered.value.end();
    provider.resolve();
    await waiting;
    const next = entering("b");
    await clock.settled();
    expect(next.left).not.toBeNull();
  });

  it("goes on in turn also when what the call waited for fails", async () => {
    const parts = given();
    const entered = await doorOf(parts).enter("a");
    if (!entered.ok) throw new Error(entered.error.reason);
    const failing = entered.value.outside(() => Promise.reject(new Error("reset")));
    await expect(failing).rejects.toThrow("reset");
    const next = parts.entering("b");
    await parts.clock.settled();
    expect(next.left).toBeNull();
  });

  it("lets a call outside give way to every other tenant once", async () => {
    const parts = given();
    const { clock, entering } = parts;
    const entered = await doorOf(parts).enter("a");
    if (!entered.ok) throw new Error(entered.error.reason);
    let pieces = 0;
    void entered.value.outside(async (yieldSlot) => {
      for (; pieces < 3; pieces += 1) await yieldSlot();
    });
    const [first, second] = [entering("b"), entering("b")];
    await clock.pass(0);
    // Nobody waited for the first turn.
    expect([first.left === null, second.left === null, pieces]).toEqual([false, true, 1]);
    first.left?.();
    await clock.pass(0);
    second.left?.();
    await clock.pass(0);
    expect(second.left).not.toBeNull();
    expect(pieces).toBe(3);
  });
});
