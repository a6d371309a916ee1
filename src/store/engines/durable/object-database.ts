/**
 * Tables are created with the first write that leaves a tenant. Without one the object stores nothing, so
 * invented ids cost no storage.
 */
import type { LedgerTexts } from "../memory-ledger/texts.ts";
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
  isKept(): boolean;
  tenantDatabase(): string | null;
  nextDue(): number | null;
  isSealedBy(keyId: string): boolean;
  room(): Room;
  forget(): void;
}

interface Undone {
  outcome: Outcome;
}

const hasTenant = "select 1 from tenants limit 1";
/** The event of a deletion outlives the tenant until `home` has received it. */
const undelivered = "select 1 from admin_events where delivered = 0 limit 1";
/** Events outlive their tenant. */
const tenantIds = [
  "select id from tenants limit 1",
  "select tenant_id from admin_events where tenant_id is not null limit 1",
];

const nothing = (job: Job): Outcome =>
  "kind" in job
    ? { ok: true, rows: [], answer: null }
    : { ok: true, rows: job.map(() => ({ columns: [], values: [] })) };

/** A full database refuses only new records; other writes end calls, make room, or are rare. */
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

/** @param deps `databaseKind`: the home database exists without a tenant */
export function createObjectDatabase(deps: {
  storage: ObjectStorage;
  texts: LedgerTexts;
  migrations: readonly Migration[];
  databaseKind: "home" | "a tenant";
  limitBytes: number;
  onWritten?: (rows: number) => void;
}): ObjectDatabase {
  const { storage, migrations, databaseKind, limitBytes } = deps;
  const engine = createObjectEngine(deps);
  const sql = createObjectSql(storage);
  let tables: "unknown" | "none" | "current" | "unreleased" = "unknown";

  const isKept = (): boolean => databaseKind === "home" || sql.all(hasTenant, []).length > 0;
  const prepare = (): void => {
    if (tables !== "unknown") return;
    if (madeByUnreleased(sql)) tables = "unreleased";
    else if (databaseKind === "home" || hasTables(sql)) {
      // Avoids a transaction, and so a commit, on every wake.
      if (lacksMigrations(sql, migrations))
        storage.transactionSync(() => migrateObject(sql, migrations));
      tables = "current";
    } else tables = "none";
  };
  const room = (): Room => ({ usedBytes: storage.sql.databaseSize, limitBytes });
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
