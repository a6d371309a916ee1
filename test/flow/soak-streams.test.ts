/** The soaks of broken streams, shortened where they repeat themselves; `npm run soak` has them in full. */
import { it } from "vitest";
import { patient } from "../setup/patience.ts";
import { soakLongStreams } from "../soak/long-streams.ts";
import { soakStreamCuts } from "../soak/stream-cuts.ts";
import { soakStreamKills } from "../soak/stream-kills.ts";
import { databases } from "../soak/world.ts";

it.for(databases)(
  "a provider's stream that breaks anywhere is an error to its client, and one record that is charged enough: %s",
  { timeout: patient(120_000) },
  async (database, { expect }) => {
    expect(await soakStreamCuts({ database }, () => {})).toEqual([]);
  },
);

// Time is under test: the leases of streams that died run out. All databases wait for them together.
it.concurrent.for(databases)(
  "a process that is killed at any event of a stream leaves a record that is unknown and charged as reserved: %s",
  { timeout: patient(240_000) },
  async (database, { expect }) => {
    expect(await soakStreamKills({ database, rounds: 1 }, () => {})).toEqual([]);
  },
);

it.concurrent.for(["objects", "embedded"] as const)(
  "streams whose leases are renewed arrive whole, and a slow reader holds its provider back: %s",
  { timeout: patient(180_000) },
  async (database, { expect }) => {
    expect(await soakLongStreams({ database, seconds: 30 }, () => {})).toEqual([]);
  },
);
