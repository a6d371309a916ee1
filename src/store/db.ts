/**
 * One seam over all drivers. Reads go through drizzle; writes go through `write`, which sends compiled
 * statements as one transaction in one round trip.
 */
import type { Client } from "@libsql/client";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { drizzle as drizzleLibsql } from "drizzle-orm/libsql/web";
import { largestInteger } from "../domain/magnitudes.ts";
import { err, ok } from "../domain/result.ts";
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import type { TurnKind, Turns } from "../domain/limits/turns.ts";
import type { WriteFault } from "../domain/ports/readiness.ts";
import type { Answer, Entry } from "./engines/contract/entries.ts";
import { roomAfterMs } from "../domain/limits/room.ts";
import { fullCode, replacedCode, unreleasedCode } from "./engines/contract/engine.ts";
import { writable, type Parameter } from "./rows/storable.ts";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { sql, type SQL } from "drizzle-orm";

/** A statement that drizzle can compile, or that is compiled already. */
export interface Compiled {
  toSQL(): { sql: string; params: unknown[] };
}

/** A statement whose text was made before. */
export const prepared = (text: string, params: Parameter[]): Compiled => ({
  toSQL: () => ({ sql: text, params }),
});

/** The sum of a row's column and of what an insert adds to it, held within what a driver can read back. */
export const summed = (column: string): SQL =>
  sql.raw(`max(-${largestInteger}, min(${largestInteger}, ${column} + excluded.${column}))`);

/** A statement as it is sent. */
export function compile(statement: Compiled): Sent {
  const { sql: text, params } = statement.toSQL();
  return { sql: text, params: params.map(writable) };
}

const dialect = new SQLiteAsyncDialect();

/** A statement that drizzle's builder can't say. */
export const raw = (statement: SQL): Compiled => ({ toSQL: () => dialect.sqlToQuery(statement) });

export type Row = Record<string, unknown>;

/** drizzle's builder, with the type of one driver: all drivers build and map alike. */
export type Builder = DrizzleD1Database;

export interface Database {
  readonly builder: Builder;
  /** Reads, and everything that drizzle runs by itself. Counts as one round trip. */
  read<T>(work: (builder: Builder) => Promise<T>): AsyncResult<T>;
  /** One transaction, one round trip. Gives the rows that each statement returned. */
  write(statements: readonly Compiled[], turn?: WriteTurn): AsyncResult<Row[][]>;
  /** Writes together with other callers. Absent: this engine writes for each caller alone. */
  readonly writeInBulk?: WriteInBulk;
  /**
   * Has a call entered in the books of a single writer, in one transaction; null: nothing was written, and the
   * caller's own statements decide. Absent: there are no books.
   */
  readonly enter?: (entry: Entry, turn: WriteTurn) => AsyncResult<Answer | null>;
  /** null: a write succeeded within so many ms; else why it didn't. */
  probe(statement: Compiled, withinMs: number): Promise<WriteFault | null>;
}

/** In whose turn a write is sent. */
export interface WriteTurn {
  /** a tenant's id */
  lane: string;
  /** absent: `begins` */
  kind?: TurnKind;
  /** absent: `once` */
  ifLost?: Sending["ifLost"];
}

export interface Sent {
  sql: string;
  params: Parameter[];
}

/** What the sender of a write needs to know of the write's caller. */
export interface Sending {
  /** `again`: sent once more, the statements find by their id what they did, and do nothing twice */
  ifLost: "again" | "once";
  /** false: the caller has been refused, so what was not sent yet must not be sent any more */
  isAwaited: () => boolean;
}

/** How statements are sent: as one transaction, whose rows come back by statement. */
export type Send = (statements: Sent[], sending: Sending) => Promise<Row[][]>;

/** A write for many callers at once, as one transaction's part. */
export interface BulkWrite<Outcome> {
  statements: Sent[];
  /**
   * What became of each caller's write, from the rows that each statement returned. null: nothing was written for that
   * caller, whose own statements decide.
   */
  outcomes(rows: readonly Row[][]): (Outcome | null)[];
}

export type Bulk<Item, Outcome> = (items: readonly Item[]) => BulkWrite<Outcome>;

/** null: nothing was written, and the caller's own statements decide. */
export type WriteInBulk = <Item, Outcome>(
  bulk: Bulk<Item, Outcome>,
  item: Item,
  turn: WriteTurn,
) => AsyncResult<Outcome | null>;

/** Joins a bulk write, as `Send` sends statements; null as above. */
export type JoinBulk = <Item, Outcome>(
  bulk: Bulk<Item, Outcome>,
  item: Item,
  sending: Sending,
) => Promise<Outcome | null>;

export interface DatabaseOptions {
  /** ms for one round trip, and for sending again what a full server turned away */
  timeoutMs?: number;
  /** Called once for every round trip, for the bench and for `Server-Timing`. */
  onRoundTrip?: (kind: "read" | "write") => void;
  /** Sends bulk writes; absent: there are none. */
  joinBulk?: JoinBulk;
  /** Enters a call into the engine's books; absent: there are none. */
  enter?: (entry: Entry) => Promise<Answer | null>;
  /** Bounds how many writes are sent at once; absent: no bound. */
  turns?: Turns;
}

/** ms for one round trip, where a database's options say nothing. */
export const defaultTimeoutMs = 5_000;
/** ms that a caller is told to wait when the database is out of reach. */
const retryAfterMs = 1_000;
/** ms to wait for an operator to replace the database. */
export const unreleasedAfterMs = 60_000;
/** ms to wait for an operator to restore the database. */
const replacedAfterMs = 60_000;
/** SQLite answers "busy" when another writer holds the lock. The same statements may then be sent again. */
const lockedTries = 3;
const pauseMs = 25;

const messageOf = (cause: unknown): string => {
  let text = "";
  for (let error: unknown = cause; error instanceof Error; error = error.cause)
    text += ` ${error.message}`;
  return text;
};

// Drivers and runtimes name constraint and lock faults with different codes, so the message tells them
// apart.
const isConstraint = (cause: unknown): boolean =>
  /UNIQUE constraint failed/i.test(messageOf(cause));
/** `raiseVersion` found another version than the one it may raise. */
const isOtherVersion = (cause: unknown): boolean =>
  /NOT NULL constraint failed: tenants\.version/i.test(messageOf(cause));
const isLocked = (cause: unknown): boolean =>
  /SQLITE_BUSY|database is locked|database table is locked/i.test(messageOf(cause));

/** A full server turns a call away before it begins anything, so that it may be sent again. */
const isTurnedAway = (cause: unknown): boolean => /HTTP status 429/.test(messageOf(cause));

/** Of a file system that has become read-only under open files, SQLite only knows that the write failed. */
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
  if (isConstraint(cause)) return { reason: "conflict", detail: "It exists already." };
  if (isOtherVersion(cause)) return { reason: "precondition_failed" };
  if (messageOf(cause).startsWith(` ${fullCode}: `))
    return { reason: "unavailable", retryAfterMs: roomAfterMs, cause: "full" };
  if (messageOf(cause).startsWith(` ${unreleasedCode}: `))
    return { reason: "unavailable", retryAfterMs: unreleasedAfterMs, cause: "unreleased" };
  if (messageOf(cause).startsWith(` ${replacedCode}: `))
    return { reason: "unavailable", retryAfterMs: replacedAfterMs, cause: "replaced" };
  return { reason: "unavailable", retryAfterMs };
}

type Work<T> = (isAwaited: Sending["isAwaited"]) => Promise<T>;

/** Not `Promise.race`, which makes several more promises for each round trip. */
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

/**
 * Makes a database of what every engine has: a builder that drizzle reads with, and a function that
 * sends statements as one transaction.
 */
export function createDatabase(
  builder: Builder,
  send: Send,
  { timeoutMs = defaultTimeoutMs, onRoundTrip = () => {}, turns, joinBulk, enter }: DatabaseOptions,
): Database {
  const inTurn = async <T>(turn: WriteTurn, work: () => AsyncResult<T>): AsyncResult<T> => {
    if (turns === undefined) return work();
    const entered = await turns.enter({ kind: "begins", ...turn });
    if (!entered.ok) return entered;
    try {
      return await work();
    } finally {
      entered.value();
    }
  };
  const attempt = async <T>(kind: "read" | "write", work: Work<T>): AsyncResult<T> => {
    const begun = performance.now();
    for (let tries = 1; ; tries += 1) {
      onRoundTrip(kind);
      try {
        return ok(await withDeadline(work, timeoutMs));
      } catch (cause) {
        const again = isTurnedAway(cause)
          ? performance.now() - begun < timeoutMs
          : isLocked(cause) && tries < lockedTries;
        if (!again) return err(refusalFor(cause));
        await new Promise((resolve) => setTimeout(resolve, pauseMs * tries));
      }
    }
  };
  return {
    builder,
    read: (work) => attempt("read", () => work(builder)),
    write(statements, turn = { lane: "" }) {
      const compiled = statements.map(compile);
      const { ifLost = "once" } = turn;
      return inTurn(turn, () =>
        attempt("write", (isAwaited) => send(compiled, { ifLost, isAwaited })),
      );
    },
    ...(joinBulk !== undefined && {
      writeInBulk(bulk, item, turn) {
        const { ifLost = "once" } = turn;
        return inTurn(turn, () =>
          attempt("write", (isAwaited) => joinBulk(bulk, item, { ifLost, isAwaited })),
        );
      },
    }),
    ...(enter !== undefined && {
      enter: (entry, turn) => inTurn(turn, () => attempt("write", () => enter(entry))),
    }),
    async probe(statement, withinMs) {
      const probed = await inTurn({ lane: "", kind: "ends" }, async () => {
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

/** @param options `groups`: sends writes together with those of other callers; absent: each alone */
export function openLibsql(
  client: Client,
  { groups, ...options }: DatabaseOptions & { groups?: { send: Send; join: JoinBulk } } = {},
): Database {
  // "write" takes the lock at once. drizzle's own batch starts deferred, and then waits seconds for
  // the lock.
  const alone: Send = async (statements) => {
    const results = await client.batch(
      statements.map(({ sql: text, params }) => ({ sql: text, args: params })),
      "write",
    );
    return results.map(({ rows }) => rows as unknown as Row[]);
  };
  return createDatabase(drizzleLibsql(client), groups?.send ?? alone, {
    ...options,
    ...(groups !== undefined && { joinBulk: groups.join }),
  });
}
