/** Whether the embedded database can be read, before it is opened. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../domain/result.ts";
import { firstHash, isUnreleased, migrationTables, type Migration } from "../store/migrations.ts";
import { unreleased } from "./migrations.ts";
import { commandLine } from "./called.ts";
import { nodeSqlite } from "./node-sqlite.ts";
import { schemaFault } from "./own-schema.ts";

/** Bytes up to which a whole database is checked, which takes a second or two. */
const wholeBytes = 256 * 1024 * 1024;

// SQLITE_CORRUPT and SQLITE_NOTADB.
const damagedCodes = new Set([11, 26]);
const isDamaged = (cause: unknown): boolean =>
  cause instanceof Error &&
  "errcode" in cause &&
  // The lowest byte of an extended code.
  damagedCodes.has(Number(cause.errcode) & 0xff);

function isOfUnreleased(database: DatabaseSync): boolean {
  const tables = database
    .prepare(migrationTables)
    .all()
    .map(({ name }) => name);
  const first = tables.includes("migrations") ? database.prepare(firstHash).get() : undefined;
  return isUnreleased(tables, first?.["hash"]);
}

/**
 * Read-only, so that a rejected database stays unchanged.
 * @param migrations `null` for Durable Objects
 */
async function refusalOf(
  path: string,
  open: typeof DatabaseSync,
  migrations: readonly Migration[] | null,
): Promise<string | null> {
  const database = new open(path, { readOnly: true });
  try {
    if (isOfUnreleased(database)) return unreleased(`the database ${path}`);
    const foreign = migrations === null ? null : await schemaFault(database, migrations);
    return foreign === null
      ? null
      : `the database ${path} was not created by the router as it is: ${foreign}; restore a backup (${commandLine("restore", "FILE --force")}), or remove what was added`;
  } finally {
    database.close();
  }
}

/** Only while nothing else has it open. */
export async function checkEmbedded(
  folder: string,
  migrations: readonly Migration[] | null,
): Promise<Result<null, string>> {
  if (!existsSync(folder)) return ok(null);
  const Sqlite = await nodeSqlite();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of names.filter((each) => each.endsWith(".sqlite"))) {
    const path = join(folder, name);
    const damaged = err(
      `the embedded database is corrupted: ${path}; restore a backup (${commandLine("restore", "FILE --force")}), or remove STATE_DIR to start with an empty one`,
    );
    try {
      const refused = await refusalOf(path, Sqlite, migrations);
      if (refused !== null) return err(refused);
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
