/**
 * Takes the rows of a database file from elsewhere into a database that this version's migrations make. No statement
 * of that file is run: its schema has to be the router's own, and its rows travel as bound values.
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

/** Throws as `node:fs` does. */
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

/** How a row's values are stored, a letter each, then the values; texts as bytes, since the driver cuts them at a NUL. */
const readingOf = (table: string, columns: readonly string[]): string => `
  select ${columns.map((name) => `substr(typeof(${name}), 1, 1)`).join(" || ")},
    ${columns.map((name) => `iif(typeof(${name}) = 'text', cast(${name} as blob), ${name})`).join(", ")}
  from ${table} not indexed`;

/** What is written for each storage class. The driver binds bytes without length as null. */
const placeOf = (kind: string, value: SQLOutputValue): string => {
  if (value instanceof Uint8Array && value.length === 0) return kind === "t" ? "''" : "x''";
  return kind === "t" ? "cast(? as text)" : "?";
};

/** Inserts rows as they are stored, with one prepared statement for each combination of storage classes. */
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

/** Names of a fresh database's own tables; the last one has the counters of `autoincrement`. */
const tablesOf = (database: DatabaseSync): string[] => [
  ...schemaOf(database).flatMap(({ type, name }) =>
    type === "table" && !name.startsWith("sqlite_") ? [name] : [],
  ),
  "sqlite_sequence",
];

/** Throws as SQLite does. */
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
  const said = String(Object.values(found ?? {})[0]);
  return said === "ok" ? null : `it is damaged: ${said}`;
}

/** Writes the rows of the file `from` into a new database at `path`, which the file's migrations make. */
export async function takeForeignDatabase(
  from: string,
  { path, migrations }: { path: string; migrations: readonly Migration[] },
): Promise<Result<null, string>> {
  if (!(await isDatabaseFile(from))) return err("it is no SQLite database");
  const Sqlite = await nodeSqlite();
  const source = new Sqlite(from, { readOnly: true, allowExtension: false });
  try {
    source.exec("pragma trusted_schema = off; pragma cell_size_check = on");
    // One transaction, so that what was looked at is what is copied.
    source.exec("begin");
    const own = await ownMigrations(source, migrations);
    if (!own.ok) return own;
    // After the schema: a check constraint runs here.
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
