/** Times in requests: every one that is taken is a date of JavaScript, which the console and the CSV lists write out. */
import { describe, expect, it } from "vitest";
import { raise } from "../../../src/http/admin/limit-schemas.ts";
import { time } from "../../../src/http/admin/schemas.ts";

/** Source: ECMA-262, section 21.4.1.1. */
const latest = 8.64e15;

describe("a time in a request", () => {
  it.each([latest, "2026-11-21T09:30:00Z", "2026-11-21", "1795132800000", 0])(
    "is taken: %s",
    (given) => {
      const taken = time.safeParse(given);
      expect(taken.success && new Date(taken.data).toISOString()).toMatch(/Z$/);
    },
  );

  it.each([latest + 1, Number.MAX_SAFE_INTEGER, -1])("is refused beyond all dates: %s", (given) => {
    expect(time.safeParse(given).success).toBe(false);
  });

  it.each([
    [latest, true],
    [latest + 1, false],
    [Number.MAX_SAFE_INTEGER, false],
  ])("ends a raise at %s: %s", (until, isTaken) => {
    const given = { subject: "user:a", limits: { concurrent: 2 }, until, reason: "launch" };
    expect(raise.safeParse(given).success).toBe(isTaken);
  });
});
