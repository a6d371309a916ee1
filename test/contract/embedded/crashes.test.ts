/** The embedded engine's crashes, shortened; `npm run soak -- kills`, `stops` and `power` have them in full. */
import { describe, expect, it } from "vitest";
import { noDisk } from "../../fakes/disk.ts";
import { soakKills, soakPower, soakStops } from "../../soak/embedded/crashes.ts";

const quiet = (): void => {};
const missing = noDisk();

describe("the embedded engine keeps each write that a caller had an answer for", () => {
  it("when its process is killed", async () => {
    expect(await soakKills(3, quiet)).toEqual([]);
  }, 120_000);

  it("in a copy that is made while it stands still", async () => {
    expect(await soakStops(2, quiet)).toEqual([]);
  }, 120_000);

  it.skipIf(missing !== null)(
    `when the power goes${missing ?? ""}`,
    async () => {
      expect(await soakPower({ cuts: 10 }, quiet)).toEqual([]);
    },
    120_000,
  );

  it.skipIf(missing !== null)(
    `and would lose it without syncs, or with one for each checkpoint alone${missing ?? ""}`,
    async () => {
      const rare = ["synchronous = NORMAL", "wal_autocheckpoint = 5000"];
      for (const pragmas of [["synchronous = OFF"], rare])
        expect(await soakPower({ cuts: 40, pragmas, endsWithFault: true }, quiet)).not.toEqual([]);
    },
    120_000,
  );
});
