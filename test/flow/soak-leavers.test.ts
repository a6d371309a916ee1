/** The soak of callers that hang up, shortened; `npm run soak` has it in full. */
import { expect, it } from "vitest";
import { soakLeavers } from "../soak/leavers.ts";

it.each(["objects", "embedded"] as const)(
  "under load, callers that hang up leave no record open: %s",
  async (database) => {
    expect(await soakLeavers({ database, calls: 80 }, () => {})).toEqual([]);
  },
  120_000,
);
