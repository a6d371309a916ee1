/** A process that owns a database's file, writes ten times a second, and prints what became of each write. */
import { flushCompileCache } from "node:module";
import { sql } from "drizzle-orm";
import { raw } from "../../src/store/db.ts";
import { startEmbedded } from "../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { databaseThread } from "../setup/engine.ts";

const [path = ""] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const engine = await startEmbedded({ path, thread: databaseThread, memoryLedger: null });
// Written now: a process that is killed writes nothing at its end.
flushCompileCache();
if (!engine.ok) {
  say(engine.error);
  process.exit(1);
}
const db = openOverEngine(engine.value);
await db.write([raw(sql`create table if not exists t (text text)`)]);
for (;;) {
  const insert = raw(sql`insert into t values (${"x".repeat(20_000)})`);
  const fault = await db.probe(insert, 2_000);
  const refused = fault === null ? null : await db.write([insert]);
  say(fault === null ? "written" : `${fault} ${JSON.stringify(refused)}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
