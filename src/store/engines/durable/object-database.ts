/**
 * The database in a Durable Object: the engine, and the life of its storage. The storage gets its tables with the
 * first write that leaves a tenant in it, and migrations at the first use after an update, before anything else. A
 * name that nobody gave to a tenant leads to an object without storage: it answers as empty tables do, and keeps
 * nothing, so that invented keys and ids cost no storage.
 */
import type { BookTexts } from "../memory-ledger/texts.ts";
import type { Statement } from "../contract/sql.ts";
import { callsThatFit, roomLevel, type Room } from "../../../domain/limits/room.ts";
import { fullCode, unreleasedCode, type Job, type Outcome } from "../contract/engine.ts";
import { databaseOf } from "../../../domain/tenancy/database-names.ts";
import { nextDue } from "./next-due.ts";
import type { Migration } from "../../migrations.ts";
import { createObjectEngine } from "./object-engine.ts";
import { createObjectSql, faultOf, type ObjectStorage } from "./object-sql.ts";
import {
  hasTables,
  lacksMigrations,
  madeByUnreleased,
  migrateObject,
} from "./object-migrations.ts";

export interface ObjectDatabase {
  write(job: Job): Outcome;
  read(statements: readonly Statement[]): Outcome;
  hasTables(): boolean;
  /** Whether there is anything that the storage is kept for. */
  isKept(): boolean;
  /** The name in its tenant's id; null: no tenant is or was here. */
  tenantDatabase(): string | null;
  /** ms since the epoch, when jobs have something to do; null: they have nothing to do unless somebody writes */
  nextDue(): number | null;
  /** Whether all of it is sealed under the master key of that id. */
  isSealedBy(keyId: string): boolean;
  /** Pages that nothing fills do not count. */
  room(): Room;
  /** Stands after the storage was deleted. */
  forget(): void;
}

interface Undone {
  outcome: Outcome;
}

const hasTenant = "select 1 from tenants limit 1";
/** The log of a deletion outlives the tenant, so the storage waits until the home database has it. */
const undelivered = "select 1 from admin_events where delivered = 0 limit 1";
/** The log outlives its tenant. */
const tenantIds = [
  "select id from tenants limit 1",
  "select tenant_id from admin_events where tenant_id is not null limit 1",
];

/** Of tables without a row. */
const nothing = (job: Job): Outcome =>
  "kind" in job
    ? { ok: true, rows: [], answer: null }
    : { ok: true, rows: job.map(() => ({ columns: [], values: [] })) };

/** Only what adds a record is ever refused: everything else ends a call, makes room or is rare. */
const newRecord = /\binsert into "?sampling_requests\b/i;
const addsRecord = (job: Job): boolean =>
  "kind" in job ? job.kind === "admit" : job.some(({ sql }) => newRecord.test(sql));
const full: Outcome = {
  ok: false,
  fault: { code: fullCode, message: "the database takes no new calls" },
};

const unreleased: Outcome = {
  ok: false,
  fault: { code: unreleasedCode, message: "an unreleased version made the database" },
};

/** @param deps `holds`: the home database is kept without a tenant too */
export function createObjectDatabase(deps: {
  storage: ObjectStorage;
  texts: BookTexts;
  migrations: readonly Migration[];
  holds: "home" | "a tenant";
  limitBytes: number;
  onWritten?: (rows: number) => void;
}): ObjectDatabase {
  const { storage, migrations, holds, limitBytes } = deps;
  const engine = createObjectEngine(deps);
  const sql = createObjectSql(storage);
  let tables: "unknown" | "none" | "current" | "unreleased" = "unknown";

  const isKept = (): boolean => holds === "home" || sql.all(hasTenant, []).length > 0;
  /** A storage with tables gets those that it lacks, and `home` gets its tables at once. */
  const prepare = (): void => {
    if (tables !== "unknown") return;
    if (madeByUnreleased(sql)) tables = "unreleased";
    else if (holds === "home" || hasTables(sql)) {
      // An object wakes far more often than it is updated, and a transaction costs a commit.
      if (lacksMigrations(sql, migrations))
        storage.transactionSync(() => migrateObject(sql, migrations));
      tables = "current";
    } else tables = "none";
  };
  const room = (): Room => ({ usedBytes: storage.sql.databaseSize, limitBytes });
  /** calls that fit, whatever they write */
  let fitting = 0;
  const isFull = (): boolean => {
    fitting -= 1;
    if (fitting >= 0) return false;
    const now = room();
    fitting = callsThatFit(now);
    return roomLevel(now) === "full";
  };
  const createWith = (job: Job): Outcome => {
    if ("kind" in job) return nothing(job);
    let undone: Undone | null = null;
    try {
      const outcome = storage.transactionSync(() => {
        migrateObject(sql, migrations);
        const done = engine.run(job);
        if (isKept()) return done;
        undone = { outcome: done };
        throw new Error("no tenant was made");
      });
      tables = "current";
      return outcome;
    } catch (cause) {
      engine.forget();
      return (undone as Undone | null)?.outcome ?? { ok: false, fault: faultOf(cause) };
    }
  };
  const prepared = (work: () => Outcome): Outcome => {
    try {
      prepare();
    } catch (cause) {
      return { ok: false, fault: faultOf(cause) };
    }
    return tables === "unreleased" ? unreleased : work();
  };
  return {
    write: (job) =>
      prepared(() => {
        if (tables === "none") return createWith(job);
        return addsRecord(job) && isFull() ? full : engine.write(job);
      }),
    read: (statements) =>
      prepared(() => (tables === "none" ? nothing(statements) : engine.read(statements))),
    hasTables: () => tables === "current",
    isKept: () =>
      madeByUnreleased(sql) ||
      (hasTables(sql) && (isKept() || sql.all(undelivered, []).length > 0)),
    tenantDatabase() {
      if (!hasTables(sql) || madeByUnreleased(sql)) return null;
      const [id] = tenantIds.flatMap((text) => sql.all(text, []).map(([found]) => String(found)));
      return id === undefined ? null : databaseOf(id);
    },
    nextDue: () => nextDue(sql),
    isSealedBy: (keyId) =>
      sql.all("select 1 from sealing where key_id = ? and step = 'done'", [keyId]).length > 0,
    room,
    forget() {
      tables = "unknown";
      fitting = 0;
      engine.forget();
    },
  };
}
