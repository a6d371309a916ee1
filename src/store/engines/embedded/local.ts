/** Opens a file in the current thread, for commands. A writer holds the file's lock. */
import type { Database } from "../../db.ts";
import { faultOf, openReader, openWriter, type Connection } from "./connection.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Statement } from "../contract/sql.ts";
import type { Engine, Outcome } from "../contract/engine.ts";
import { openOverEngine } from "../../over-engine.ts";

export interface Local {
  db: Database;
  one(sql: string): unknown;
  exec(sql: string): void;
  close(): void;
}

/** ms. A statement may scan a whole table. */
const timeoutMs = 3_600_000;

function read(connection: Connection, statements: readonly Statement[]): Outcome {
  try {
    return { ok: true, rows: statements.map((statement) => connection.run(statement)) };
  } catch (cause) {
    return { ok: false, fault: faultOf(cause) };
  }
}

export function openLocally(path: string, mode: "reads" | "writes"): Local {
  const connection = mode === "writes" ? openWriter(path) : openReader(path);
  const commitGroup = createGroupCommit(connection, null);
  const engine: Engine = {
    write: async (job) => commitGroup([job])[0] as Outcome,
    read: async (statements) => read(connection, statements),
  };
  return {
    db: openOverEngine(engine, { timeoutMs }),
    one: (sql) => connection.run({ sql, params: [] }).values[0]?.[0],
    exec: connection.exec,
    close: connection.close,
  };
}
