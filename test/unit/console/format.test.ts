/** Amounts, times and sizes are formatted in readable units. */
import { describe, expect, it, vi } from "vitest";

// The language is read once, when the module is.
vi.stubGlobal("navigator", { language: "en-US" });
const {
  axisTimes,
  bytes,
  compact,
  dateOf,
  duration,
  monthStart,
  shortTime,
  time,
  usd,
  usdInCents,
  usdOfCall,
  usdOfPrice,
} = await import("../../../src/console/format.ts");
vi.unstubAllGlobals();

describe("figures of the console", () => {
  it.each([
    [0, "0"],
    [0.025, "0.025"],
    [0.0712, "0.071"],
    [1.25, "1.3"],
    [70_900, "70.9K"],
  ])("%s on a scale is %s", (value, text) => {
    expect(compact(value)).toBe(text);
  });

  it("show the fractions of a cent that a small call costs", () => {
    expect(usd(0.000307)).toBe("$0.000307");
    expect(usd(0.77184)).toBe("$0.7718");
    expect(usd(19.93)).toBe("$19.93");
    expect(usd(null)).toBe("–");
  });

  it("have equal decimals in columns: cents, and four for single calls, and at least two for prices", () => {
    expect([0.7718, 4.2, 0, 0.004].map(usdInCents)).toEqual(["$0.77", "$4.20", "$0.00", "<$0.01"]);
    expect([0.03162, 0.022806, 1.48, 0, 0.00003, null].map(usdOfCall)).toEqual([
      "$0.0316",
      "$0.0228",
      "$1.4800",
      "$0.0000",
      "<$0.0001",
      "–",
    ]);
    expect([10, 0.15, 0.075, 0].map(usdOfPrice)).toEqual(["$10.00", "$0.15", "$0.075", "$0.00"]);
  });

  it("name the first day of a month as a date field does", () => {
    expect(monthStart(new Date(2026, 0, 31, 23).getTime())).toBe("2026-01-01");
  });

  it("show a moment with its day, and one of another year with the year", () => {
    const at = new Date(2026, 10, 23, 13, 33, 19).getTime();
    const spaced = (text: string) => text.replaceAll("\u202f", " ");
    expect(spaced(shortTime(at, at + 1_000))).toBe("Nov 23, 1:33:19 PM");
    expect(spaced(shortTime(at, at + 90 * 86_400_000))).toBe("Nov 23, 2026, 1:33:19 PM");
  });

  it("say how much is stored in the unit that fits", () => {
    expect([0, 400_000, 12_340_000, 7_240_000_000].map(bytes)).toEqual([
      "0 MB",
      "0.4 MB",
      "12.3 MB",
      "7.2 GB",
    ]);
  });

  it("say how long something took in the unit that fits", () => {
    expect([999, 1_500, 59_000, 3_500_000].map(duration)).toEqual([
      "999 ms",
      "1.50 s",
      "59.0 s",
      "58 min",
    ]);
  });

  it("stand along a plot with the day where it begins, and days as UTC has them", () => {
    const spaced = (texts: string[]) => texts.map((text) => text.replaceAll("\u202f", " "));
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
    expect(spaced(axisTimes([at(23, 18), at(23, 21), at(24, 0)], "hour"))).toEqual([
      "6:00 PM\nNov 23",
      "9:00 PM",
      "12:00 AM\nNov 24",
    ]);
    expect(axisTimes([Date.UTC(2026, 10, 24), Date.UTC(2026, 10, 25)], "day")).toEqual([
      "Nov 24",
      "Nov 25",
    ]);
  });
});

it("a time that an older version took is shown, though it is beyond all dates", () => {
  const beyond = Number.MAX_SAFE_INTEGER;
  expect(time(beyond)).toContain("275760");
  expect(shortTime(beyond)).toContain("275760");
  expect(dateOf(beyond).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
});
