/** A libSQL database in a temporary file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@libsql/client";
import { openLibsql, type DatabaseOptions } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import { value, type Backend, type Opened } from "../contract/store/open.ts";
import { memoryFolder } from "./memory-folder.ts";
import { readMigrations } from "./migrations.ts";

/** Two connections to one file collide at once without a timeout: most calls would fail. */
const timeout = 5_000;

const connect = (path: string, options: DatabaseOptions = {}): Opened => {
  const client = createClient({ url: `file:${path}`, timeout });
  return {
    db: openLibsql(client, options),
    close: async () => client.close(),
  };
};

/** A database in a folder of its own, which goes with it. */
function openFresh(path: string): Opened {
  const { db, close } = connect(path);
  return {
    db,
    async close() {
      await close();
      rmSync(dirname(path), { recursive: true });
    },
  };
}

const freshPath = (): string =>
  join(mkdtempSync(join(memoryFolder(), "sampling-router-")), "database.sqlite");

const migrations = readMigrations();

async function migratedFile(): Promise<Buffer> {
  const path = freshPath();
  const { db, close } = connect(path);
  value(await migrate(db, migrations));
  await close();
  const bytes = readFileSync(path);
  rmSync(dirname(path), { recursive: true });
  return bytes;
}

/** The migrations run once in a process; every other database is a copy of that one's file. */
let migrated: Promise<Buffer> | undefined;

export function fileBackend(): Backend {
  let path = "";
  return {
    name: "libSQL file",
    migrations,
    async open() {
      path = freshPath();
      return openFresh(path);
    },
    async openMigrated() {
      migrated ??= migratedFile();
      path = freshPath();
      writeFileSync(path, await migrated);
      return openFresh(path);
    },
    again: async (options) => connect(path, options),
  };
}
