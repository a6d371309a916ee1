/** Whether the embedded database can be read at all, before it is opened. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../domain/result.ts";
import { firstHash, isUnreleased, migrationTables } from "../store/migrations.ts";
import { unreleased } from "./migrations.ts";
import { commandLine } from "./called.ts";
import { nodeSqlite } from "./node-sqlite.ts";

/** All of a database up to this size is looked at, which takes a second or two; of a larger one its tables' list. */
const wholeBytes = 256 * 1024 * 1024;

// SQLite's SQLITE_CORRUPT and SQLITE_NOTADB.
const damagedCodes = new Set([11, 26]);
const isDamaged = (cause: unknown): boolean =>
  cause instanceof Error &&
  "errcode" in cause &&
  // An extended code has its kind in the lowest byte.
  damagedCodes.has(Number(cause.errcode) & 0xff);

/** Read-only, so that a database that is refused keeps every byte. */
function isOfUnreleased(path: string, open: typeof DatabaseSync): boolean {
  const database = new open(path, { readOnly: true });
  try {
    const tables = database
      .prepare(migrationTables)
      .all()
      .map(({ name }) => name);
    const first = tables.includes("migrations") ? database.prepare(firstHash).get() : undefined;
    return isUnreleased(tables, first?.["hash"]);
  } finally {
    database.close();
  }
}

/** Only while nobody else has it open. */
export async function checkEmbedded(folder: string): Promise<Result<null, string>> {
  if (!existsSync(folder)) return ok(null);
  const Sqlite = await nodeSqlite();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of names.filter((each) => each.endsWith(".sqlite"))) {
    const path = join(folder, name);
    const damaged = err(
      `the embedded database is corrupted: ${path}; restore a backup (${commandLine("restore", "FILE --force")}), or remove STATE_DIR to start with an empty one`,
    );
    try {
      if (isOfUnreleased(path, Sqlite)) return err(unreleased(`the database ${path}`));
      const database = new Sqlite(path);
      try {
        const check = statSync(path).size > wholeBytes ? "schema_version" : "quick_check(1)";
        const [row] = database.prepare(`pragma ${check}`).all();
        database.prepare("select count(*) from sqlite_master").get();
        if (check !== "schema_version" && Object.values(row ?? {})[0] !== "ok") return damaged;
      } finally {
        database.close();
      }
    } catch (cause) {
      if (!isDamaged(cause)) throw cause;
      return damaged;
    }
  }
  return ok(null);
}
