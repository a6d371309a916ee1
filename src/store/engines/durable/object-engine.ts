/** Each job is one transaction. The runtime's output gate holds answers until they are durable. */
import type { MemoryLedger } from "../memory-ledger/memory-ledger.ts";
import { createJournaledLedger } from "../memory-ledger/journal.ts";
import type { LedgerTexts } from "../memory-ledger/texts.ts";
import type { Statement } from "../contract/sql.ts";
import type { Job, Outcome } from "../contract/engine.ts";
import { createObjectSql, faultOf, type ObjectStorage } from "./object-sql.ts";

export interface ObjectEngine {
  write(job: Job): Outcome;
  read(statements: readonly Statement[]): Outcome;
  run(job: Job): Outcome;
  forget(): void;
}

function runJob(
  sql: ReturnType<typeof createObjectSql>,
  memoryLedger: MemoryLedger,
  job: Job,
): Outcome {
  const isEntry = "kind" in job;
  const forgetNamed = memoryLedger.makeWay(isEntry ? (job.kind === "settle" ? job.kept : []) : job);
  try {
    const outcome: Outcome = isEntry
      ? { ok: true, rows: [], answer: memoryLedger.enter(job) }
      : { ok: true, rows: job.map((statement) => sql.run(statement)) };
    return outcome;
  } finally {
    forgetNamed();
  }
}

export function createObjectEngine(deps: {
  storage: ObjectStorage;
  texts: LedgerTexts;
  onWritten?: (rows: number) => void;
}): ObjectEngine {
  const { storage, texts } = deps;
  const sql = createObjectSql(storage, deps.onWritten);
  const memoryLedger = createJournaledLedger(sql, texts);
  const run = (job: Job): Outcome => {
    const outcome = runJob(sql, memoryLedger, job);
    memoryLedger.flush();
    return outcome;
  };
  return {
    run,
    forget: memoryLedger.forget,
    write(job) {
      try {
        return storage.transactionSync(() => run(job));
      } catch (cause) {
        memoryLedger.forget();
        return { ok: false, fault: faultOf(cause) };
      }
    },
    read(statements) {
      try {
        // Reads change nothing, so no cache is dropped.
        if (memoryLedger.lag(statements))
          storage.transactionSync(() => memoryLedger.makeWay(statements));
        return { ok: true, rows: statements.map((statement) => sql.run(statement)) };
      } catch (cause) {
        return { ok: false, fault: faultOf(cause) };
      }
    },
  };
}
