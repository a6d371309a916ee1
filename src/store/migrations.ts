import hashes from "../../migrations/meta/hashes.json" with { type: "json" };
import type { AsyncResult } from "../domain/refusals.ts";
import { sql } from "drizzle-orm";
import type { Readiness, WriteFault } from "../domain/ports/readiness.ts";
import { err, mapped, ok } from "../domain/result.ts";
import { raw, unreleasedRetryAfterMs, type Compiled, type Database } from "./db.ts";

export interface Migration {
  name: string;
  sql: string;
}

/** All other migrations only add, which a test enforces, so that the previous release can run with them. */
export const takesAway = (name: string): boolean => /_contract[_.]/.test(name);

const separator = "--> statement-breakpoint";

/** Hex SHA-256 of the file; empty for migrations without a file, as in tests. */
export const hashOf = (name: string): string =>
  Object.entries(hashes).find(([file]) => file === name)?.[1] ?? "";

export const migrationsTable = `create table if not exists migrations (
  id integer primary key autoincrement,
  name text unique,
  hash text not null,
  applied_at timestamp default current_timestamp not null)`;

/** No released version has the table `d1_migrations`. */
export const migrationTables =
  "select name from sqlite_master where type = 'table' and name in ('migrations', 'd1_migrations')";
export const firstHash = "select hash from migrations order by id limit 1";

/**
 * Judged by the first migration.
 * @param tables the result of `migrationTables`
 * @param first the result of `firstHash`
 */
export const isUnreleased = (tables: readonly unknown[], first: unknown): boolean =>
  tables.includes("d1_migrations") ||
  (first !== null && first !== undefined && first !== hashOf("0000_baseline.sql"));

/** Read-only, so a refused database stays unchanged. */
export async function madeByUnreleased(db: Database): AsyncResult<boolean> {
  return db.read(async (builder) => {
    const tables = (await builder.all<{ name: string }>(sql.raw(migrationTables))).map(
      ({ name }) => name,
    );
    const [first] = tables.includes("migrations")
      ? await builder.all<{ hash: string }>(sql.raw(firstHash))
      : [];
    return isUnreleased(tables, first?.hash);
  });
}

const statement = (text: string): Compiled => ({ toSQL: () => ({ sql: text, params: [] }) });
const table = statement(migrationsTable);

export const statementsIn = (migration: Migration): string[] =>
  migration.sql
    .split(separator)
    .map((text) => text.trim())
    .filter((text) => text !== "");

const appliedOf = (db: Database): AsyncResult<string[]> =>
  mapped(db.write([table, raw(sql`select name from migrations order by id`)]), (rows) =>
    (rows[1] ?? []).map((row) => String(row["name"])),
  );

export async function unknownMigrations(
  db: Database,
  known: readonly Migration[],
): AsyncResult<string[]> {
  const applied = await appliedOf(db);
  if (!applied.ok) return applied;
  const names = new Set(known.map(({ name }) => name));
  return ok(applied.value.filter((name) => !names.has(name)));
}

/** Each migration is a transaction that first claims its unique name, so concurrent runs apply it once. */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
): AsyncResult<string[]> {
  const done: string[] = [];
  for (const migration of migrations) {
    const applied = await appliedOf(db);
    if (!applied.ok) return applied;
    if (applied.value.includes(migration.name)) continue;
    const written = await db.write([
      raw(
        sql`insert into migrations (name, hash) values (${migration.name}, ${hashOf(migration.name)})`,
      ),
      ...statementsIn(migration).map(statement),
    ]);
    if (written.ok) done.push(migration.name);
    else if (written.error.reason !== "conflict") return written;
  }
  return ok(done);
}

export const createReadiness = (
  db: Database,
  expected: readonly string[],
  probe?: () => Promise<WriteFault | null>,
): Readiness => ({
  async check() {
    const unreleased = await madeByUnreleased(db);
    if (!unreleased.ok) return unreleased;
    if (unreleased.value)
      return err({
        reason: "unavailable",
        retryAfterMs: unreleasedRetryAfterMs,
        cause: "unreleased",
      });
    const rows = await db.read(async (builder) => {
      // A database that was never migrated lacks every migration.
      const tables = await builder.all(sql.raw(migrationTables));
      if (tables.length === 0) return [];
      return builder.all<{ name: string }>(sql`select name from migrations`);
    });
    if (!rows.ok) return rows;
    const applied = new Set(rows.value.map(({ name }) => name));
    const missingMigrations = expected.filter((name) => !applied.has(name));
    const fault = missingMigrations.length === 0 ? ((await probe?.()) ?? null) : null;
    return ok({
      missingMigrations,
      ...(fault !== null && { writeFault: fault }),
    });
  },
});
