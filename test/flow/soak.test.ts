/** The soaks, shortened; `npm run soak` has them in full. */
import { describe, expect, it } from "vitest";
import { soakCrashes } from "../soak/crashes.ts";
import { soakLeavers } from "../soak/leavers.ts";
import { soakLimits } from "../soak/limits.ts";

const quiet = (): void => {};

describe("under load", () => {
  it.each(["sqld", "d1", "embedded"] as const)(
    "limits hold, and counters and usage say what the records say: %s",
    async (database) => {
      const routers = database === "sqld" ? 2 : 1;
      const about = { database, routers, callers: 32, calls: 350, paceMs: 0 };
      const cases = ["requests", "concurrent", "day"];
      expect(await soakLimits({ ...about, cases }, quiet)).toEqual([]);
    },
    120_000,
  );

  it.each(["d1", "embedded"] as const)(
    "callers that hang up leave no record open: %s",
    async (database) => {
      expect(await soakLeavers({ database, calls: 80 }, quiet)).toEqual([]);
    },
    120_000,
  );

  it("a process that is killed leaves nothing behind that isn't found", async () => {
    expect(await soakCrashes({ rounds: 3, atMostMs: 60_000, callers: 4 }, quiet)).toEqual([]);
  }, 180_000);
});
