/** `npm run soak -- jobs`: the scheduled jobs keep up with 400 calls a second. The clock is simulated, the work is real. */
import { performance } from "node:perf_hooks";
import { createJobs } from "../../src/pipeline/scheduled/jobs.ts";
import type { AsyncResult } from "../../src/domain/refusals.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { caller, reservation, settlement, start, type Caller } from "../contract/store/fixtures.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { sealingOn } from "../contract/store/sealing.ts";
import { givenFolder, startEngine } from "../setup/engine.ts";
import { migrate } from "../../src/store/migrations.ts";
import { readMigrations } from "../setup/migrations.ts";
import { wait, type Say } from "./world.ts";

const callsAMinute = 24_000;
const atOnce = 128;
/** Records are pruned from the middle of the soak on. */
const simulatedMs = 2 * 86_400_000;

export async function soakJobs(minutes: number, say: Say): Promise<string[]> {
  const folder = givenFolder();
  const engine = await startEngine(folder.path);
  const faults: string[] = [];
  try {
    const db = openOverEngine(engine);
    value(await migrate(db, readMigrations()));
    const stores = storesOn(db);
    let now = start;
    const run = createJobs({
      ...(await sealingOn(stores)),
      ...stores,
      endHeld: async () => ({ ok: true, value: null }),
      reseal: async () => ({ ok: true, value: 0 }),
      resealTenants: async () => ({ ok: true, value: 0 }),
      sinkJob: async () => ({ ok: true, value: 0 }),
      deliver: async () => ({ ok: true, value: 0 }),
      sendWebhooksOnce: async () => ({ ok: true, value: 0 }),
      sendToWitness: null,
      roomNow: null,
      publicUrl: null,
      syncCatalogue: null,
      now: () => now,
      elapsed: () => performance.now(),
      wait,
      maxRounds: { slice: Infinity, run: Infinity, asking: Infinity },
    });
    const who = await caller(stores, { policy: { retentionDays: 1 } });
    for (let minute = 1; minute <= minutes; minute += 1) {
      await call(stores, who, now);
      now += simulatedMs / minutes;
      const begun = performance.now();
      const reports = await run();
      const tookMs = performance.now() - begun;
      const changed = (job: string) => reports.find((each) => each.job === job)?.changed ?? 0;
      const rows = value(
        await db.read((builder) =>
          builder.all<{ count: number }>("select count(*) as count from sampling_requests"),
        ),
      )[0]?.count;
      say(
        `minute ${minute}: ${changed("seal")} sealed, ${changed("latencies")} counted, ${changed("pruneRequests")} pruned in ${(tookMs / 1_000).toFixed(1)} s; ${rows} records are left`,
      );
      for (const { job, behind } of reports)
        if (behind) faults.push(`minute ${minute}: ${job} is behind`);
      if (changed("seal") !== callsAMinute) faults.push(`minute ${minute}: not all is sealed`);
      if (Number(rows) > callsAMinute * (minutes / 2 + 2)) faults.push("the database grows");
    }
    return faults;
  } finally {
    await engine.close();
    folder.remove();
  }
}

/** One minute of calls, each of which ends at once. */
async function call(
  { ledger }: ReturnType<typeof storesOn>,
  who: Caller,
  now: number,
): Promise<void> {
  for (let done = 0; done < callsAMinute; done += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, callsAMinute - done) }, async () => {
        const running = reservation(who, now);
        await untilWritten(() => ledger.admit(running));
        await untilWritten(() => ledger.settle(settlement(running, now + 9)));
      }),
    );
}

/** A machine that does other work too may write too late. The same write, sent again, changes nothing twice. */
async function untilWritten(write: () => AsyncResult<unknown>): Promise<void> {
  for (;;) {
    const written = await write();
    if (written.ok || written.error.reason !== "unavailable") return void value(written);
    await wait(written.error.retryAfterMs);
  }
}
