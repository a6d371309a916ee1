/** Rows that one admission and one settlement write in a Durable Object, which counts those of indexes too. */
import { migrate } from "../../src/store/migrations.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { readMigrations } from "../setup/migrations.ts";
import { startObjectHost } from "./object-host.ts";
import { typicalCalls } from "./typical-calls.ts";

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

function sayRows(title: string, written: readonly number[], say: (line: string) => void): void {
  const parts = written.filter((rows) => rows > 0).join(" + ");
  say(`${title} alone writes ${sum(written)} rows, those of indexes counted: ${parts}`);
}

export async function countWrittenRows(say: (line: string) => void): Promise<void> {
  const { db, object, stop } = await startObjectHost();
  try {
    value(await migrate(db, readMigrations()));
    const calls = await typicalCalls(storesOn(db));
    // The first call of an hour and of a model writes more.
    for (let at = 0; at < 40; at += 1) await (await calls.admit(at))();
    await object.takeWritten();
    const settle = await calls.admit(20);
    sayRows("an admission", await object.takeWritten(), say);
    await settle();
    sayRows("a settlement", await object.takeWritten(), say);
  } finally {
    await stop();
  }
}
