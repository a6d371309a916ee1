/** What the books need of their database. A connection of libSQL has it, and so has a Durable Object. */

/** What SQLite accepts as a parameter. */
export type Bound = string | number | bigint | null | Uint8Array;

export interface Statement {
  sql: string;
  params: Bound[];
}

/** Runs statements synchronously, in a transaction that the caller begins and ends. */
export interface Sql {
  /** Gives rows. The values of a row are in the order of the columns. */
  all(sql: string, params: Bound[]): unknown[][];
  /** Gives the number of rows that the statement wrote. */
  change(sql: string, params: Bound[]): number;
}

/**
 * What the books remember of one table. The rows are the truth. Before other statements write these rows, the memory is
 * written with `flush`; after them the memory is emptied with `forget`.
 */
export interface Remembered {
  table: string;
  /** another table that this memory is read from, and that this memory never writes */
  alsoReads?: string;
  /** Writes what the rows lack. */
  flush(): void;
  /** Empties the memory, so that the rows are read again. What was not written is lost. */
  forget(): void;
}
