/** The scheduled jobs of two shards, on real databases: what one of them can't do, the other does. */
import { describe, expect, it } from "vitest";
import { createJobs, createShardedJobs, type Jobs } from "../../../src/pipeline/scheduled/jobs.ts";
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

const unreachable = (db: Database): Database => ({
  builder: db.builder,
  read: async () => ({ ok: false, error: { reason: "unavailable", retryAfterMs: 1 } }),
  write: async () => ({ ok: false, error: { reason: "unavailable", retryAfterMs: 1 } }),
  probe: async () => "refused",
});

describe("scheduled jobs on several shards", () => {
  it("sweep the shards in reach, and say which shard was not", async () => {
    const backend = inlineBackend();
    const dead = await backend.open();
    const [one, other] = [await given(unreachable(dead.db)), await given()];
    const reports = await createShardedJobs([
      { name: "eu", run: one.run },
      { name: "us", run: other.run },
    ])();
    expect(reports).toContainEqual({ job: "sweep", changed: null, shard: "eu" });
    expect(reports).toContainEqual({ job: "sweep", changed: 1, shard: "us" });
    for (const { close } of [dead, one, other]) await close();
  });

  it("run to their end beside one that breaks", async () => {
    const sound = await given();
    let swept: unknown;
    const jobs = createShardedJobs([
      { name: "eu", run: () => Promise.reject(new Error("a bug")) },
      {
        name: "us",
        async run() {
          swept = await sound.run();
          return [];
        },
      },
    ]);
    await expect(jobs()).rejects.toThrow("a bug");
    expect(swept).toContainEqual({ job: "sweep", changed: 1 });
    await sound.close();
  });

  it("name no shard where there is only one", async () => {
    const sound = await given();
    const reports = await createShardedJobs([{ name: "home", run: sound.run }])();
    expect(reports).toContainEqual({ job: "sweep", changed: 1 });
    await sound.close();
  });
});

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
