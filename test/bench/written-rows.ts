/** Rows that a call and the jobs after it write in a Durable Object, which counts those of indexes too. */
import { migrate } from "../../src/store/migrations.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { readMigrations } from "../setup/migrations.ts";
import { sealAll } from "../contract/store/sealing.ts";
import { createLatencyJob } from "../../src/pipeline/scheduled/latencies.ts";
import { startObjectHost } from "./object-host.ts";
import { typicalCalls } from "./typical-calls.ts";
import { retain } from "../contract/store/sealing.ts";

const records = 200;
/** Longer than any policy keeps a record. */
const keptForMs = 4_000 * 86_400_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

function sayRows(title: string, written: readonly number[], say: (line: string) => void): void {
  const parts = written.filter((rows) => rows > 0).join(" + ");
  say(`${title} alone writes ${sum(written)} rows, those of indexes counted: ${parts}`);
}

export async function countWrittenRows(say: (line: string) => void): Promise<void> {
  const { db, object, stop } = await startObjectHost();
  try {
    value(await migrate(db, readMigrations()));
    const stores = storesOn(db);
    const calls = await typicalCalls(stores);
    // The first call of an hour and of a model writes more.
    for (let at = 0; at < 40; at += 1) await (await calls.admit(at))();
    await object.takeWritten();
    const settle = await calls.admit(20);
    sayRows("an admission", await object.takeWritten(), say);
    await settle();
    sayRows("a settlement", await object.takeWritten(), say);
    const perRecord = async (title: string): Promise<void> => {
      const rows = sum(await object.takeWritten()) / records;
      say(`${title} writes ${rows.toFixed(2)} rows a record, over ${records} records`);
    };
    for (let at = 41; at < records; at += 1) await (await calls.admit(at))();
    await object.takeWritten();
    await sealAll(stores, calls.tenantId);
    await perRecord("sealing");
    const countDurations = createLatencyJob({ latencies: stores.latencies, now: Date.now });
    value(await countDurations());
    await perRecord("counting of durations");
    await (
      await calls.admit(records)
    )();
    await sealAll(stores, calls.tenantId);
    await object.takeWritten();
    value(await countDurations());
    sayRows("counting of one call's durations", await object.takeWritten(), say);
    // The same database stands for both ends.
    const placement = {
      slug: "placed",
      tenantId: calls.tenantId,
      database: "home",
      residency: null,
    };
    value(await stores.placements.claim(placement));
    for (let minute = 0; minute < 2; minute += 1) {
      await (
        await calls.admit(records + minute)
      )();
      await object.takeWritten();
      const delivery = value(await stores.outbox.begin(Date.now()));
      if (delivery === null) throw new Error("nothing to deliver");
      const begun = sum(await object.takeWritten());
      value(await stores.deliveries.enter({ database: "home", now: 0 }, delivery));
      const entered = sum(await object.takeWritten());
      value(await stores.outbox.end(delivery));
      const sent = begun + sum(await object.takeWritten());
      if (minute > 0)
        say(
          `a minute's delivery of one call writes ${sent} rows in the tenant's object and ${entered} in home, of ${delivery.usage.length} models in that hour`,
        );
    }
    while (value(await retain(stores, Date.now() + keptForMs)) > 0);
    await perRecord("retention");
  } finally {
    await stop();
  }
}
