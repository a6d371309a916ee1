/** Migrations inside of a Durable Object, in the transaction of whoever calls. */
import { statementsIn, type Migration } from "../migrations.ts";
import type { ObjectSql } from "./object-sql.ts";

const table = "d1_migrations";

export const hasTables = (sql: ObjectSql): boolean =>
  sql.all(`select 1 from sqlite_master where type = 'table' and name = '${table}'`, []).length > 0;

const appliedIn = (sql: ObjectSql): Set<unknown> =>
  new Set(hasTables(sql) ? sql.all(`select name from ${table}`, []).map(([name]) => name) : []);

/** Whether `migrateObject` would apply anything. */
export function lacksMigrations(sql: ObjectSql, migrations: readonly Migration[]): boolean {
  const applied = appliedIn(sql);
  return migrations.some(({ name }) => !applied.has(name));
}

/** Applies the migrations that are not applied yet. */
export function migrateObject(sql: ObjectSql, migrations: readonly Migration[]): void {
  const applied = appliedIn(sql);
  if (applied.size === 0)
    sql.change(
      `create table if not exists ${table} (id integer primary key autoincrement, name text unique,
        applied_at timestamp default current_timestamp not null)`,
      [],
    );
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    sql.change(`insert into ${table} (name) values (?)`, [migration.name]);
    for (const text of statementsIn(migration)) sql.change(text, []);
  }
}
