/**
 * Applies and checks migrations. The table has the name that wrangler gave it where databases were D1: files of
 * that time are opened still.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import { sql } from "drizzle-orm";
import type { Readiness, WriteFault } from "../domain/ports/readiness.ts";
import { ok } from "../domain/result.ts";
import { raw, type Compiled, type Database } from "./db.ts";

export interface Migration {
  /** the file's name, such as `0000_house.sql` */
  name: string;
  sql: string;
}

/**
 * Of a migration that takes away or changes what the version before uses. All others only add, and a test holds them to
 * that: the version before works on with them, and may come back.
 */
export const takesAway = (name: string): boolean => /_contract[_.]/.test(name);

const separator = "--> statement-breakpoint";

/** The table of applied migrations, as it is made before the first of them. */
export const migrationsTable = `
  create table if not exists d1_migrations (
    id integer primary key autoincrement,
    name text unique,
    applied_at timestamp default current_timestamp not null)`;

const statement = (text: string): Compiled => ({ toSQL: () => ({ sql: text, params: [] }) });
const table = statement(migrationsTable);

export const statementsIn = (migration: Migration): string[] =>
  migration.sql
    .split(separator)
    .map((text) => text.trim())
    .filter((text) => text !== "");

async function appliedOf(db: Database): AsyncResult<string[]> {
  const rows = await db.write([table, raw(sql`select name from d1_migrations order by id`)]);
  return rows.ok ? ok((rows.value[1] ?? []).map((row) => String(row["name"]))) : rows;
}

/** Names of migrations that the database has and this version does not: a newer version applied them. */
export async function unknownMigrations(
  db: Database,
  known: readonly Migration[],
): AsyncResult<string[]> {
  const applied = await appliedOf(db);
  if (!applied.ok) return applied;
  const names = new Set(known.map(({ name }) => name));
  return ok(applied.value.filter((name) => !names.has(name)));
}

/**
 * Applies migrations. Each one is a transaction whose first statement claims the migration's unique
 * name: of two migrators at once, one applies it and the other finds it applied. Returns the names of
 * those applied here.
 */
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
      raw(sql`insert into d1_migrations (name) values (${migration.name})`),
      ...statementsIn(migration).map(statement),
    ]);
    if (written.ok) done.push(migration.name);
    else if (written.error.reason !== "conflict") return written;
  }
  return ok(done);
}

/** @param probe says why no write succeeds; absent: writes are not checked */
export const createReadiness = (
  db: Database,
  expected: readonly string[],
  probe?: () => Promise<WriteFault | null>,
): Readiness => ({
  async check() {
    const rows = await db.read(async (builder) => {
      // A database that was never migrated answers too: it lacks every migration.
      const there = await builder.all(
        sql`select 1 from sqlite_master where type = 'table' and name = 'd1_migrations'`,
      );
      if (there.length === 0) return [];
      return builder.all<{ name: string }>(sql`select name from d1_migrations`);
    });
    if (!rows.ok) return rows;
    const applied = new Set(rows.value.map(({ name }) => name));
    const missingMigrations = expected.filter((name) => !applied.has(name));
    const fault = missingMigrations.length === 0 ? ((await probe?.()) ?? null) : null;
    return ok({
      missingMigrations,
      ...(fault !== null && { writesFail: [{ shard: null, fault }] }),
    });
  },
});
