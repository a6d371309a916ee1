/**
 * Checks that a database file has exactly this version's tables and indexes. Triggers, views, generated
 * columns, and check constraints are code, which libSQL's shell functions let write files, so the schema is
 * first read as data by SQLite without them.
 */
import type { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../domain/result.ts";
import { migrationsTable, statementsIn, type Migration } from "../store/migrations.ts";
import { nodeSqlite } from "./node-sqlite.ts";

export interface SchemaObject {
  type: string;
  name: string;
  /** `null` for implicit indexes */
  sql: string | null;
}

// As blobs, since the driver cuts texts at NUL.
const listed = `select cast(type as blob) as type, cast(name as blob) as name, cast(sql as blob) as sql
  from sqlite_master`;

/** Created by `analyze`, harmless. */
const statistics = new Map([
  ["sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"],
  ["sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"],
]);

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "";

/** Throws SQLite's errors. */
export const schemaOf = (database: DatabaseSync): SchemaObject[] =>
  database
    .prepare(listed)
    .all()
    .map(({ type, name, sql }) => ({
      type: textOf(type),
      name: textOf(name),
      sql: sql === null ? null : textOf(sql),
    }));

const keyOf = ({ type, name }: SchemaObject): string => `${type} ${name}`;

/** The first object that differs. */
export function schemaDifference(
  found: readonly SchemaObject[],
  expected: readonly SchemaObject[],
): string | null {
  const left = new Map(expected.map((each) => [keyOf(each), each.sql]));
  for (const object of found) {
    const key = keyOf(object);
    if (object.type === "table" && statistics.get(object.name) === object.sql) continue;
    const sql = left.get(key);
    if (sql === undefined) return `${JSON.stringify(key)} is not part of the router's schema`;
    if (sql !== object.sql) return `${JSON.stringify(key)} differs from the router's definition`;
    left.delete(key);
  }
  const [missing] = left.keys();
  return missing === undefined ? null : `${JSON.stringify(missing)} is missing`;
}

/** Call only after the schema was checked. */
const appliedTo = (database: DatabaseSync): string[] =>
  database
    .prepare("select cast(name as blob) as name from migrations not indexed order by id")
    .all()
    .map(({ name }) => textOf(name));

const unknownName = (names: readonly string[], migrations: readonly Migration[]) =>
  names.find((name) => !migrations.some((each) => each.name === name));

export async function ownMigrations(
  database: DatabaseSync,
  migrations: readonly Migration[],
): Promise<Result<Migration[], string>> {
  const Sqlite = await nodeSqlite();
  const found = schemaOf(database);
  const table = found.find(({ type, name }) => type === "table" && name === "migrations");
  if (table === undefined) return err("it has no tables of the router");
  const model = new Sqlite(":memory:");
  try {
    model.exec(migrationsTable);
    const [own] = schemaOf(model);
    if (own?.sql !== table.sql) return err("its list of migrations is not the router's");
    const names = appliedTo(database);
    const unknown = unknownName(names, migrations);
    if (unknown !== undefined)
      return err(
        `this version has no migration ${JSON.stringify(unknown)}: use the version that made it`,
      );
    const applied = migrations.filter(({ name }) => names.includes(name));
    for (const migration of applied) for (const sql of statementsIn(migration)) model.exec(sql);
    const difference = schemaDifference(found, schemaOf(model));
    return difference === null ? ok(applied) : err(difference);
  } finally {
    model.close();
  }
}

/** Read-only. Throws SQLite's errors. */
export async function checkOwnSchema(
  path: string,
  migrations: readonly Migration[],
): Promise<Result<Migration[], string>> {
  const Sqlite = await nodeSqlite();
  const database = new Sqlite(path, { readOnly: true });
  try {
    return await ownMigrations(database, migrations);
  } finally {
    database.close();
  }
}

/** Parts of libSQL functions that reach beyond the database; quoting doesn't change the letters. */
const reaching = ["readfile", "writefile", "sqlite3mc", "sqlite_crypt", "lsmode", "load_extension"];

const runsCode = ({ type, sql }: SchemaObject): boolean => {
  const text = (sql ?? "").toLowerCase();
  return (
    !["table", "index"].includes(type) ||
    text.startsWith("create virtual") ||
    reaching.some((name) => text.includes(name))
  );
};

/** The first object that could run code. */
const codeAmong = (found: readonly SchemaObject[]): string | null => {
  const code = found.find(runsCode);
  return code === undefined
    ? null
    : `${JSON.stringify(keyOf(code))} is not part of the router's schema`;
};

/** Read-only. Throws SQLite's errors. */
export async function codeIn(path: string): Promise<string | null> {
  const Sqlite = await nodeSqlite();
  const database = new Sqlite(path, { readOnly: true });
  try {
    return codeAmong(schemaOf(database));
  } finally {
    database.close();
  }
}

/** A newer version's schema is unknown, so only code is rejected. */
export async function schemaFault(
  database: DatabaseSync,
  migrations: readonly Migration[],
): Promise<string | null> {
  const found = schemaOf(database);
  if (found.length === 0) return null;
  const code = found.find(runsCode);
  if (code !== undefined)
    return `${JSON.stringify(keyOf(code))} is not part of the router's schema`;
  const hasList = found.some(({ type, name }) => type === "table" && name === "migrations");
  if (hasList && unknownName(appliedTo(database), migrations) !== undefined) return null;
  const own = await ownMigrations(database, migrations);
  return own.ok ? null : own.error;
}
