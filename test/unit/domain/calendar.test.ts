/** Calendar windows against the platform's own calendar. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calendarAt, dayOf, isoDay, isoTime, type Window } from "../../../src/domain/calendar.ts";

const seconds = (...parts: [number, number, number?, number?, number?, number?]): number => {
  const [year, month, ...rest] = parts;
  return Date.UTC(year, month - 1, ...rest) / 1_000;
};

const calendarMonthOf = (at: number): Window => calendarAt(at).month;

const dayByDate = (at: number) => {
  const date = new Date(at * 1_000);
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) / 1_000;
  return { from, until: from + 86_400 };
};

const monthByDate = (at: number) => {
  const date = new Date(at * 1_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month) / 1_000, until: Date.UTC(year, month + 1) / 1_000 };
};

describe("calendar windows", () => {
  it("are those of the platform's calendar, for any second from 1970 to 2200", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: seconds(2_201, 1) - 1 }), (at) => {
        expect(dayOf(at)).toEqual(dayByDate(at));
        expect(calendarMonthOf(at)).toEqual(monthByDate(at));
      }),
      { numRuns: 5_000 },
    );
  });

  it("change exactly between two seconds, at the end of every month from 1970 to 2200", () => {
    for (let month = 1; month <= 231 * 12; month += 1) {
      const first = Date.UTC(1_970, month) / 1_000;
      for (const at of [first - 1, first]) expect(calendarMonthOf(at)).toEqual(monthByDate(at));
      expect(calendarMonthOf(first - 1).until).toBe(calendarMonthOf(first).from);
    }
  });

  it.each([
    ["a common year", 2_027, 28],
    ["a leap year", 2_028, 29],
    ["a century that is none", 2_100, 28],
    ["a fourth century, which is one", 2_000, 29],
  ])("know how long February is in %s", (_, year, days) => {
    const { from, until } = calendarMonthOf(seconds(year, 2, days, 23, 59, 59));
    expect([from, until]).toEqual([seconds(year, 2), seconds(year, 3)]);
    expect(until - from).toBe(days * 86_400);
    expect(dayOf(seconds(year, 2, days, 12)).until).toBe(seconds(year, 2, days + 1));
  });
});

it("names a day as `Date` does, from year 1900 to 2200", () => {
  for (let day = -25_567; day < 84_000; day += 13) {
    const at = day * 86_400_000 + 12_345;
    expect(isoDay(at)).toBe(new Date(at).toISOString().slice(0, 10));
    expect(isoTime(at)).toBe(new Date(at).toISOString());
  }
});
