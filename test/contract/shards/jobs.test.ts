/** A run of the scheduled jobs ends, whatever one of them waits for. */
import { describe, expect, it } from "vitest";
import { createJobs, type Jobs } from "../../../src/pipeline/scheduled/jobs.ts";
import type { SendWebhooks } from "../../../src/pipeline/scheduled/webhooks.ts";
import type { Database } from "../../../src/store/db.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, reservation, start } from "../store/fixtures.ts";
import { storesOn, value } from "../store/open.ts";
import { sealingOn } from "../store/sealing.ts";

/** The jobs of a database in which one lease has run out. */
async function given(
  broken?: Database,
  webhooks: { sendWebhooksOnce: SendWebhooks; elapsed: () => number } = {
    sendWebhooksOnce: async () => ({ ok: true, value: 0 }),
    elapsed: () => 0,
  },
): Promise<{ run: Jobs; close: () => Promise<void> }> {
  const backend = inlineBackend();
  const { db, close } = await backend.openMigrated();
  const stores = storesOn(db);
  const who = await caller(stores);
  value(await stores.ledger.admit(reservation(who, start)));
  const its = storesOn(broken ?? db);
  const run = createJobs({
    endHeld: async () => ({ ok: true, value: null }),
    ...webhooks,
    ...(await sealingOn(its)),
    ...its,
    reseal: async () => ({ ok: true, value: 0 }),
    resealTenants: async () => ({ ok: true, value: 0 }),
    sendToWitness: null,
    sinkJob: async () => ({ ok: true, value: 0 }),
    roomNow: null,
    syncCatalogue: null,
    deliver: async () => ({ ok: true, value: 0 }),
    now: () => start + 3_600_000,
  });
  return { run, close };
}

describe("a job that has more to do after each round", () => {
  it.each([
    ["quick", 10, 5],
    ["slow, as webhooks to a silent receiver are", 10_000, 1],
  ])("begins no further round once five seconds have passed: %s", async (_, roundMs, rounds) => {
    let elapsedMs = 0;
    const webhooks = await given(undefined, {
      elapsed: () => elapsedMs,
      async sendWebhooksOnce() {
        elapsedMs += roundMs;
        return { ok: true, value: 6 };
      },
    });
    expect(await webhooks.run()).toContainEqual({ job: "webhooks", changed: 6 * rounds });
    await webhooks.close();
  });
});
