/**
 * All writes that wait are one transaction, and one sync of the disk. Each has a savepoint of its own, so
 * that one failure is its own.
 */
import { faultOf, type Connection } from "./connection.ts";
import { isDamage } from "./faults.ts";
import type { Fault, Outcome, Rows, Statement } from "./protocol.ts";

type Job = readonly Statement[];

const failed = (fault: Fault): Outcome => ({ ok: false, fault });

const undo = (connection: Connection): void => {
  // SQLite itself has undone everything after some faults, a full disk among them.
  if (connection.inTransaction) connection.exec("rollback");
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

/** Within a transaction. */
function attempt(connection: Connection, job: Job): Outcome {
  connection.exec("savepoint job");
  try {
    const rows: Rows[] = job.map((statement) => connection.run(statement));
    connection.exec("release job");
    return { ok: true, rows };
  } catch (cause) {
    if (connection.inTransaction) connection.exec("rollback to job; release job");
    return failed(faultOf(cause));
  }
}

/** A fault: the transaction as a whole failed, and nothing of it was written. */
function together(connection: Connection, jobs: readonly Job[]): Outcome[] | Fault {
  try {
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      const outcome = attempt(connection, job);
      if (!outcome.ok && (isDamage(outcome.fault) || !connection.inTransaction)) {
        undo(connection);
        return outcome.fault;
      }
      outcomes.push(outcome);
    }
    connection.exec("commit");
    return outcomes;
  } catch (cause) {
    undo(connection);
    return faultOf(cause);
  }
}

/** What became of each job, once that is on the disk. */
export function commitGroup(connection: Connection, jobs: readonly Job[]): Outcome[] {
  const refused = begin(connection);
  if (refused !== null) return jobs.map(() => failed(refused));
  const outcomes = together(connection, jobs);
  if (Array.isArray(outcomes)) return outcomes;
  if (jobs.length === 1 || isDamage(outcomes)) return jobs.map(() => failed(outcomes));
  // Whose fault it was is found by asking each alone.
  return jobs.flatMap((job) => commitGroup(connection, [job]));
}
