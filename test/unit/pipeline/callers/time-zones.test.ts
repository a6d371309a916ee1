/** Days and months follow the tenant's time zone, also when clocks change. */
import { describe, expect, it } from "vitest";
import { calendarOf, isTimeZone } from "../../../../src/pipeline/callers/time-zones.ts";

const hours = ({ from, until }: { from: number; until: number }): number => (until - from) / 3_600;
const told = (seconds: number): string => new Date(seconds * 1_000).toISOString();

describe("calendars of time zones", () => {
  it("are those of UTC without a zone", () => {
    const { day, week, month } = calendarOf(undefined, Date.UTC(2_027, 0, 15, 8));
    expect([day.from, day.until].map(told)).toEqual([
      "2027-01-15T00:00:00.000Z",
      "2027-01-16T00:00:00.000Z",
    ]);
    expect([week.from, week.until].map(told)).toEqual([
      "2027-01-11T00:00:00.000Z",
      "2027-01-18T00:00:00.000Z",
    ]);
    expect([month.from, month.until].map(told)).toEqual([
      "2027-01-01T00:00:00.000Z",
      "2027-02-01T00:00:00.000Z",
    ]);
  });

  it.each([
    ["Europe/Berlin", "2027-03-28T10:00:00Z", "2027-03-27T23:00:00.000Z", 23],
    ["Europe/Berlin", "2027-10-31T10:00:00Z", "2027-10-30T22:00:00.000Z", 25],
    ["America/New_York", "2027-03-14T20:00:00Z", "2027-03-14T05:00:00.000Z", 23],
    ["Australia/Lord_Howe", "2027-04-03T20:00:00Z", "2027-04-03T13:00:00.000Z", 24.5],
    // Clocks skip midnight, and the day begins at one o'clock.
    ["America/Santiago", "2026-09-06T12:00:00Z", "2026-09-06T04:00:00.000Z", 23],
    // Midnight comes twice, and the first one belongs to the day before.
    ["America/Santiago", "2027-04-03T12:00:00Z", "2027-04-03T03:00:00.000Z", 25],
    ["Asia/Kolkata", "2027-01-15T18:29:59Z", "2027-01-14T18:30:00.000Z", 24],
    ["Pacific/Kiritimati", "2027-01-15T11:00:00Z", "2027-01-15T10:00:00.000Z", 24],
  ])("know how long a day of %s is at %s", (zone, at, from, length) => {
    const { day } = calendarOf(zone, Date.parse(at));
    expect([told(day.from), hours(day)]).toEqual([from, length]);
  });

  it.each([
    ["an hour less", "2027-03-28T21:59:59Z", "2027-03-21T23:00:00.000Z", 167],
    ["an hour more", "2027-10-31T22:59:59Z", "2027-10-24T22:00:00.000Z", 169],
    ["a week again", "2027-10-31T23:00:00Z", "2027-10-31T23:00:00.000Z", 168],
  ])("begin a week on Monday, with %s where clocks change", (_, at, from, length) => {
    const { week } = calendarOf("Europe/Berlin", Date.parse(at));
    expect([told(week.from), hours(week)]).toEqual([from, length]);
  });

  it("have a leap day, which ends its month at local midnight", () => {
    const { day, month } = calendarOf("Asia/Tokyo", Date.parse("2028-02-29T14:59:59Z"));
    expect([day.from, day.until, month.from, month.until].map(told)).toEqual([
      "2028-02-28T15:00:00.000Z",
      "2028-02-29T15:00:00.000Z",
      "2028-01-31T15:00:00.000Z",
      "2028-02-29T15:00:00.000Z",
    ]);
  });

  it("give each moment one day, also around a change of clocks", () => {
    for (const zone of ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"]) {
      const end = Date.UTC(2_027, 11, 1);
      let now = Date.UTC(2_026, 11, 1);
      let until = calendarOf(zone, now).day.from;
      while (now < end) {
        const { day, week, month } = calendarOf(zone, now);
        expect(day.from).toBe(until);
        expect(hours(day)).toBeGreaterThan(22);
        for (const { from, until: last } of [week, month]) {
          expect(from).toBeLessThanOrEqual(day.from);
          expect(last).toBeGreaterThanOrEqual(day.until);
        }
        until = day.until;
        now = day.until * 1_000;
      }
    }
  });

  it("take names of zones, and no offsets or other words", () => {
    expect(
      ["UTC", "Europe/Berlin", "America/Argentina/Salta", "Etc/GMT+3"].map(isTimeZone),
    ).toEqual([true, true, true, true]);
    expect(["", "+02:00", "Europe/Nowhere", "../../x", "Berlin time"].map(isTimeZone)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
