/** A database for each test, on the embedded engine in the test's own thread: for tests that are not about the engine. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseOptions } from "../../src/store/db.ts";
import type { EmbeddedEngine } from "../../src/store/engines/embedded/engine.ts";
import { migrate } from "../../src/store/migrations.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { value, type Backend, type Opened } from "../contract/store/open.ts";
import { startInline } from "./inline-engine.ts";
import { memoryFolder } from "./memory-folder.ts";
import { readMigrations } from "./migrations.ts";

const freshPath = (): string =>
  join(mkdtempSync(join(memoryFolder(), "sampling-router-")), "database.sqlite");

/** No test of these is about the disk, and a sync takes longer than all else. */
const start = (path: string): EmbeddedEngine => startInline(path, ["synchronous = OFF"]);

const migrations = readMigrations();

async function migratedFile(): Promise<Buffer> {
  const path = freshPath();
  const engine = start(path);
  value(await migrate(openOverEngine(engine), migrations));
  await engine.close();
  const bytes = readFileSync(path);
  rmSync(dirname(path), { recursive: true });
  return bytes;
}

/** The migrations run once in a process; every other database is a copy of that one's file. */
let migrated: Promise<Buffer> | undefined;

export function inlineBackend(): Backend {
  let current: EmbeddedEngine | undefined;
  /** The engine is the only writer, so every further connection to its database is the engine's own. */
  const connect = (options?: DatabaseOptions): Opened => {
    if (current === undefined) throw new Error("no database is open");
    return { db: openOverEngine(current, options), close: async () => {} };
  };
  const openAt = (path: string): Opened => {
    const engine = start(path);
    current = engine;
    return {
      ...connect(),
      async close() {
        await engine.close();
        rmSync(dirname(path), { recursive: true });
      },
    };
  };
  return {
    name: "embedded engine, inline",
    migrations,
    histories: 12,
    open: async () => openAt(freshPath()),
    async openMigrated() {
      migrated ??= migratedFile();
      const path = freshPath();
      writeFileSync(path, await migrated);
      return openAt(path);
    },
    again: async (options) => connect(options),
  };
}
