/** The owner's side of a database thread: asks, and hears what became of each. */
import { Worker } from "node:worker_threads";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Fault, Outcome, Reply, Request, Statement, ThreadData } from "./protocol.ts";

export interface DatabaseThread {
  run(statements: Statement[]): Promise<Outcome>;
  /** How many wait for an answer. */
  readonly waiting: number;
  close(): Promise<void>;
}

const ended: Fault = { code: "THREAD_ENDED", message: "the database thread has ended" };

/** @param entry where `thread.ts` is, or what a bundle made of it */
export function startThread(entry: URL, data: ThreadData): Promise<Result<DatabaseThread, Fault>> {
  const worker = new Worker(entry, { workerData: data, execArgv: [] });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  const isOver = Promise.withResolvers<void>();
  let hasEnded = false;
  let last = 0;
  const ask = (request: (id: number) => Request): Promise<Outcome> => {
    if (hasEnded) return Promise.resolve({ ok: false, fault: ended });
    last += 1;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    waiting.set(last, resolve);
    worker.postMessage(request(last));
    return promise;
  };
  const thread: DatabaseThread = {
    run: (statements) => ask((id) => ({ kind: "run", id, statements })),
    get waiting() {
      return waiting.size;
    },
    async close() {
      await ask((id) => ({ kind: "close", id }));
      await isOver.promise;
    },
  };
  // One a turn of the event loop: each lets its caller go on, and 64 of them at once would hold everybody else up.
  const arrived: { id: number; outcome: Outcome }[] = [];
  const deliver = (): void => {
    const next = arrived.shift();
    if (next === undefined) return;
    waiting.get(next.id)?.(next.outcome);
    waiting.delete(next.id);
    if (arrived.length > 0) setImmediate(deliver);
  };
  return new Promise((resolve) => {
    const end = (fault: Fault): void => {
      hasEnded = true;
      for (const tell of waiting.values()) tell({ ok: false, fault });
      waiting.clear();
      resolve(err(fault));
      isOver.resolve();
    };
    worker.on("message", (reply: Reply) => {
      if ("opened" in reply) return resolve(reply.opened === null ? ok(thread) : err(reply.opened));
      const isIdle = arrived.length === 0;
      arrived.push(...reply.outcomes);
      if (isIdle) deliver();
    });
    worker.on("error", (cause) => end({ ...ended, message: String(cause) }));
    worker.on("exit", () => end(ended));
  });
}
