/** The soaks of limits, shortened; `npm run soak` has them in full. */
import { describe, expect, it } from "vitest";
import { soakLimits } from "../soak/limits.ts";

describe("under load", () => {
  it.each(["sqld", "objects", "embedded"] as const)(
    "limits hold, and counters and usage say what the records say: %s",
    async (database) => {
      // On objects: isolates.
      const routers = database === "embedded" ? 1 : 2;
      const callers = database === "objects" ? 64 : 32;
      const about = { database, routers, callers, calls: 80, paceMs: 0 };
      const cases = ["requests", "concurrent", "day", "nodes"];
      expect(await soakLimits({ ...about, cases }, () => {})).toEqual([]);
    },
    120_000,
  );
});
