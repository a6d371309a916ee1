/** What the process and its database threads say to each other. Plain values: they are copied between threads. */

/** What libsql takes. A boolean would end the process, so none gets this far. */
export type Bound = string | number | bigint | null | Uint8Array;

export interface Statement {
  sql: string;
  params: Bound[];
}

/** Values in the order of their columns: names are sent once and not with each row. */
export interface Rows {
  columns: string[];
  values: unknown[][];
}

/** As SQLite says it. */
export interface Fault {
  /** such as `SQLITE_FULL` */
  code: string;
  message: string;
}

/** Statements that happen together or not at all, and what became of them. */
export type Outcome = { ok: true; rows: Rows[] } | { ok: false; fault: Fault };

export interface ThreadData {
  /** absolute */
  path: string;
  role: "writer" | "reader";
  /** of the writer, after its own: how often it takes its log into the file, for example */
  pragmas?: readonly string[];
}

export type Request =
  | { kind: "run"; id: number; statements: Statement[] }
  | { kind: "close"; id: number };

/** First whether the file could be opened, then of one group of requests after the other. */
export type Reply = { opened: Fault | null } | { outcomes: { id: number; outcome: Outcome }[] };
