/** Migrations inside of a Durable Object, in the transaction of whoever calls. */
import { statementsIn, type Migration } from "../migrations.ts";
import type { ObjectSql } from "./object-sql.ts";

const table = "d1_migrations";

export const hasTables = (sql: ObjectSql): boolean =>
  sql.all(`select 1 from sqlite_master where type = 'table' and name = '${table}'`, []).length > 0;

/** Applies the migrations that are not applied yet. */
export function migrateObject(sql: ObjectSql, migrations: readonly Migration[]): void {
  const applied = new Set(
    hasTables(sql) ? sql.all(`select name from ${table}`, []).map(([name]) => name) : [],
  );
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
