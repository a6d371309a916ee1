/** The migrations folder, applied to the embedded database or to a libSQL server. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { err, ok, type Result } from "../domain/result.ts";
import { openLibsql, type Database } from "../store/db.ts";
import { migrate, type Migration } from "../store/migrations.ts";

export const readMigrations = (checkout: string): Migration[] =>
  readdirSync(join(checkout, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(checkout, "migrations", name), "utf8") }));

const tries = 4;
const pauseMs = 500;

/** `where` says which database, without its secrets. The names that were applied here. */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  where: string,
): Promise<Result<string[], string>> {
  const applied: string[] = [];
  for (let left = tries; ; left -= 1) {
    const done = await migrate(db, migrations);
    if (done.ok) return ok([...applied, ...done.value]);
    if (left <= 1) return err(`${where} does not answer, or refuses the migrations`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Over HTTP as the Worker does it, so that what works here works there. */
export async function migrateLibsql(
  database: { url: string; authToken: string | undefined },
  migrations: readonly Migration[],
): Promise<Result<string[], string>> {
  const client = createClient({
    url: database.url,
    ...(database.authToken !== undefined && { authToken: database.authToken }),
  });
  try {
    const host = new URL(database.url).host;
    return await applyMigrations(openLibsql(client), migrations, `DATABASE_URL: ${host}`);
  } finally {
    client.close();
  }
}
