import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type Client } from "@libsql/client/http";
import { err, ok, type Result } from "../domain/result.ts";
import { openLibsql, type Database } from "../store/db.ts";
import {
  madeByUnreleased,
  migrate,
  takesAway,
  unknownMigrations,
  type Migration,
} from "../store/migrations.ts";
import type { LibsqlDatabase } from "./settings.ts";

export const readMigrations = (checkout: string): Migration[] =>
  readdirSync(join(checkout, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(checkout, "migrations", name), "utf8") }));

export const connect = ({ url, authToken }: LibsqlDatabase): Client =>
  createClient(authToken === null ? { url } : { url, authToken });

/** Without the URL, which may contain a secret. */
export const nameOf = ({ url }: LibsqlDatabase): string => `DATABASE_URL: ${new URL(url).host}`;

const tries = 4;
const pauseMs = 500;

const newer = (where: string, names: readonly string[]): Result<never, string> =>
  err(
    `${where} is from a newer version: ${names.join(", ")} removed what this version uses; start the newer version, or restore an older copy`,
  );

export const unreleased = (where: string): string =>
  `${where} was made by an unreleased version, which this version can't open; start with an empty STATE_DIR or database`;

/** `where` names the database without secrets. Returns the applied names. */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  where: string,
): Promise<Result<string[], string>> {
  const applied: string[] = [];
  for (let left = tries; ; left -= 1) {
    const foreign = await madeByUnreleased(db);
    if (foreign.ok && foreign.value) return err(unreleased(where));
    const unknown = foreign.ok ? await unknownMigrations(db, migrations) : foreign;
    const lost = unknown.ok ? unknown.value.filter(takesAway) : [];
    if (lost.length > 0) return newer(where, lost);
    const done = await migrate(db, migrations);
    if (done.ok) return ok([...applied, ...done.value]);
    if (left <= 1) return err(`${where} does not answer, or refuses the migrations`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** The server forwards SQLite's message. */
async function isCorrupted(client: Client): Promise<boolean> {
  try {
    await client.execute("select count(*) from sqlite_master");
    return false;
  } catch (cause) {
    return /malformed|not a database|SQLITE_CORRUPT|SQLITE_NOTADB/i.test(String(cause));
  }
}

/** Over HTTP, like the Worker. */
export async function migrateLibsql(
  database: LibsqlDatabase,
  migrations: readonly Migration[],
): Promise<Result<string[], string>> {
  const client = connect(database);
  try {
    const applied = await applyMigrations(openLibsql(client), migrations, nameOf(database));
    if (applied.ok || !(await isCorrupted(client))) return applied;
    return err(`${nameOf(database)}: the database is corrupted; restore a copy of it`);
  } finally {
    client.close();
  }
}
