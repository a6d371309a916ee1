/** What the process and its database threads say to each other. Plain values: they are copied between threads. */
import type { Entry } from "../contract/entries.ts";
import type { BookTexts } from "../memory-ledger/texts.ts";
import type { Statement } from "../contract/sql.ts";
import type { Fault, Outcome } from "../contract/engine.ts";

export interface ThreadData {
  /** absolute */
  path: string;
  role: "writer" | "reader";
  /** for the writer, after the writer's own: how often the log goes into the file, for example */
  pragmas?: readonly string[];
  /** the texts with which the writer keeps the books; null, absent: the writer keeps none */
  books?: BookTexts | null;
}

export interface Run {
  id: number;
  job: Statement[] | Entry;
}

/** What came in one turn of the owner's event loop is one message. */
export type Request = { kind: "run"; runs: Run[] } | { kind: "close"; id: number };

/** First whether the file could be opened, then of one group of requests after the other. */
export type Reply = { opened: Fault | null } | Outcomes;

export interface Outcomes {
  outcomes: { id: number; outcome: Outcome }[];
  /** so long the group took; of the writer it is one commit */
  ms: number;
}
