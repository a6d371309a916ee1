/** Messages between the process and its database threads. Plain values: they are copied. */
import type { Entry } from "../contract/entries.ts";
import type { LedgerTexts } from "../memory-ledger/texts.ts";
import type { Statement } from "../contract/sql.ts";
import type { Fault, Outcome } from "../contract/engine.ts";

export interface ThreadData {
  path: string;
  role: "writer" | "reader";
  pragmas?: readonly string[];
  memoryLedger?: LedgerTexts | null;
}

export interface Run {
  id: number;
  job: Statement[] | Entry;
}

/** One message per turn of the owner's event loop. */
export type Request = { kind: "run"; runs: Run[] } | { kind: "close"; id: number };

/** First the result of opening the file, then one message per group. */
export type Reply = { opened: Fault | null } | Outcomes;

export interface Outcomes {
  outcomes: { id: number; outcome: Outcome }[];
  ms: number;
}
