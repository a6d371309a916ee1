/** One connection to the file, with its prepared statements kept. Synchronous, as libsql is. */
import { createBoundedMap } from "../../../domain/bounded-map.ts";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import type { Sql, Statement } from "../contract/sql.ts";
import type { Fault, Rows } from "../contract/engine.ts";

/** Statements of some kB each. The stores have fewer fixed texts; a text that varies with its input displaces another. */
const statementsKept = 256;
/** ms. So long a statement waits for another connection's lock: a backup's, or a person's with a shell. */
const busyMs = 1_000;

const noRows: Rows = { columns: [], values: [] };

interface Kept {
  statement: ReturnType<Libsql.Database["prepare"]>;
  /** null: the statement returns no rows */
  columns: string[] | null;
}

export interface Connection extends Sql {
  run(statement: Statement): Rows;
  /** Statements without parameters or rows. */
  exec(sql: string): void;
  readonly inTransaction: boolean;
  close(): void;
}

export const faultOf = (cause: unknown): Fault => ({
  code: cause instanceof Error && "code" in cause ? String(cause.code) : "",
  message: cause instanceof Error ? cause.message : String(cause),
});

/** After `create table` and the like, a statement that was prepared before may have other columns. */
const changesSchema = (sql: string): boolean => /^\s*(create|alter|drop)\b/i.test(sql);

function keepStatements(database: Libsql.Database): { get(sql: string): Kept; clear(): void } {
  const kept = createBoundedMap<string, Kept>(statementsKept);
  return {
    get(sql) {
      const found = kept.use(sql);
      if (found !== undefined) return found;
      const statement = database.prepare(sql);
      const columns = statement.reader ? statement.columns().map(({ name }) => name) : null;
      const fresh = { statement: columns === null ? statement : statement.raw(true), columns };
      kept.set(sql, fresh);
      return fresh;
    },
    clear: () => kept.clear(),
  };
}

function connect(url: string, pragmas: readonly string[]): Connection {
  const database = new Libsql(url, { timeout: busyMs });
  for (const pragma of pragmas) database.pragma(pragma);
  const statements = keepStatements(database);
  return {
    run({ sql, params }) {
      const { statement, columns } = statements.get(sql);
      if (columns !== null) return { columns, values: statement.all(params) as unknown[][] };
      statement.run(params);
      if (changesSchema(sql)) statements.clear();
      return noRows;
    },
    all: (sql, params) => statements.get(sql).statement.all(params) as unknown[][],
    change: (sql, params) => statements.get(sql).statement.run(params).changes,
    exec: (sql) => void database.exec(sql),
    get inTransaction() {
      return database.inTransaction;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

/** A database up to this size is checked as a whole when it is opened, which takes some tenths of a second. */
const wholeBytes = 64 * 1024 * 1024;

/** Checks the file before anybody relies on the file. Throws as SQLite does. */
function checkFile(connection: Connection): void {
  const one = (sql: string): unknown => connection.run({ sql, params: [] }).values[0]?.[0];
  // SQLite opens a file that can't be written too, and only says so at the first write.
  const version = Number(one("pragma user_version"));
  connection.exec(`begin immediate; pragma user_version = ${version}`);
  connection.exec("rollback");
  const bytes = Number(one("pragma page_count")) * Number(one("pragma page_size"));
  const found = bytes > wholeBytes ? "ok" : one("pragma quick_check(1)");
  if (found === "ok") return;
  throw Object.assign(new Error(String(found)), { code: "SQLITE_CORRUPT" });
}

/** A commit returns when its pages are on the disk. On macOS only `fullfsync` makes sure of that. */
export function openWriter(path: string, pragmas: readonly string[] = []): Connection {
  const connection = connect(pathToFileURL(path).href, [
    "journal_mode = WAL",
    "synchronous = FULL",
    ...(process.platform === "darwin" ? ["fullfsync = ON", "checkpoint_fullfsync = ON"] : []),
    ...pragmas,
  ]);
  try {
    checkFile(connection);
    return {
      ...connection,
      get inTransaction() {
        return connection.inTransaction;
      },
      close() {
        // libsql keeps the file open until its statements are collected, so SQLite's own last checkpoint may never come.
        connection.exec("pragma wal_checkpoint(truncate)");
        connection.close();
      },
    };
  } catch (cause) {
    connection.close();
    throw cause;
  }
}

/** The file system itself refuses what this one would write. */
export const openReader = (path: string): Connection =>
  connect(`${pathToFileURL(path).href}?mode=ro`, []);
