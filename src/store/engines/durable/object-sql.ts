/** SQLite inside a Durable Object. Synchronous, as the runtime's API is. */
import type { SqlStorage } from "@cloudflare/workers-types";
import type { Bound, Sql, Statement } from "../contract/sql.ts";
import type { Fault, Rows } from "../contract/engine.ts";

export interface ObjectStorage {
  sql: Pick<SqlStorage, "exec" | "databaseSize">;
  /** Atomic. SQL statements may not begin or end a transaction here. */
  transactionSync<T>(closure: () => T): T;
}

export interface ObjectSql extends Sql {
  run(statement: Statement): Rows;
}

/** The runtime rejects bigint. */
const bindable = (value: Bound): Exclude<Bound, bigint> =>
  typeof value === "bigint" ? Number(value) : value;

export function createObjectSql(
  { sql: storage }: Pick<ObjectStorage, "sql">,
  onWritten: (rows: number) => void = () => {},
): ObjectSql {
  const exec = (sql: string, params: readonly Bound[]) => {
    const cursor = storage.exec(sql, ...params.map(bindable));
    const values: unknown[][] = [...cursor.raw()];
    const { columnNames: columns, rowsWritten } = cursor;
    onWritten(rowsWritten);
    return { columns, values, rowsWritten };
  };
  return {
    run({ sql, params }) {
      const { columns, values } = exec(sql, params);
      return { columns, values };
    },
    all: (sql, params) => exec(sql, params).values,
    change: (sql, params) => exec(sql, params).rowsWritten,
  };
}

/** The runtime appends SQLite's code to the message. */
export const faultOf = (cause: unknown): Fault => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return { code: /SQLITE_[A-Z]+/.exec(message)?.[0] ?? "", message };
};
