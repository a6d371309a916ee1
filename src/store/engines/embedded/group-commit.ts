/**
 * One transaction and one disk sync for all queued writes. Each has its own savepoint, so a failure affects
 * only itself.
 */
import {
  createMemoryLedger,
  noMemoryLedger,
  type MemoryLedger,
} from "../memory-ledger/memory-ledger.ts";
import type { LedgerTexts } from "../memory-ledger/texts.ts";
import type { Fault, Job, Outcome } from "../contract/engine.ts";
import { faultOf, type Connection } from "./connection.ts";
import { isDamage } from "./faults.ts";

interface Writer {
  connection: Connection;
  memoryLedger: MemoryLedger;
}

const failed = (fault: Fault): Outcome => ({ ok: false, fault });

const undo = ({ connection, memoryLedger }: Writer): void => {
  // SQLite rolls back automatically after some errors, such as a full disk.
  if (connection.inTransaction) connection.exec("rollback");
  memoryLedger.forget();
};

function begin(connection: Connection): Fault | null {
  try {
    connection.exec("begin immediate");
    return null;
  } catch (cause) {
    return faultOf(cause);
  }
}

/** `pragma data_version` changes after another connection writes. */
const versionOf = (connection: Connection): unknown =>
  connection.run({ sql: "pragma data_version", params: [] }).values[0]?.[0];

function attempt({ connection, memoryLedger }: Writer, job: Job): Outcome {
  const isEntry = "kind" in job;
  // Outside the savepoint, because these writes belong to other jobs of the group.
  const forgetNamed = memoryLedger.makeWay(isEntry ? (job.kind === "settle" ? job.kept : []) : job);
  connection.exec("savepoint job");
  try {
    const outcome: Outcome = isEntry
      ? { ok: true, rows: [], answer: memoryLedger.enter(job) }
      : { ok: true, rows: job.map((statement) => connection.run(statement)) };
    connection.exec("release job");
    return outcome;
  } catch (cause) {
    if (connection.inTransaction) connection.exec("rollback to job; release job");
    return failed(faultOf(cause));
  } finally {
    forgetNamed();
  }
}

function together(writer: Writer, jobs: readonly Job[]): Outcome[] | Fault {
  const { connection, memoryLedger } = writer;
  try {
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      const outcome = attempt(writer, job);
      if (!outcome.ok && (isDamage(outcome.fault) || !connection.inTransaction)) {
        undo(writer);
        return outcome.fault;
      }
      outcomes.push(outcome);
    }
    memoryLedger.flush();
    connection.exec("commit");
    return outcomes;
  } catch (cause) {
    undo(writer);
    return faultOf(cause);
  }
}

export type CommitGroup = (jobs: readonly Job[]) => Outcome[];

export function createGroupCommit(connection: Connection, texts: LedgerTexts | null): CommitGroup {
  const memoryLedger = texts === null ? noMemoryLedger : createMemoryLedger(connection, texts);
  const writer: Writer = { connection, memoryLedger };
  let version: unknown = null;
  const commitGroup: CommitGroup = (jobs) => {
    const refused = begin(connection);
    if (refused !== null) return jobs.map(() => failed(refused));
    const found = versionOf(connection);
    if (found !== version) memoryLedger.forget();
    version = found;
    const outcomes = together(writer, jobs);
    if (Array.isArray(outcomes)) return outcomes;
    if (jobs.length === 1 || isDamage(outcomes)) return jobs.map(() => failed(outcomes));
    return jobs.flatMap((job) => commitGroup([job]));
  };
  return commitGroup;
}
