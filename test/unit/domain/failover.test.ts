import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultReaches } from "../../../src/domain/attempts.ts";
import {
  firstStepsOf,
  maxAttempts,
  nextCandidate,
  reachable,
  reaches,
  stepAfter,
  type Place,
  type Tried,
} from "../../../src/domain/choice/failover.ts";

const place = (name: string): Place => {
  const [endpoint = "", credentialId = "", model = ""] = name.split("/");
  return { endpoint, credentialId: `${endpoint}/${credentialId}`, model };
};
/** `endpoint/credential/model`, best first. */
const places = (...names: string[]): Place[] => names.map(place);
const tried = (at: number, reach: Tried["reach"]): Tried => ({ at, reach });

const fault = { retryable: true, retryAfterMs: null, billed: "no" } as const;
const two = places("a/1/x", "a/1/y", "b/1/z");
const after = (fields: Partial<Parameters<typeof stepAfter>[0]> = {}) =>
  stepAfter({
    places: two,
    tried: [tried(0, "endpoint")],
    fault,
    most: maxAttempts,
    chance: 0.5,
    remainingMs: 10_000,
    ...fields,
  });
const stop = { next: "stop" };

describe("the next candidate", () => {
  it("is the best one outside of the fault's reach", () => {
    const all = places("a/1/x", "a/2/x", "a/1/y", "b/1/z");
    expect(nextCandidate(all, [])).toBe(0);
    expect(nextCandidate(all, [tried(0, "model")])).toBe(1);
    expect(nextCandidate(places("a/1/x", "a/1/y", "a/2/x"), [tried(0, "credential")])).toBe(2);
    expect(nextCandidate(all, [tried(0, "endpoint")])).toBe(3);
  });

  it("is at another endpoint after two attempts at one, whatever the reach of the faults", () => {
    const all = places("a/1/x", "a/1/y", "a/1/w", "b/1/z");
    expect(nextCandidate(all, [tried(0, "model"), tried(1, "model")])).toBe(3);
  });

  it("is inside of the fault's reach where no candidate is outside", () => {
    const all = places("a/1/x", "a/1/y", "a/1/z", "a/1/w");
    const faults: Tried[] = [];
    for (const at of all.keys()) {
      expect(nextCandidate(all, faults)).toBe(at);
      faults.push(tried(at, "endpoint"));
    }
    expect(nextCandidate(all, faults)).toBeNull();
  });

  it("is a candidate that another call probes only where no other candidate is free", () => {
    expect(nextCandidate(two, [], { avoided: new Set([0, 1]) })).toBe(2);
    expect(nextCandidate(two, [tried(2, "endpoint")], { avoided: new Set([0, 1]) })).toBe(0);
  });
});

describe("the candidates that a call can reach", () => {
  it("are the best, the best outside its credential, the best outside its endpoint, and so on", () => {
    const all = places("a/1/x", "a/1/y", "a/1/z", "a/2/x", "a/2/y", "b/1/m", "b/1/n", "c/1/o");
    expect(reachable(all, 1)).toEqual([0]);
    expect(reachable(all, 2)).toEqual([0, 1, 3, 5]);
    expect(reachable(all, 4)).toContain(7);
  });

  it("say which reach of the first fault leads to them", () => {
    expect(firstStepsOf(two)).toEqual([[], ["model"], ["credential", "endpoint"]]);
  });
});

describe("after a fault", () => {
  it("another endpoint is tried at once", () => {
    expect(after()).toEqual({ next: "try", at: 2, waitMs: 0 });
  });

  it("another model of the same credential gets a moment, doubled each time, jittered", () => {
    const same = { places: places("a/1/x", "a/1/y", "a/1/z"), tried: [tried(0, "model")] };
    expect(after(same)).toEqual({ next: "try", at: 1, waitMs: 100 });
    expect(after({ ...same, tried: [tried(0, "model"), tried(1, "model")] })).toEqual({
      next: "try",
      at: 2,
      waitMs: 200,
    });
    expect(after({ ...same, chance: 0 })).toMatchObject({ waitMs: 50 });
    expect(after({ ...same, chance: 1 })).toMatchObject({ waitMs: 150 });
    expect(after({ ...same, remainingMs: 300 })).toEqual(stop);
  });

  it("the next candidate does not wait for the last one's Retry-After", () => {
    expect(after({ fault: { ...fault, retryAfterMs: 5_000 } })).toMatchObject({ waitMs: 0 });
  });

  it("nothing is tried after a fault that every candidate would have", () => {
    expect(after({ fault: { ...fault, retryable: false } })).toEqual(stop);
  });

  it("no more candidates are tried than the policy allows", () => {
    expect(after({ most: 1 })).toEqual(stop);
    expect(after({ most: 2 })).toMatchObject({ next: "try" });
  });

  it("nothing is tried that could not answer in time", () => {
    expect(after({ remainingMs: 251 })).toMatchObject({ next: "try" });
    expect(after({ remainingMs: 250 })).toEqual(stop);
    expect(after({ remainingMs: -1 })).toEqual(stop);
  });

  it("the last candidate is tried again if it says when, the time is left, and the fault cost nothing", () => {
    const last = (retryAfterMs: number | null, fields: Partial<Parameters<typeof after>[0]> = {}) =>
      after({
        places: places("a/1/x"),
        tried: [tried(0, "model")],
        fault: { ...fault, retryAfterMs },
        ...fields,
      });
    expect(last(2_000)).toEqual({ next: "try", at: 0, waitMs: 2_000 });
    expect(last(0)).toEqual({ next: "try", at: 0, waitMs: 0 });
    expect(last(null)).toEqual(stop);
    expect(last(9_749)).toMatchObject({ next: "try" });
    expect(last(9_750)).toEqual(stop);
    expect(last(2_000, { most: 1 })).toEqual(stop);
    expect(last(0, { fault: { ...fault, retryAfterMs: 0, billed: "maybe" } })).toEqual(stop);
  });
});

describe("whatever fails", () => {
  const anyPlace = fc
    .tuple(
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 4 }),
    )
    .map(([endpoint, credential, model]) => place(`${endpoint}/${credential}/${model}`));
  const anyPlaces = fc.uniqueArray(anyPlace, {
    minLength: 1,
    maxLength: 24,
    selector: ({ credentialId, model }) => `${credentialId} ${model}`,
  });
  const anyReaches = fc.array(fc.constantFrom(...faultReaches), { minLength: 6, maxLength: 6 });

  /** Walks a call whose attempts all fail: the positions of the candidates that it tries. */
  const walk = (
    all: readonly Place[],
    faults: readonly Tried["reach"][],
    most: number,
  ): Tried[] => {
    const steps: Tried[] = [];
    let at = nextCandidate(all, []);
    while (at !== null) {
      steps.push(tried(at, faults[steps.length] ?? "model"));
      const next = after({ places: all, tried: steps, most, remainingMs: 1e6 });
      at = next.next === "try" ? next.at : null;
    }
    return steps;
  };

  it("a call ends, after no more attempts than allowed, each at another candidate", () => {
    fc.assert(
      fc.property(anyPlaces, anyReaches, fc.integer({ min: 1, max: 4 }), (all, faults, most) => {
        const steps = walk(all, faults, most);
        expect(steps.length).toBe(Math.min(most, all.length));
        expect(new Set(steps.map(({ at }) => at)).size).toBe(steps.length);
      }),
    );
  });

  it("a call stays outside of each fault's reach while another endpoint has had fewer than two attempts", () => {
    fc.assert(
      fc.property(anyPlaces, anyReaches, (all, faults) => {
        const steps = walk(all, faults, maxAttempts);
        for (const [count, { at }] of steps.entries()) {
          const before = steps.slice(0, count);
          const isBroken = (to: Place): boolean =>
            before.some((its) => reaches(its.reach, all[its.at] ?? to, to));
          const attemptsAt = (its: Place): number =>
            before.filter((one) => all[one.at]?.endpoint === its.endpoint).length;
          const isFree = (its: Place, position: number): boolean =>
            !before.some((one) => one.at === position) && !isBroken(its) && attemptsAt(its) < 2;
          const chosen = all[at];
          if (chosen === undefined || !all.some(isFree)) continue;
          expect(isBroken(chosen)).toBe(false);
          expect(attemptsAt(chosen)).toBeLessThan(2);
        }
      }),
    );
  });

  it("a call uses reserved candidates only, in the same order as if no others were known", () => {
    fc.assert(
      fc.property(anyPlaces, anyReaches, fc.integer({ min: 1, max: 4 }), (all, faults, most) => {
        const reserved = reachable(all, most);
        const known = reserved.flatMap((at) => all[at] ?? []);
        const onAll = walk(all, faults, most).map(({ at }) => all[at]);
        const onReserved = walk(known, faults, most).map(({ at }) => known[at]);
        expect(onReserved).toEqual(onAll);
      }),
    );
  });

  it("a call can reach only the best few of each credential of the best few endpoints", () => {
    fc.assert(
      fc.property(anyPlaces, fc.integer({ min: 1, max: 4 }), (all, most) => {
        const endpoints = new Set(
          [...new Set(all.map(({ endpoint }) => endpoint))].slice(0, maxAttempts),
        );
        const few = all.filter(
          (its, at) =>
            endpoints.has(its.endpoint) &&
            all.slice(0, at).filter(({ credentialId }) => credentialId === its.credentialId)
              .length < maxAttempts,
        );
        const met = (among: readonly Place[]) => reachable(among, most).map((at) => among[at]);
        expect(met(few)).toEqual(met(all));
      }),
    );
  });
});
