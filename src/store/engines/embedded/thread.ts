/** libsql is synchronous, so commits, checkpoints, and long reads would block the process. */
import {
  parentPort,
  receiveMessageOnPort,
  workerData,
  type MessagePort,
} from "node:worker_threads";
import { faultOf, openReader, openWriter, type Connection } from "./connection.ts";
import { createReplacementCheck, replacedFault } from "./file-identity.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Fault, Outcome } from "../contract/engine.ts";
import type { Reply, Request, Run, ThreadData } from "./protocol.ts";

/** Bounds the wait of a group's first job. */
const maxPerGroup = 128;

const open = ({ path, role, pragmas }: ThreadData): Connection | Fault => {
  try {
    return role === "writer" ? openWriter(path, pragmas) : openReader(path);
  } catch (cause) {
    return faultOf(cause);
  }
};

function read(connection: Connection, { job }: Run): Outcome {
  const statements = "kind" in job ? [] : job;
  try {
    if (statements.length > 1) connection.exec("begin");
    return { ok: true, rows: statements.map((statement) => connection.run(statement)) };
  } catch (cause) {
    return { ok: false, fault: faultOf(cause) };
  } finally {
    if (connection.inTransaction) connection.exec("rollback");
  }
}

interface Work {
  run(group: readonly Run[]): Outcome[];
  close(): void;
}

function writing(connection: Connection, { path, memoryLedger }: ThreadData): Work {
  const commitGroup = createGroupCommit(connection, memoryLedger ?? null);
  const isReplaced = createReplacementCheck(path);
  let isLost = false;
  return {
    run(group) {
      const outcomes = isLost ? [] : commitGroup(group.map(({ job }) => job));
      isLost ||= isReplaced();
      return isLost ? group.map(() => ({ ok: false, fault: replacedFault })) : outcomes;
    },
    close() {
      // SQLite deletes the log by path on close, where another database's log may be by now.
      if (!isLost && !isReplaced()) connection.close();
    },
  };
}

const workOf = (connection: Connection, data: ThreadData): Work =>
  data.role === "writer"
    ? writing(connection, data)
    : { run: (group) => group.map((run) => read(connection, run)), close: connection.close };

function serve(port: MessagePort, connection: Connection, data: ThreadData): void {
  const say = (reply: Reply): void => port.postMessage(reply);
  const work = workOf(connection, data);
  const max = data.role === "writer" ? maxPerGroup : 1;
  const answer = (runs: readonly Run[]): void => {
    for (let from = 0; from < runs.length; from += max) {
      const group = runs.slice(from, from + max);
      const begun = performance.now();
      const outcomes = work.run(group);
      say({
        ms: performance.now() - begun,
        outcomes: outcomes.map((outcome, at) => ({ id: (group[at] as Run).id, outcome })),
      });
    }
  };
  const close = (id: number): void => {
    try {
      work.close();
    } catch {
      // Pages that could not be moved into the file stay in the log, which the next start reads.
    }
    say({ ms: 0, outcomes: [{ id, outcome: { ok: true, rows: [] } }] });
    port.close();
  };
  port.on("message", (first: Request) => {
    const runs: Run[] = [];
    for (let request: Request | undefined = first; request !== undefined;) {
      if (request.kind === "close") {
        answer(runs);
        return close(request.id);
      }
      runs.push(...request.runs);
      if (runs.length >= max) break;
      request = receiveMessageOnPort(port)?.message;
    }
    answer(runs);
  });
  say({ opened: null });
}

if (parentPort === null) throw new Error("only a database's owner starts its threads");
const data = workerData as ThreadData;
const opened = open(data);
if ("run" in opened) serve(parentPort, opened, data);
else {
  parentPort.postMessage({ opened } satisfies Reply);
  parentPort.close();
}
