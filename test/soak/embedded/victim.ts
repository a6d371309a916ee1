/** A database under load in a process of its own, and what that process printed before the kill. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { migrate } from "../../../src/store/migrations.ts";
import { openLocally } from "../../../src/store/engines/embedded/local.ts";
import type { Caller } from "../../contract/store/fixtures.ts";
import { value } from "../../contract/store/open.ts";
import { diskEnvironment } from "../../fakes/disk.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { loadCaller, type Told } from "./ledger-load.ts";
import { fromSource } from "../../setup/from-source.ts";

const program = fileURLToPath(new URL("load-process.ts", import.meta.url));
/** Often, so that a kill falls into the middle of a checkpoint. */
const checkpoints = "wal_autocheckpoint = 60";

/** `at`: length of the disk's log when the caller got its answer. */
export type Line = Told & { at: number };

export interface Victim {
  lines: Line[];
  /** resolves with the first line */
  answered: Promise<void>;
  signal(name: NodeJS.Signals): void;
  kill9(): Promise<void>;
}

/** A migrated file with one caller in it, closed. */
export async function prepare(path: string): Promise<Caller> {
  const opened = openLocally(path, "writes");
  value(await migrate(opened.db, readMigrations()));
  const who = await loadCaller(opened.db);
  opened.close();
  return who;
}

export async function startVictim(about: {
  path: string;
  who: Caller;
  callers: number;
  /** the disk's log; null: the real disk */
  log: string | null;
  pragmas?: readonly string[];
}): Promise<Victim> {
  const { path, who, callers, log, pragmas = [] } = about;
  const child = spawn(
    process.execPath,
    [program, path, JSON.stringify(who), String(callers), log ?? "", checkpoints, ...pragmas],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...fromSource, ...(log !== null && diskEnvironment({ path, log })) },
    },
  );
  const lines: Line[] = [];
  const began = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const input = createInterface({ input: child.stdout });
  input.on("line", (line) => {
    const said = JSON.parse(line) as Line | { what: "begun" };
    if (said.what === "begun") began.resolve();
    else {
      lines.push(said);
      answered.resolve();
    }
  });
  const heard = once(input, "close");
  child.on("exit", () => began.reject(new Error("the loaded process ended by itself")));
  await began.promise;
  return {
    lines,
    answered: answered.promise,
    signal: (name) => void child.kill(name),
    async kill9() {
      child.kill("SIGKILL");
      await heard;
    },
  };
}
