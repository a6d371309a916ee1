/**
 * All writes that wait are one transaction, and one sync of the disk. Each write has a savepoint of its own, so
 * that a failed write takes no other write along.
 */
import { createBooks, noBooks, type Books } from "../memory-ledger/books.ts";
import type { BookTexts } from "../memory-ledger/texts.ts";
import type { Fault, Job, Outcome } from "../contract/engine.ts";
import { faultOf, type Connection } from "./connection.ts";
import { isDamage } from "./faults.ts";

interface Writer {
  connection: Connection;
  books: Books;
}

const failed = (fault: Fault): Outcome => ({ ok: false, fault });

const undo = ({ connection, books }: Writer): void => {
  // SQLite itself has undone everything after some faults, a full disk among them.
  if (connection.inTransaction) connection.exec("rollback");
  books.forget();
};

/** null: a transaction has begun. */
function begin(connection: Connection): Fault | null {
  try {
    connection.exec("begin immediate");
    return null;
  } catch (cause) {
    return faultOf(cause);
  }
}

/** What `pragma data_version` says: another number once another connection has written. */
const versionOf = (connection: Connection): unknown =>
  connection.run({ sql: "pragma data_version", params: [] }).values[0]?.[0];

/** Within a transaction. */
function attempt({ connection, books }: Writer, job: Job): Outcome {
  const isEntry = "kind" in job;
  // Before the savepoint, because what is written here belongs to the group's other jobs.
  const forgetNamed = books.makeWay(isEntry ? (job.kind === "settle" ? job.kept : []) : job);
  connection.exec("savepoint job");
  try {
    const outcome: Outcome = isEntry
      ? { ok: true, rows: [], answer: books.enter(job) }
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

/** A fault: the transaction as a whole failed, and nothing of it was written. */
function together(writer: Writer, jobs: readonly Job[]): Outcome[] | Fault {
  const { connection, books } = writer;
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
    books.flush();
    connection.exec("commit");
    return outcomes;
  } catch (cause) {
    undo(writer);
    return faultOf(cause);
  }
}

/** The outcome of each job, given once the group is on the disk. */
export type CommitGroup = (jobs: readonly Job[]) => Outcome[];

/** @param texts null: there are no books */
export function createGroupCommit(connection: Connection, texts: BookTexts | null): CommitGroup {
  const books = texts === null ? noBooks : createBooks(connection, texts);
  const writer: Writer = { connection, books };
  let version: unknown = null;
  const commitGroup: CommitGroup = (jobs) => {
    const refused = begin(connection);
    if (refused !== null) return jobs.map(() => failed(refused));
    const found = versionOf(connection);
    if (found !== version) books.forget();
    version = found;
    const outcomes = together(writer, jobs);
    if (Array.isArray(outcomes)) return outcomes;
    if (jobs.length === 1 || isDamage(outcomes)) return jobs.map(() => failed(outcomes));
    // Each job runs alone now, which shows whose fault it was.
    return jobs.flatMap((job) => commitGroup([job]));
  };
  return commitGroup;
}
