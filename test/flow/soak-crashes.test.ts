/** The soak of crashes, shortened; `npm run soak` has it in full. */
import { it } from "vitest";
import { soakCrashes } from "../soak/crashes.ts";
import { patient } from "../setup/patience.ts";

// Time is under test: the lease of a call that died runs out after half a minute and the deadline. Both wait at once.
it.concurrent.for(["sqld", "embedded"] as const)(
  "under load, a process that is killed leaves nothing behind that isn't found: %s",
  { timeout: patient(180_000) },
  async (database, { expect }) => {
    const about = { database, rounds: 2, atMostMs: 60_000, callers: 4 };
    expect(await soakCrashes(about, () => {})).toEqual([]);
  },
);
