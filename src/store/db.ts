/** Reads use drizzle; `write` sends compiled statements as one transaction in one round trip. */
import type { Client } from "@libsql/client";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { drizzle as drizzleLibsql } from "drizzle-orm/libsql/http";
import { largestInteger } from "../domain/magnitudes.ts";
import { err, ok } from "../domain/result.ts";
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import type { WorkKind, AdmissionQueue } from "../domain/limits/admission-queue.ts";
import type { WriteFault } from "../domain/ports/readiness.ts";
import type { Answer, Entry } from "./engines/contract/entries.ts";
import { roomAfterMs } from "../domain/limits/room.ts";
import { fullCode, replacedCode, unreleasedCode } from "./engines/contract/engine.ts";
import { writable, type Parameter } from "./rows/storable.ts";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { sql, type SQL } from "drizzle-orm";

export interface Compiled {
  toSQL(): { sql: string; params: unknown[] };
}

export const prepared = (text: string, params: Parameter[]): Compiled => ({
  toSQL: () => ({ sql: text, params }),
});

/** Adds within the range that every driver can read back. */
export const summed = (column: string): SQL =>
  sql.raw(`max(-${largestInteger}, min(${largestInteger}, ${column} + excluded.${column}))`);

export function compile(statement: Compiled): Sent {
  const { sql: text, params } = statement.toSQL();
  return { sql: text, params: params.map(writable) };
}

const dialect = new SQLiteAsyncDialect();

export const raw = (statement: SQL): Compiled => ({ toSQL: () => dialect.sqlToQuery(statement) });

export type Row = Record<string, unknown>;

/** One driver's type: the builders of all drivers build statements and map rows in the same way. */
export type Builder = DrizzleD1Database;

export interface Database {
  readonly builder: Builder;
  read<T>(work: (builder: Builder) => Promise<T>): AsyncResult<T>;
  /** One transaction and one round trip. Returns the rows of each statement. */
  write(statements: readonly Compiled[], writeOptions?: WriteOptions): AsyncResult<Row[][]>;
  /** Writes together with other callers. Absent if the engine writes separately for each caller. */
  readonly writeInBulk?: WriteInBulk;
  /** `null` if nothing was written and the caller must use SQL. Absent if the engine has no in-memory ledger. */
  readonly enter?: (entry: Entry, writeOptions: WriteOptions) => AsyncResult<Answer | null>;
  /** `null` if a write succeeded in time. */
  probe(statement: Compiled, withinMs: number): Promise<WriteFault | null>;
}

export interface WriteOptions {
  lane: string;
  kind?: WorkKind;
  ifLost?: Sending["ifLost"];
}

export interface Sent {
  sql: string;
  params: Parameter[];
}

export interface Sending {
  /** if the response is lost; `again`: safe to send twice, since the statements detect by id that they took effect */
  ifLost: "again" | "once";
  /** `false` after the deadline: the caller got an error, so don't send what is still queued */
  isAwaited: () => boolean;
}

export type Send = (statements: Sent[], sending: Sending) => Promise<Row[][]>;

export interface BulkWrite<Outcome> {
  statements: Sent[];
  /** Outcome of each caller's write; `null` if nothing was written and the caller must run its own statements. */
  outcomes(rows: readonly Row[][]): (Outcome | null)[];
}

export type Bulk<Item, Outcome> = (items: readonly Item[]) => BulkWrite<Outcome>;

export type WriteInBulk = <Item, Outcome>(
  bulk: Bulk<Item, Outcome>,
  item: Item,
  writeOptions: WriteOptions,
) => AsyncResult<Outcome | null>;

export type JoinBulk = <Item, Outcome>(
  bulk: Bulk<Item, Outcome>,
  item: Item,
  sending: Sending,
) => Promise<Outcome | null>;

export interface DatabaseOptions {
  /** ms for each round trip, and for all retries after a 429 */
  timeoutMs?: number;
  /** called for every round trip, for benchmarks and `Server-Timing` */
  onRoundTrip?: (kind: "read" | "write") => void;
  joinBulk?: JoinBulk;
  enter?: (entry: Entry) => Promise<Answer | null>;
  writeQueue?: AdmissionQueue;
}

export const defaultTimeoutMs = 5_000;
const retryAfterMs = 1_000;
export const unreleasedRetryAfterMs = 60_000;
const replacedRetryAfterMs = 60_000;
/** Attempts while another writer holds the lock. */
const maxLockedTries = 3;
const pauseMs = 25;

const messageOf = (cause: unknown): string => {
  let text = "";
  for (let error: unknown = cause; error instanceof Error; error = error.cause)
    text += ` ${error.message}`;
  return text;
};

// Drivers report constraint and lock errors with different codes, but with the same message.
const isDuplicate = (cause: unknown): boolean => /UNIQUE constraint failed/i.test(messageOf(cause));
/** `raiseVersion` writes null on a version mismatch, which violates NOT NULL. */
const isVersionMismatch = (cause: unknown): boolean =>
  /NOT NULL constraint failed: tenants\.version/i.test(messageOf(cause));
const isLocked = (cause: unknown): boolean =>
  /SQLITE_BUSY|database is locked|database table is locked/i.test(messageOf(cause));

/** A request that gets a 429 wasn't executed, so it can be retried. */
const isThrottled = (cause: unknown): boolean => /HTTP status 429/.test(messageOf(cause));

/** If the file system becomes read-only, SQLite only reports an I/O error of the write. */
const isUnwritable = (message: string): boolean =>
  /readonly|read-only|forbidden|blocked|SQLITE_IOERR_(WRITE|FSYNC|TRUNCATE)/i.test(message);

const faultIn = (cause: unknown): WriteFault => {
  const message = messageOf(cause);
  if (isUnwritable(message)) return "read_only";
  if (/disk is full|SQLITE_FULL|maximum DB size/i.test(message)) return "full";
  if (message.startsWith(` ${replacedCode}: `)) return "replaced";
  if (/malformed|not a database/i.test(message)) return "corrupt";
  if (/database deadline/.test(message) || isLocked(cause)) return "too_slow";
  return "refused";
};

function refusalFor(cause: unknown): Refusal {
  if (isDuplicate(cause)) return { reason: "conflict", detail: "Already exists." };
  if (isVersionMismatch(cause)) return { reason: "precondition_failed" };
  if (messageOf(cause).startsWith(` ${fullCode}: `))
    return { reason: "unavailable", retryAfterMs: roomAfterMs, cause: "full" };
  if (messageOf(cause).startsWith(` ${unreleasedCode}: `))
    return { reason: "unavailable", retryAfterMs: unreleasedRetryAfterMs, cause: "unreleased" };
  if (messageOf(cause).startsWith(` ${replacedCode}: `))
    return { reason: "unavailable", retryAfterMs: replacedRetryAfterMs, cause: "replaced" };
  return { reason: "unavailable", retryAfterMs };
}

type Work<T> = (isAwaited: Sending["isAwaited"]) => Promise<T>;

/** Cheaper than `Promise.race`, which creates several promises per round trip. */
async function withDeadline<T>(work: Work<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let isAwaited = true;
  const timer = setTimeout(() => {
    isAwaited = false;
    reject(new Error("database deadline"));
  }, timeoutMs);
  try {
    work(() => isAwaited).then(resolve, reject);
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

export function createDatabase(
  builder: Builder,
  send: Send,
  {
    timeoutMs = defaultTimeoutMs,
    onRoundTrip = () => {},
    writeQueue,
    joinBulk,
    enter,
  }: DatabaseOptions,
): Database {
  const queued = async <T>(
    writeOptions: WriteOptions,
    work: () => AsyncResult<T>,
  ): AsyncResult<T> => {
    if (writeQueue === undefined) return work();
    const slot = await writeQueue.enter({ kind: "begins", ...writeOptions });
    if (!slot.ok) return slot;
    try {
      return await work();
    } finally {
      slot.value();
    }
  };
  const attempt = async <T>(kind: "read" | "write", work: Work<T>): AsyncResult<T> => {
    const begun = performance.now();
    for (let tries = 1; ; tries += 1) {
      onRoundTrip(kind);
      try {
        return ok(await withDeadline(work, timeoutMs));
      } catch (cause) {
        const isRetried = isThrottled(cause)
          ? performance.now() - begun < timeoutMs
          : isLocked(cause) && tries < maxLockedTries;
        if (!isRetried) return err(refusalFor(cause));
        await new Promise((resolve) => setTimeout(resolve, pauseMs * tries));
      }
    }
  };
  return {
    builder,
    read: (work) => attempt("read", () => work(builder)),
    write(statements, writeOptions = { lane: "" }) {
      const compiled = statements.map(compile);
      const { ifLost = "once" } = writeOptions;
      return queued(writeOptions, () =>
        attempt("write", (isAwaited) => send(compiled, { ifLost, isAwaited })),
      );
    },
    ...(joinBulk !== undefined && {
      writeInBulk(bulk, item, writeOptions) {
        const { ifLost = "once" } = writeOptions;
        return queued(writeOptions, () =>
          attempt("write", (isAwaited) => joinBulk(bulk, item, { ifLost, isAwaited })),
        );
      },
    }),
    ...(enter !== undefined && {
      enter: (entry, writeOptions) =>
        queued(writeOptions, () => attempt("write", () => enter(entry))),
    }),
    async probe(statement, withinMs) {
      const probed = await queued({ lane: "", kind: "ends" }, async () => {
        onRoundTrip("write");
        try {
          const probing: Work<unknown> = (isAwaited) =>
            send([compile(statement)], { ifLost: "once", isAwaited });
          await withDeadline(probing, withinMs);
          return ok(null);
        } catch (cause) {
          return ok(faultIn(cause));
        }
      });
      return probed.ok ? probed.value : "too_slow";
    },
  };
}

export function openLibsql(
  client: Client,
  { groups, ...options }: DatabaseOptions & { groups?: { send: Send; join: JoinBulk } } = {},
): Database {
  // "write" takes the lock immediately; drizzle's deferred batch can wait seconds for it.
  const sendUngrouped: Send = async (statements) => {
    const results = await client.batch(
      statements.map(({ sql: text, params }) => ({ sql: text, args: params })),
      "write",
    );
    return results.map(({ rows }) => rows as unknown as Row[]);
  };
  return createDatabase(drizzleLibsql(client), groups?.send ?? sendUngrouped, {
    ...options,
    ...(groups !== undefined && { joinBulk: groups.join }),
  });
}
