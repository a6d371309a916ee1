/**
 * Copies rows of a foreign database file into a freshly migrated database. No SQL of that file runs: its schema
 * must equal the router's, and rows travel as bound values.
 */
import { open } from "node:fs/promises";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { err, ok, type Result } from "../domain/result.ts";
import type { Migration } from "../store/migrations.ts";
import { openLocally } from "../store/engines/embedded/local.ts";
import { applyMigrations } from "./migrations.ts";
import { nodeSqlite } from "./node-sqlite.ts";
import { ownMigrations, schemaOf } from "./own-schema.ts";

const sqliteHeader = "SQLite format 3\0";

/** Throws errors of `node:fs`. */
async function isDatabaseFile(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(sqliteHeader.length), 0);
    return buffer.toString("latin1") === sqliteHeader;
  } finally {
    await file.close();
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function namesIn(database: DatabaseSync, sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => String(name));
}

/** A letter per storage class, then the values; texts as bytes, since the driver cuts them at NUL. */
const readingOf = (table: string, columns: readonly string[]): string => `
  select ${columns.map((name) => `substr(typeof(${name}), 1, 1)`).join(" || ")},
    ${columns.map((name) => `iif(typeof(${name}) = 'text', cast(${name} as blob), ${name})`).join(", ")}
  from ${table} not indexed`;

/** The driver binds empty bytes as null. */
const placeOf = (kind: string, value: SQLOutputValue): string => {
  if (value instanceof Uint8Array && value.length === 0) return kind === "t" ? "''" : "x''";
  return kind === "t" ? "cast(? as text)" : "?";
};

/** One prepared statement per combination of storage classes. */
function inserterInto(to: DatabaseSync, table: string, columns: readonly string[]) {
  const statements = new Map<string, StatementSync>();
  return (kinds: string, values: readonly SQLOutputValue[]): void => {
    const places = values.map((value, at) => placeOf(kinds.charAt(at), value)).join(", ");
    const statement =
      statements.get(places) ??
      to.prepare(`insert into ${table} (${columns.join(", ")}) values (${places})`);
    statements.set(places, statement);
    statement.run(...values.filter((value) => !(value instanceof Uint8Array) || value.length > 0));
  };
}

function copyTable(from: DatabaseSync, to: DatabaseSync, name: string): void {
  const table = quoted(name);
  const columns = namesIn(to, `select name from pragma_table_info('${name}')`).map(quoted);
  to.exec(`delete from ${table}`);
  const insert = inserterInto(to, table, columns);
  const reading = from.prepare(readingOf(table, columns));
  reading.setReadBigInts(true);
  reading.setReturnArrays(true);
  for (const row of reading.iterate() as Iterable<unknown>) {
    const [kinds, ...values] = row as SQLOutputValue[];
    insert(String(kinds), values);
  }
}

/** The last one holds the counters of `autoincrement`. */
const tablesOf = (database: DatabaseSync): string[] => [
  ...schemaOf(database).flatMap(({ type, name }) =>
    type === "table" && !name.startsWith("sqlite_") ? [name] : [],
  ),
  "sqlite_sequence",
];

/** Throws SQLite's errors. */
async function copyRows(from: DatabaseSync, path: string): Promise<void> {
  const Sqlite = await nodeSqlite();
  const to = new Sqlite(path);
  try {
    to.exec("pragma synchronous = off; begin");
    for (const table of tablesOf(to)) copyTable(from, to, table);
    to.exec("commit; pragma wal_checkpoint(truncate)");
  } finally {
    to.close();
  }
}

function damageOf(database: DatabaseSync): string | null {
  const [found] = database.prepare("pragma integrity_check(1)").all();
  const answer = String(Object.values(found ?? {})[0]);
  return answer === "ok" ? null : `it is damaged: ${answer}`;
}

export async function takeForeignDatabase(
  from: string,
  { path, migrations }: { path: string; migrations: readonly Migration[] },
): Promise<Result<null, string>> {
  if (!(await isDatabaseFile(from))) return err("it isn't a SQLite database");
  const Sqlite = await nodeSqlite();
  const source = new Sqlite(from, { readOnly: true, allowExtension: false });
  try {
    source.exec("pragma trusted_schema = off; pragma cell_size_check = on");
    // One snapshot for checks and copy.
    source.exec("begin");
    const own = await ownMigrations(source, migrations);
    if (!own.ok) return own;
    // After the schema, since it runs check constraints.
    const damage = damageOf(source);
    if (damage !== null) return err(damage);
    const made = openLocally(path, "writes");
    try {
      const applied = await applyMigrations(made.db, own.value, "the copy");
      if (!applied.ok) return applied;
    } finally {
      made.close();
    }
    await copyRows(source, path);
    return ok(null);
  } finally {
    source.close();
  }
}
