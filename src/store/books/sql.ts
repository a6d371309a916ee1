/** What the books ask of a database that they own: libSQL's connection has it, and so has a Durable Object. */

/** What SQLite takes as a parameter. */
export type Bound = string | number | bigint | null | Uint8Array;

export interface Statement {
  sql: string;
  params: Bound[];
}

/** Synchronous, within a transaction that its owner begins and ends. */
export interface Sql {
  /** Rows, their values in the order of the columns. */
  all(sql: string, params: Bound[]): unknown[][];
  /** How many rows were written. */
  change(sql: string, params: Bound[]): number;
}

/**
 * What the books remember of one table. The rows are the truth: whoever writes them in another way has the
 * memory written before, and forgotten afterwards.
 */
export interface Remembered {
  table: string;
  /** another table whose rows it depends on, and never writes */
  alsoReads?: string;
  /** Writes what the rows do not say yet. */
  flush(): void;
  /** Afterwards the rows are read again. What was not written is lost. */
  forget(): void;
}
