/** One connection to the file, with its prepared statements kept. Synchronous, as libsql is. */
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import type { Sql, Statement } from "../books/sql.ts";
import type { Fault, Rows } from "../engine.ts";

/** Each some kB. The stores have fewer texts than that; what varies with its input takes turns. */
const statementsKept = 256;
/** ms in which another connection's lock may go: a backup, or a person with a shell. */
const busyMs = 1_000;

const noRows: Rows = { columns: [], values: [] };

interface Kept {
  statement: ReturnType<Libsql.Database["prepare"]>;
  /** null: it returns no rows */
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

/** Such as `create table`: what was prepared before may have other columns now. */
const changesSchema = (sql: string): boolean => /^\s*(create|alter|drop)\b/i.test(sql);

function keepStatements(database: Libsql.Database): { get(sql: string): Kept; clear(): void } {
  const kept = new Map<string, Kept>();
  return {
    get(sql) {
      const found = kept.get(sql);
      if (found !== undefined) {
        // The one that was used last stands last.
        kept.delete(sql);
        kept.set(sql, found);
        return found;
      }
      const statement = database.prepare(sql);
      const columns = statement.reader ? statement.columns().map(({ name }) => name) : null;
      const fresh = { statement: columns === null ? statement : statement.raw(true), columns };
      kept.set(sql, fresh);
      const [oldest] = kept.keys();
      if (kept.size > statementsKept && oldest !== undefined) kept.delete(oldest);
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

/** All of a database up to this size is looked at as it is opened: some tenths of a second. */
const wholeBytes = 64 * 1024 * 1024;

/** What can be said of the file before anybody relies on it: it throws as SQLite does. */
function checkFile(connection: Connection): void {
  const one = (sql: string): unknown => connection.run({ sql, params: [] }).values[0]?.[0];
  // A file that can't be written is opened all the same, and only says so at the first write.
  const version = Number(one("pragma user_version"));
  connection.exec(`begin immediate; pragma user_version = ${version}`);
  connection.exec("rollback");
  const bytes = Number(one("pragma page_count")) * Number(one("pragma page_size"));
  const found = bytes > wholeBytes ? "ok" : one("pragma quick_check(1)");
  if (found === "ok") return;
  throw Object.assign(new Error(String(found)), { code: "SQLITE_CORRUPT" });
}

/** A commit returns when it is on the disk; on macOS only `fullfsync` says so. */
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
