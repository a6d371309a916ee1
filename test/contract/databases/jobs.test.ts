/** A run of the scheduled jobs ends, whatever one of them waits for. */
import { describe, expect, it } from "vitest";
import { createJobs, type RunDeps } from "../../../src/pipeline/scheduled/jobs.ts";
import type { AsyncResult } from "../../../src/domain/refusals.ts";
import type { SendWebhooks } from "../../../src/pipeline/scheduled/webhooks.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, reservation, settlement, start } from "../store/fixtures.ts";
import { storesOn, value } from "../store/open.ts";
import { sealingOn } from "../store/sealing.ts";

/** The jobs of a database in which one lease has run out. */
async function given(
  about: Partial<
    RunDeps & { sendWebhooksOnce: SendWebhooks; reseal: () => AsyncResult<number> }
  > = {},
) {
  const backend = inlineBackend();
  const { db, close } = await backend.openMigrated();
  const stores = storesOn(db);
  const who = await caller(stores);
  value(await stores.ledger.admit(reservation(who, start)));
  const its = stores;
  const run = createJobs({
    endHeld: async () => ({ ok: true, value: null }),
    sendWebhooksOnce: async () => ({ ok: true, value: 0 }),
    elapsed: () => 0,
    wait: async () => {},
    maxRounds: { slice: Infinity, run: Infinity, asking: Infinity },
    reseal: async () => ({ ok: true, value: 0 }),
    ...(await sealingOn(its)),
    ...its,
    resealTenants: async () => ({ ok: true, value: 0 }),
    sendToWitness: null,
    sinkJob: async () => ({ ok: true, value: 0 }),
    roomNow: null,
    publicUrl: null,
    syncCatalogue: null,
    deliver: async () => ({ ok: true, value: 0 }),
    now: () => start + 3_600_000,
    ...about,
  });
  return { run, stores, close };
}

describe("a job that has more to do after each round", () => {
  /** Webhooks whose rounds take so long; `due` of them find something to do. */
  async function working(about: { roundMs: number; due: number; asking?: number }) {
    let elapsedMs = 0;
    let rounds = 0;
    let restedMs = 0;
    const { run, close } = await given({
      elapsed: () => elapsedMs,
      async wait(ms) {
        elapsedMs += ms;
        restedMs += ms;
      },
      async sendWebhooksOnce() {
        elapsedMs += about.roundMs;
        rounds += 1;
        return { ok: true, value: rounds <= about.due ? 1 : 0 };
      },
      ...(about.asking !== undefined && {
        maxRounds: { slice: Infinity, run: Infinity, asking: about.asking },
      }),
    });
    const reports = await run();
    await close();
    const webhooks = reports.find(({ job }) => job === "webhooks");
    return { webhooks, reports, restedMs, elapsedMs };
  }

  it("works until nothing is due, and rests as long as it works", async () => {
    const { webhooks, restedMs } = await working({ roundMs: 10, due: 400 });
    expect(webhooks).toEqual({ job: "webhooks", changed: 400 });
    expect(restedMs).toBeGreaterThanOrEqual(4_000 - 250);
  });

  it.each([
    ["the run's time is used", { roundMs: 100, due: Infinity }],
    ["a silent receiver has used it", { roundMs: 10_000, due: Infinity }],
    ["a Worker may ask no more", { roundMs: 1, due: Infinity, asking: 5 }],
  ])("says that it is behind once %s, and the others have run", async (_, about) => {
    const { webhooks, reports, elapsedMs } = await working(about);
    expect(webhooks?.behind).toBe(true);
    expect(reports).toContainEqual({ job: "sweep", changed: 1 });
    // One slice at most after 40 s, and its rest: a host ends a run after 60 s.
    expect(elapsedMs).toBeLessThanOrEqual(55_000);
  });
});

it("of a Worker's object rests every few rounds, though its clock stands still while it works", async () => {
  let left = 32;
  const rests: number[] = [];
  const { run, close } = await given({
    maxRounds: { slice: 5, run: Infinity, asking: 5 },
    wait: async () => void rests.push(left),
    reseal: async () => ({ ok: true, value: left > 0 ? left-- && 1 : 0 }),
  });
  expect(await run()).toContainEqual({ job: "reseal", changed: 32 });
  await close();
  expect([...new Set(rests)]).toEqual([27, 22, 17, 12, 7, 2]);
});

describe("jobs in step", () => {
  it("seal and count in one run what 1,000 active tenants did", async () => {
    const { run, stores, close } = await given();
    const tenants = 1_000;
    for (let count = 0; count < tenants; count += 1) {
      const who = await caller(stores);
      const running = reservation(who, start);
      value(await stores.ledger.admit(running));
      value(await stores.ledger.settle(settlement(running, start + 9)));
    }
    const reports = await run();
    expect(reports).toContainEqual({ job: "seal", changed: tenants });
    expect(reports).toContainEqual({ job: "latencies", changed: tenants });
    expect(reports.filter(({ behind }) => behind)).toEqual([]);
    await close();
  });
});
