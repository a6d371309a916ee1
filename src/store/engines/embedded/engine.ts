/** The database in a local file that this process owns. One thread writes, others read. */
import { statSync } from "node:fs";
import type { DatabaseFigures } from "../../../domain/audit/metrics.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import { startThread, type DatabaseThread } from "./database-thread.ts";
import type { LedgerTexts } from "../memory-ledger/texts.ts";
import { replacedCode, type Engine, type Fault, type Outcome } from "../contract/engine.ts";
import { lockFile } from "./lock.ts";
import { isDamage, startFault } from "./faults.ts";

/** A long read occupies one thread; short reads use the other. */
const readers = 2;

export interface EmbeddedEngine extends Engine {
  figures: DatabaseFigures;
  close(): Promise<void>;
}

export interface Start {
  path: string;
  thread: URL;
  pragmas?: readonly string[];
  memoryLedger: LedgerTexts | null;
  onReplaced?: () => void;
}

const leastBusy = (threads: readonly DatabaseThread[]): DatabaseThread =>
  threads.reduce((lowest, each) => (each.waiting < lowest.waiting ? each : lowest));

/** Either file may vanish between the calls. */
const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce(
    (sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** Fails immediately if another process owns the file or it can't be written. */
export async function startEmbedded(start: Start): Promise<Result<EmbeddedEngine, string>> {
  const lock = lockFile(start.path);
  if (!lock.ok) return lock;
  const threads = await startThreads(start);
  if (!threads.ok) {
    lock.value.release();
    return err(startFault(start.path, threads.error));
  }
  return ok({
    ...threads.value,
    async close() {
      await threads.value.close();
      lock.value.release();
    },
  });
}

async function startThreads(start: Start): Promise<Result<EmbeddedEngine, Fault>> {
  const { path, thread, pragmas = [], memoryLedger, onReplaced } = start;
  const writer = await startThread(thread, { path, role: "writer", pragmas, memoryLedger });
  if (!writer.ok) return writer;
  const started = await Promise.all(
    Array.from({ length: readers }, () => startThread(thread, { path, role: "reader" })),
  );
  const reading = started.flatMap((each) => (each.ok ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(reading.map((each) => each.close()));
    // The writer closes last, so that its checkpoint moves the write-ahead log into the file.
    await writer.value.close();
  };
  const failed = started.find((each) => !each.ok);
  if (failed !== undefined && !failed.ok) {
    await close();
    return err(failed.error);
  }
  const observers: ((ms: number) => void)[] = [];
  writer.value.onGroup = (ms) => observers.forEach((observe) => observe(ms));
  let damage: Outcome | null = null;
  return ok({
    async write(job) {
      const outcome = damage ?? (await writer.value.run(job));
      if (damage !== null || outcome.ok) return outcome;
      const isReplaced = outcome.fault.code === replacedCode;
      if (isReplaced) onReplaced?.();
      if (isReplaced || isDamage(outcome.fault)) damage = outcome;
      return outcome;
    },
    read: (statements) => leastBusy(reading).run(statements),
    figures: {
      waiting: () => [writer.value, ...reading].reduce((sum, each) => sum + each.waiting, 0),
      bytes: () => bytesOf(path),
      onCommit: (observe) => void observers.push(observe),
    },
    close,
  });
}
