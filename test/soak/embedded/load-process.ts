/**
 * The engine under load, until the process is killed. Each line has the answer that a caller got, and how long
 * the disk's log was by then. Arguments: the file, the caller as JSON, how many at once, the log (or none),
 * pragmas.
 */
import { statSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { keepRecordMark } from "../../../src/start/lost-records.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import type { Caller } from "../../contract/store/fixtures.ts";
import { startEngine } from "../../setup/engine.ts";
import { ledgerCall } from "./ledger-load.ts";

const [path = "", who = "", callers, log = "", ...pragmas] = process.argv.slice(2);
const engine = await startEngine(path, pragmas);
const db = openOverEngine(engine);
keepRecordMark(engine, path);
const at = (): number => (log === "" ? 0 : (statSync(log, { throwIfNoEntry: false })?.size ?? 0));
// A pipe is written at once: what is killed now has said so before.
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
// Written now: a process that is killed writes nothing at its end.
flushCompileCache();
say({ id: "", what: "begun", at: at() });
await Promise.all(
  Array.from({ length: Number(callers) }, async () => {
    for (;;)
      await ledgerCall(db, JSON.parse(who) as Caller, ({ id, what }) =>
        say({ id, what, at: at() }),
      );
  }),
);
