/** What the process and its database threads say to each other. Plain values: they are copied between threads. */
import type { Entry } from "../books/entries.ts";
import type { BookTexts } from "../books/texts.ts";
import type { Statement } from "../books/sql.ts";
import type { Fault, Outcome } from "../engine.ts";

export interface ThreadData {
  /** absolute */
  path: string;
  role: "writer" | "reader";
  /** of the writer, after its own: how often it takes its log into the file, for example */
  pragmas?: readonly string[];
  /** of the writer: what it keeps the books with; null, absent: it keeps none */
  books?: BookTexts | null;
}

export interface Run {
  id: number;
  job: Statement[] | Entry;
}

/** What came in one turn of the owner's event loop is one message. */
export type Request = { kind: "run"; runs: Run[] } | { kind: "close"; id: number };

/** First whether the file could be opened, then of one group of requests after the other. */
export type Reply = { opened: Fault | null } | { outcomes: { id: number; outcome: Outcome }[] };
