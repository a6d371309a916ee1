/** Calls that wait for running calls to end. */
import { describe, expect, it } from "vitest";
import { ok } from "../../../../../src/domain/result.ts";
import {
  createLimitWaits,
  waitWithin,
  type Try,
} from "../../../../../src/pipeline/sampling/admission/limit-waits.ts";

/** A clock whose timers act when a test moves it. */
function given() {
  let time = 0;
  const timers = new Set<{ at: number; act: () => void }>();
  const running = new Map<string, string>();
  const polls: string[][] = [];
  const waits = createLimitWaits({
    ledger: {
      runningOf: async (tenantIds) => {
        polls.push([...tenantIds]);
        return ok(new Map(running));
      },
    },
    now: () => time,
    elapsed: () => time,
    after: (ms, act) => {
      const timer = { at: time + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  const settled = async () => {
    for (let slot = 0; slot < 50; slot += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    await settled();
    for (const end = time + ms; ;) {
      const [next] = [...timers].toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) {
        time = end;
        break;
      }
      time = next.at;
      timers.delete(next);
      next.act();
      await settled();
    }
    await settled();
  };
  return { waits, running, polls, pass, settled, timers };
}

/** A limit with room for so many calls, and who asked for it in which way. */
function limit(of: ReturnType<typeof given>) {
  const state = { room: 0 };
  const log: string[] = [];
  const call = (name: string, longestMs = 10_000, tenantId = "ten_1") => {
    const outside = <W>(wait: () => Promise<W>) => {
      log.push(`${name} waits`);
      return wait();
    };
    return of.waits.through(
      { tenantId, longestMs, outside },
      async ({ ifReserved, waitedMs }: Try) => {
        log.push(`${name} tries at ${waitedMs}`);
        if (state.room > 0) {
          state.room -= 1;
          return `${name} admitted`;
        }
        return ifReserved === "waits" ? "waits" : `${name} refused`;
      },
    );
  };
  return { state, log, call };
}

describe("a call that only running calls are in the way of", () => {
  it("waits outside of its turn, and tries again when a call of its tenant ends", async () => {
    const world = given();
    const { state, log, call } = limit(world);
    const one = call("one");
    await world.pass(300);
    state.room = 1;
    world.waits.ended("ten_2");
    await world.settled();
    world.waits.ended("ten_1");
    expect(await one).toBe("one admitted");
    expect(log).toEqual([
      "one tries at 0",
      "one waits",
      "one tries at 0",
      "one waits",
      "one tries at 300",
    ]);
    await world.pass(60_000);
    expect(world.timers.size).toBe(0);
  });

  it("misses no call that ended between its try and its wait", async () => {
    const world = given();
    const { state, call } = limit(world);
    const one = call("one");
    state.room = 1;
    expect(await one).toBe("one admitted");
  });

  it("is refused when its time is over, unless there is room by then", async () => {
    const world = given();
    const { call } = limit(world);
    const [one, short] = [call("one"), call("short", 2_000)];
    await world.pass(2_000);
    expect(await short).toBe("short refused");
    await world.pass(8_000);
    expect(await one).toBe("one refused");
  });

  it("takes turns: those who wait longer try first, and one at a time", async () => {
    const world = given();
    const { state, log, call } = limit(world);
    const calls = ["a", "b", "c"].map((name) => call(name));
    await world.pass(100);
    log.length = 0;
    state.room = 2;
    world.waits.ended("ten_1");
    world.waits.ended("ten_1");
    expect(await Promise.all(calls.slice(0, 2))).toEqual(["a admitted", "b admitted"]);
    await world.settled();
    expect(log.filter((line) => line.includes("tries"))).toEqual([
      "a tries at 100",
      "b tries at 100",
      "c tries at 100",
      "c tries at 100",
    ]);
    await world.pass(10_000);
    expect(await calls[2]).toBe("c refused");
  });

  it("hears within a second of a call that another process ended, by one question for all tenants", async () => {
    const world = given();
    const { state, call } = limit(world);
    world.running.set("ten_1", "1 1").set("ten_2", "1 1");
    const calls = [call("a"), call("b"), call("other", 10_000, "ten_2")];
    await world.pass(3_000);
    expect(world.polls).toEqual(Array.from({ length: 3 }, () => ["ten_1", "ten_2"]));
    state.room = 1;
    world.running.set("ten_2", "0 0");
    await world.pass(1_000);
    expect(await calls[2]).toBe("other admitted");
    await world.pass(20_000);
    expect(await Promise.all(calls.slice(0, 2))).toEqual(["a refused", "b refused"]);
    const before = world.polls.length;
    await world.pass(20_000);
    expect(world.polls.length).toBe(before);
  });

  it("is refused at once where a hundred wait, and waits for another tenant's in no way", async () => {
    const world = given();
    const { call } = limit(world);
    const many = Array.from({ length: 100 }, (_, at) => call(`${at}`));
    await world.settled();
    expect(await call("more")).toBe("more refused");
    const other = call("other", 10_000, "ten_2");
    await world.pass(10_000);
    expect(await other).toBe("other refused");
    expect((await Promise.all(many)).every((told) => told.endsWith("refused"))).toBe(true);
  });

  it("leaves its turn to the next one where its try fails", async () => {
    const world = given();
    const { state, call } = limit(world);
    let tries = 0;
    const broken = world.waits.through(
      { tenantId: "ten_1", longestMs: 10_000, outside: (wait) => wait() },
      async () => {
        tries += 1;
        if (tries > 2) throw new Error("a bug");
        return "waits";
      },
    );
    const next = call("next");
    await world.pass(100);
    state.room = 1;
    world.waits.ended("ten_1");
    await expect(broken).rejects.toThrow("a bug");
    expect(await next).toBe("next admitted");
  });
});

it("leaves a provider half of a short deadline", () => {
  expect([waitWithin(45_000), waitWithin(6_000)]).toEqual([10_000, 3_000]);
});
