/** The next candidate is the best one outside the fault's reach. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { circuitReaches, type FaultCode } from "../../../src/domain/attempts.ts";
import {
  excludedBy,
  firstStepsOf,
  maxAttempts,
  nextCandidate,
  reachable,
  reaches,
  stepAfter,
  type FailoverTarget,
  type Tried,
} from "../../../src/domain/choice/failover.ts";

const place = (name: string): FailoverTarget => {
  const [endpoint = "", credentialId = "", model = ""] = name.split("/");
  return {
    endpoint,
    credentialId: `${endpoint}/${credentialId}`,
    model,
    wire: `${endpoint}'s wire`,
    contextTokens: 1_000,
  };
};
/** `endpoint/credential/model`, best first. */
const targets = (...names: string[]): FailoverTarget[] => names.map(place);
const tried = (at: number, reach: Tried["reach"]): Tried => ({ at, reach });

const fault = { retryable: true, retryAfterMs: null, billed: "no" } as const;
const two = targets("a/1/x", "a/1/y", "b/1/z");
const after = (fields: Partial<Parameters<typeof stepAfter>[0]> = {}) =>
  stepAfter({
    targets: two,
    tried: [tried(0, "endpoint")],
    fault,
    max: maxAttempts,
    chance: 0.5,
    remainingMs: 10_000,
    afterContentFilter: "stop",
    ...fields,
  });
const stop = { next: "stop" };

describe("the next candidate", () => {
  it("is the best one outside of the fault's reach", () => {
    const all = targets("a/1/x", "a/2/x", "a/1/y", "b/1/z");
    expect(nextCandidate(all, [])).toBe(0);
    expect(nextCandidate(all, [tried(0, "model")])).toBe(1);
    expect(nextCandidate(targets("a/1/x", "a/1/y", "a/2/x"), [tried(0, "credential")])).toBe(2);
    expect(nextCandidate(all, [tried(0, "endpoint")])).toBe(3);
  });

  it("is at another endpoint after two attempts at one, whatever the reach of the faults", () => {
    const all = targets("a/1/x", "a/1/y", "a/1/w", "b/1/z");
    expect(nextCandidate(all, [tried(0, "model"), tried(1, "model")])).toBe(3);
  });

  it("is inside of the fault's reach where no candidate is outside", () => {
    const all = targets("a/1/x", "a/1/y", "a/1/z", "a/1/w");
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
    const all = targets("a/1/x", "a/1/y", "a/1/z", "a/2/x", "a/2/y", "b/1/m", "b/1/n", "c/1/o");
    expect(reachable(all, 1)).toEqual([0]);
    expect(reachable(all, 2)).toEqual([0, 1, 3, 5]);
    expect(reachable(all, 4)).toContain(7);
  });

  it("say which reach of the first fault leads to them", () => {
    expect(firstStepsOf(two)).toEqual([[], ["model"], ["credential", "endpoint", "request"]]);
  });
});

describe("after a fault", () => {
  it("another endpoint is tried at once", () => {
    expect(after()).toEqual({ next: "try", at: 2, waitMs: 0 });
  });

  it("another model of the same credential gets a moment, doubled each time, jittered", () => {
    const same = { targets: targets("a/1/x", "a/1/y", "a/1/z"), tried: [tried(0, "model")] };
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
    expect(after({ max: 1 })).toEqual(stop);
    expect(after({ max: 2 })).toMatchObject({ next: "try" });
  });

  it("nothing is tried that could not answer in time", () => {
    expect(after({ remainingMs: 251 })).toMatchObject({ next: "try" });
    expect(after({ remainingMs: 250 })).toEqual(stop);
    expect(after({ remainingMs: -1 })).toEqual(stop);
  });

  it("the last candidate is tried again if it says when, the time is left, and the fault cost nothing", () => {
    const last = (retryAfterMs: number | null, fields: Partial<Parameters<typeof after>[0]> = {}) =>
      after({
        targets: targets("a/1/x"),
        tried: [tried(0, "model")],
        fault: { ...fault, retryAfterMs },
        ...fields,
      });
    expect(last(2_000)).toEqual({ next: "try", at: 0, waitMs: 2_000 });
    expect(last(0)).toEqual({ next: "try", at: 0, waitMs: 0 });
    expect(last(null)).toEqual(stop);
    expect(last(9_749)).toMatchObject({ next: "try" });
    expect(last(9_750)).toEqual(stop);
    expect(last(2_000, { max: 1 })).toEqual(stop);
    expect(last(0, { fault: { ...fault, retryAfterMs: 0, billed: "maybe" } })).toEqual(stop);
  });
});

describe("after a request that a provider refuses", () => {
  const wired = (
    name: string,
    wire: string,
    contextTokens: number | null = 1_000,
  ): FailoverTarget => ({
    ...place(name),
    wire,
    contextTokens,
  });
  const refusedAt = (at: number, excludes?: Tried["excludes"]): Tried => ({
    ...tried(at, "request"),
    ...(excludes !== undefined && { excludes }),
  });

  it("the best candidate of another wire is asked, and none of the same one", () => {
    const all = [wired("a/1/x", "chat"), wired("c/1/y", "chat"), wired("a/1/z", "responses")];
    expect(after({ targets: all, tried: [refusedAt(0)] })).toMatchObject({ next: "try", at: 2 });
    expect(after({ targets: all.slice(0, 2), tried: [refusedAt(0)] })).toEqual(stop);
    expect(reachable(all, 2)).toEqual([0, 1, 2]);
  });

  it("a second wire's refusal ends the call, whatever was between", () => {
    const all = targets("a/1/x", "b/1/y", "c/1/z", "d/1/w");
    expect(after({ targets: all, tried: [refusedAt(0), refusedAt(1)] })).toEqual(stop);
    const between = [refusedAt(0), tried(1, "endpoint"), refusedAt(2)];
    expect(after({ targets: all, tried: between })).toEqual(stop);
    expect(after({ targets: all, tried: between.slice(0, 2) })).toMatchObject({ at: 2 });
  });

  it("as too long, a model with more context is asked, at the same wire too, as often as one has", () => {
    const all = [
      wired("a/1/x", "a", 100),
      wired("a/1/same", "a", 100),
      wired("b/1/unknown", "b", null),
      wired("a/1/y", "a", 200),
      wired("b/1/z", "b", 300),
    ];
    const first = refusedAt(0, "small_context");
    const second = refusedAt(3, "small_context");
    expect(after({ targets: all, tried: [first] })).toMatchObject({ at: 3 });
    expect(after({ targets: all, tried: [first, second] })).toMatchObject({ at: 4 });
    expect(after({ targets: all, tried: [first, second, refusedAt(4, "small_context")] })).toEqual(
      stop,
    );
    expect(reachable(all, 2)).toContain(3);
    expect(excludedBy({ contextTokens: 1 }, { code: "context_length" })).toEqual({
      excludes: "small_context",
    });
    expect(excludedBy({ contextTokens: null }, { code: "context_length" })).toEqual({});
  });

  it("by its content filter, other providers are asked if the policy says so", () => {
    const all = [wired("a/1/x", "chat"), wired("a/1/y", "responses"), wired("b/1/z", "b")];
    const filtered = {
      targets: all,
      tried: [refusedAt(0, "endpoint")],
      fault: { ...fault, code: "content_filter" as const },
    };
    expect(after(filtered)).toEqual(stop);
    expect(after({ ...filtered, afterContentFilter: "other_providers" })).toMatchObject({ at: 2 });
  });

  it("for its own model's tool use, the model is asked once more, then another endpoint", () => {
    const twice = { ...place("a/1/x"), isReservedTwice: true as const };
    const all = [twice, place("a/1/y"), place("b/1/z")];
    const slip = { ...fault, billed: "maybe" as const, code: "tool_use_failed" as const };
    const once = [tried(0, "model")];
    expect(after({ targets: all, tried: once, fault: slip })).toEqual({
      next: "try",
      at: 0,
      waitMs: 0,
    });
    expect(after({ targets: all, tried: [...once, ...once], fault: slip })).toMatchObject({
      at: 2,
    });
    const unaffordable = new Set([0]);
    expect(after({ targets: all, tried: once, fault: slip, unaffordable })).toMatchObject({
      at: 1,
    });
    const unheld = [place("a/1/x"), ...all.slice(1)];
    expect(after({ targets: unheld, tried: once, fault: slip })).toMatchObject({ at: 1 });
  });
});

describe("whatever fails", () => {
  const anyPlace = fc
    .tuple(
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 4 }),
    )
    .map(([endpoint, credential, model]) => ({
      ...place(`${endpoint}/${credential}/${model}`),
      // An endpoint may have two wires, and endpoints may share one.
      wire: `${endpoint % 3} ${model % 2}`,
      contextTokens: model === 0 ? null : 1_000 * ((endpoint + model) % 4),
      ...(endpoint === 1 && { isReservedTwice: true as const }),
    }));
  const anyPlaces = fc.uniqueArray(anyPlace, {
    minLength: 1,
    maxLength: 24,
    selector: ({ credentialId, model }) => `${credentialId} ${model}`,
  });
  const anyReaches = fc.array(fc.constantFrom(...circuitReaches), { minLength: 6, maxLength: 6 });
  const refused = (code?: FaultCode) => ({ reach: "request" as const, code });
  type AnyFault = { reach: Tried["reach"]; code?: FaultCode | undefined };
  const anyFaults = fc.array(
    fc.constantFrom<AnyFault>(
      ...circuitReaches.map((reach) => ({ reach })),
      { reach: "model", code: "tool_use_failed" },
      refused(),
      refused("context_length"),
      refused("content_filter"),
    ),
    { minLength: 6, maxLength: 6 },
  );

  /** Walks a call whose attempts all fail: the positions of the candidates that it tries. */
  const walk = (
    all: readonly FailoverTarget[],
    faults: readonly (Tried["reach"] | AnyFault)[],
    max: number,
  ): Tried[] => {
    const steps: Tried[] = [];
    let at = nextCandidate(all, []);
    while (at !== null) {
      const its = faults[steps.length] ?? "model";
      const { reach, code } = typeof its === "string" ? { reach: its } : its;
      const coded = code === undefined ? {} : { code };
      const contextTokens = all[at]?.contextTokens ?? null;
      steps.push({ ...tried(at, reach), ...excludedBy({ contextTokens }, coded) });
      const next = after({
        targets: all,
        tried: steps,
        fault: { ...fault, ...coded },
        afterContentFilter: "other_providers",
        max,
        remainingMs: 1e6,
      });
      at = next.next === "try" ? next.at : null;
    }
    return steps;
  };

  it("a call ends, after no more attempts than allowed, each at another candidate", () => {
    fc.assert(
      fc.property(anyPlaces, anyReaches, fc.integer({ min: 1, max: 4 }), (all, faults, max) => {
        const steps = walk(all, faults, max);
        expect(steps.length).toBe(Math.min(max, all.length));
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
          const isBroken = (to: FailoverTarget): boolean =>
            before.some((its) => reaches(its.reach, all[its.at] ?? to, to));
          const attemptsAt = (its: FailoverTarget): number =>
            before.filter((one) => all[one.at]?.endpoint === its.endpoint).length;
          const isFree = (its: FailoverTarget, position: number): boolean =>
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
      fc.property(anyPlaces, anyFaults, fc.integer({ min: 1, max: 4 }), (all, faults, max) => {
        const reserved = reachable(all, max);
        const known = reserved.flatMap((at) => all[at] ?? []);
        const onAll = walk(all, faults, max).map(({ at }) => all[at]);
        const onReserved = walk(known, faults, max).map(({ at }) => known[at]);
        expect(onReserved).toEqual(onAll);
      }),
    );
  });

  it("a call can reach only the best few of each credential of the best few endpoints", () => {
    fc.assert(
      fc.property(anyPlaces, fc.integer({ min: 1, max: 4 }), (odd, max) => {
        const all = odd.map((its) => ({ ...its, wire: its.endpoint, contextTokens: null }));
        const endpoints = new Set(
          [...new Set(all.map(({ endpoint }) => endpoint))].slice(0, maxAttempts),
        );
        const few = all.filter(
          (its, at) =>
            endpoints.has(its.endpoint) &&
            all.slice(0, at).filter(({ credentialId }) => credentialId === its.credentialId)
              .length < maxAttempts,
        );
        const met = (among: readonly FailoverTarget[]) =>
          reachable(among, max).map((at) => among[at]);
        expect(met(few)).toEqual(met(all));
      }),
    );
  });
});
