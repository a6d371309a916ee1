import { createBoundedMap } from "../../../domain/bounded-map.ts";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import type { Sql, Statement } from "../contract/sql.ts";
import type { Fault, Rows } from "../contract/engine.ts";

/** A few kB each. The stores use fewer fixed texts. */
const statementsKept = 256;
/** ms to wait for another connection's lock, such as a backup's. */
const busyMs = 1_000;

const noRows: Rows = { columns: [], values: [] };

interface Kept {
  statement: ReturnType<Libsql.Database["prepare"]>;
  columns: string[] | null;
}

export interface Connection extends Sql {
  run(statement: Statement): Rows;
  exec(sql: string): void;
  readonly inTransaction: boolean;
  close(): void;
}

export const faultOf = (cause: unknown): Fault => ({
  code: cause instanceof Error && "code" in cause ? String(cause.code) : "",
  message: cause instanceof Error ? cause.message : String(cause),
});

/** Cached statements may return other columns after a schema change. */
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

/** Bytes up to which the whole file is checked at start, which takes tenths of a second. */
const wholeBytes = 64 * 1024 * 1024;

function checkFile(connection: Connection): void {
  const one = (sql: string): unknown => connection.run({ sql, params: [] }).values[0]?.[0];
  // SQLite opens a read-only file and fails only at the first write.
  const version = Number(one("pragma user_version"));
  connection.exec(`begin immediate; pragma user_version = ${version}`);
  connection.exec("rollback");
  const bytes = Number(one("pragma page_count")) * Number(one("pragma page_size"));
  const found = bytes > wholeBytes ? "ok" : one("pragma quick_check(1)");
  if (found === "ok") return;
  throw Object.assign(new Error(String(found)), { code: "SQLITE_CORRUPT" });
}

/** A commit returns once its pages are on disk. On macOS that takes `fullfsync`. */
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
        // libsql keeps the file open until its statements are collected, so SQLite may skip its last
        // checkpoint.
        connection.exec("pragma wal_checkpoint(truncate)");
        connection.close();
      },
    };
  } catch (cause) {
    connection.close();
    throw cause;
  }
}

export const openReader = (path: string): Connection =>
  connect(`${pathToFileURL(path).href}?mode=ro`, []);
