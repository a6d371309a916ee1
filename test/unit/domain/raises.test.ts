/** Limits that are larger for a time. */
import { describe, expect, it } from "vitest";
import type { Raise } from "../../../src/domain/choice/policy.ts";
import { endOfRaises, raisedLimits, raisedUntil } from "../../../src/domain/limits/raises.ts";

const raise = (fields: Partial<Raise> = {}): Raise => ({
  subject: "key_1",
  limits: { usdPerDay: 5 },
  until: 1_000,
  reason: "a launch",
  ...fields,
});
const limits = { usdPerDay: 2, requestsPerMinute: 3 };
const at = (now: number, ...raises: Raise[]) =>
  raisedLimits(limits, { subject: "key_1", raises, now });

describe("a raise", () => {
  it("holds up to its last millisecond, and then no more", () => {
    expect(at(999, raise())).toEqual({ usdPerDay: 5, requestsPerMinute: 3 });
    expect(at(1_000, raise())).toEqual(limits);
  });

  it("narrows nothing, and bounds nothing that has no limit", () => {
    expect(at(0, raise({ limits: { usdPerDay: 1, usdPerMonth: 9 } }))).toEqual(limits);
  });

  it("raises the limit of one node alone", () => {
    expect(at(0, raise({ subject: "key_2" }))).toEqual(limits);
    expect(raisedLimits(limits, { subject: "key_1", raises: undefined, now: 0 })).toEqual(limits);
  });

  it("gives way to a larger raise of the same limit while both last", () => {
    const both = [raise(), raise({ limits: { usdPerDay: 4, requestsPerMinute: 9 }, until: 2_000 })];
    expect(at(0, ...both)).toEqual({ usdPerDay: 5, requestsPerMinute: 9 });
    expect(at(1_500, ...both)).toEqual({ usdPerDay: 4, requestsPerMinute: 9 });
  });
});

describe("what is said of a raised limit", () => {
  const untilAt = (now: number, ...raises: Raise[]) =>
    raisedUntil(limits, "usdPerDay", { subject: "key_1", raises, now });

  it("is the end of the raise that holds, and nothing where none does", () => {
    const larger = raise({ limits: { usdPerDay: 9 }, until: 700 });
    expect(untilAt(0, raise())).toBe(1_000);
    expect(untilAt(0, raise(), larger)).toBe(700);
    expect(untilAt(700, raise(), larger)).toBe(1_000);
    expect(untilAt(1_000, raise(), larger)).toBeNull();
    expect(untilAt(0, raise({ limits: { usdPerDay: 1 } }))).toBeNull();
    expect(untilAt(0, raise({ subject: "key_2" }))).toBeNull();
  });
});

describe("the end of raises", () => {
  it("is the first that is to come", () => {
    const raises = [raise({ until: 500 }), raise({ until: 900 }), raise({ until: 700 })];
    expect(endOfRaises(raises, 600)).toBe(700);
    expect(endOfRaises(raises, 900)).toBe(Number.POSITIVE_INFINITY);
    expect(endOfRaises(undefined, 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
