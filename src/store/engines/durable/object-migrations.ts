import {
  migrationsTable,
  firstHash,
  hashOf,
  isUnreleased,
  migrationTables,
  statementsIn,
  type Migration,
} from "../../migrations.ts";
import type { ObjectSql } from "./object-sql.ts";

const tablesIn = (sql: ObjectSql): unknown[] => sql.all(migrationTables, []).map(([name]) => name);

export const hasTables = (sql: ObjectSql): boolean => tablesIn(sql).length > 0;

export function madeByUnreleased(sql: ObjectSql): boolean {
  const tables = tablesIn(sql);
  return isUnreleased(
    tables,
    tables.includes("migrations") ? sql.all(firstHash, [])[0]?.[0] : null,
  );
}

const appliedIn = (sql: ObjectSql): Set<unknown> =>
  new Set(hasTables(sql) ? sql.all("select name from migrations", []).map(([name]) => name) : []);

export function lacksMigrations(sql: ObjectSql, migrations: readonly Migration[]): boolean {
  const applied = appliedIn(sql);
  return migrations.some(({ name }) => !applied.has(name));
}

export function migrateObject(sql: ObjectSql, migrations: readonly Migration[]): void {
  const applied = appliedIn(sql);
  if (applied.size === 0) sql.change(migrationsTable, []);
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    const { name } = migration;
    sql.change("insert into migrations (name, hash) values (?, ?)", [name, hashOf(name)]);
    for (const text of statementsIn(migration)) sql.change(text, []);
  }
}
