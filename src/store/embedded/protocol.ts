/** What the process and its database threads say to each other. Plain values: they are copied between threads. */

import type { Answer, Entry } from "../books/entries.ts";
import type { BookTexts } from "../books/texts.ts";
import type { Statement } from "../books/sql.ts";

export type { Bound, Statement } from "../books/sql.ts";

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

/**
 * What became of statements that happen together or not at all, or of an entry in the books. `answer`: to an
 * entry; null: the books left it to the ledger's own SQL.
 */
export type Outcome =
  | { ok: true; rows: Rows[]; answer?: Answer | null }
  | { ok: false; fault: Fault };

export interface ThreadData {
  /** absolute */
  path: string;
  role: "writer" | "reader";
  /** of the writer, after its own: how often it takes its log into the file, for example */
  pragmas?: readonly string[];
  /** of the writer: what it keeps the books with; null, absent: it keeps none */
  books?: BookTexts | null;
}

export type Request =
  | { kind: "run"; id: number; job: Statement[] | Entry }
  | { kind: "close"; id: number };

/** First whether the file could be opened, then of one group of requests after the other. */
export type Reply = { opened: Fault | null } | { outcomes: { id: number; outcome: Outcome }[] };
