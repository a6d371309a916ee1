/** Owner of a database thread: sends jobs and returns outcomes to their callers. */
import { Worker } from "node:worker_threads";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Entry } from "../contract/entries.ts";
import type { Statement } from "../contract/sql.ts";
import type { Fault, Outcome } from "../contract/engine.ts";
import type { Outcomes, Reply, Request, Run, ThreadData } from "./protocol.ts";

export interface DatabaseThread {
  run(job: Statement[] | Entry): Promise<Outcome>;
  readonly waiting: number;
  onGroup?: (ms: number) => void;
  close(): Promise<void>;
}

/** With 16 outcomes, a flood of 256 callers tripled other tenants' latency; a few at a time share system calls. */
const deliveredAtOnce = 4;

const ended: Fault = { code: "THREAD_ENDED", message: "the database thread has ended" };

/** The fault that ends the process. Carries the name and stack but no message, which may hold a parameter. */
function lostThread(role: ThreadData["role"], cause: unknown): Error {
  const lost = new Error(`the database's ${role} thread has ended`);
  lost.name = "DatabaseThreadEnded";
  if (cause instanceof Error && cause.stack !== undefined) lost.stack = cause.stack;
  return lost;
}

/** Batches the requests of one turn of the event loop: each message wakes the thread. */
function createOutbox(post: (request: Request) => void): { add(run: Run): void; send(): void } {
  let unsent: Run[] = [];
  const send = (): void => {
    if (unsent.length > 0) post({ kind: "run", runs: unsent });
    unsent = [];
  };
  return {
    send,
    add(run) {
      if (unsent.push(run) === 1) setImmediate(send);
    },
  };
}

type Waiting = Map<number, (outcome: Outcome) => void>;

function createDelivery(waiting: Waiting): (outcomes: Outcomes["outcomes"]) => void {
  const arrived: { id: number; outcome: Outcome }[] = [];
  const deliver = (): void => {
    for (const { id, outcome } of arrived.splice(0, deliveredAtOnce)) {
      waiting.get(id)?.(outcome);
      waiting.delete(id);
    }
    if (arrived.length > 0) setImmediate(deliver);
  };
  return (outcomes) => {
    // Nothing was waiting before.
    if (arrived.push(...outcomes) === outcomes.length) deliver();
  };
}

/** A thread that exits unasked ends the process: its transaction may hold the file's lock. */
export function startThread(entry: URL, data: ThreadData): Promise<Result<DatabaseThread, Fault>> {
  const worker = new Worker(entry, { workerData: data, execArgv: [] });
  const waiting: Waiting = new Map();
  const deliver = createDelivery(waiting);
  const isOver = Promise.withResolvers<void>();
  let state: "starting" | "serving" | "closing" | "ended" = "starting";
  let last = 0;
  const post = (request: Request): void => worker.postMessage(request);
  const outbox = createOutbox(post);
  const ask = (send: (id: number) => void): Promise<Outcome> => {
    if (state === "ended") return Promise.resolve({ ok: false, fault: ended });
    last += 1;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    waiting.set(last, resolve);
    send(last);
    return promise;
  };
  const thread: DatabaseThread = {
    // libsql crashes the process if a closed connection is used.
    run: (job) =>
      state === "closing"
        ? Promise.resolve({ ok: false, fault: ended })
        : ask((id) => outbox.add({ id, job })),
    get waiting() {
      return waiting.size;
    },
    async close() {
      if (state !== "ended") state = "closing";
      outbox.send();
      await ask((id) => post({ kind: "close", id }));
      await isOver.promise;
    },
  };
  return new Promise((resolve) => {
    const end = (fault: Fault, cause?: unknown): void => {
      const isLost = state === "serving";
      state = "ended";
      for (const settle of waiting.values()) settle({ ok: false, fault });
      waiting.clear();
      resolve(err(fault));
      isOver.resolve();
      if (isLost) throw lostThread(data.role, cause);
    };
    worker.on("message", (reply: Reply) => {
      if ("opened" in reply) {
        if (reply.opened !== null) return resolve(err(reply.opened));
        state = "serving";
        return resolve(ok(thread));
      }
      thread.onGroup?.(reply.ms);
      deliver(reply.outcomes);
    });
    worker.on("error", (cause) => end({ ...ended, message: String(cause) }, cause));
    worker.on("exit", () => end(ended));
  });
}
