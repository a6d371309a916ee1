/** The owner's side of a database thread: sends requests, and hands each outcome to its caller. */
import { Worker } from "node:worker_threads";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Entry } from "../contract/entries.ts";
import type { Statement } from "../contract/sql.ts";
import type { Fault, Outcome } from "../contract/engine.ts";
import type { Outcomes, Reply, Request, Run, ThreadData } from "./protocol.ts";

export interface DatabaseThread {
  run(job: Statement[] | Entry): Promise<Outcome>;
  /** How many requests wait for an answer. */
  readonly waiting: number;
  /** called with the ms of each group; absent: nobody asks */
  onGroup?: (ms: number) => void;
  close(): Promise<void>;
}

/**
 * Outcomes that are handed over in one turn of the event loop. Each lets its caller go on, and many of them at once
 * hold other tenants up: with 16 a flood of 256 callers tripled the time of another's call. A few together run the same
 * code while the processor still has it, and save a call of the system each.
 */
const deliveredAtOnce = 4;

const ended: Fault = { code: "THREAD_ENDED", message: "the database thread has ended" };

/** The fault that ends the process. The log gets its name and its places, and no message: a message may hold a parameter. */
function lostThread(role: ThreadData["role"], cause: unknown): Error {
  const lost = new Error(`the database's ${role} thread has ended`);
  lost.name = "DatabaseThreadEnded";
  if (cause instanceof Error && cause.stack !== undefined) lost.stack = cause.stack;
  return lost;
}

/** Requests of one turn of the event loop go to the thread as one message, since each message wakes the thread. */
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

/** @returns what hands outcomes that arrived to their callers, a few in one turn of the event loop */
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
    // Nothing waited to be handed over before.
    if (arrived.push(...outcomes) === outcomes.length) deliver();
  };
}

/**
 * A thread that ends without being asked ends the process, as a fault that nobody caught: its transaction may hold
 * the file's lock, so another thread in its place might never write. The next start finds the file as it was.
 * @param entry where `thread.ts` is, or what a bundle made of it
 */
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
    // A closed connection that is asked ends the process: the library's native code does not refuse.
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
      for (const tell of waiting.values()) tell({ ok: false, fault });
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
