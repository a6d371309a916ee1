/** How a suite gets its database. Every test has a database of its own, or one that was emptied for it. */
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { raw, type Database, type DatabaseOptions } from "../../../src/store/db.ts";
import { migrate, type Migration } from "../../../src/store/migrations.ts";
import { createMac } from "../../../src/crypto/mac.ts";
import { recordCodesPurpose } from "../../../src/domain/audit/evidence.ts";
import type { Mac } from "../../../src/domain/tenancy/mac.ts";
import { createStores } from "../../../src/store/stores.ts";
import type { UnreadableRecord } from "../../../src/domain/audit/record.ts";
import type { RejectedRow } from "../../../src/domain/tenancy/rejected-row.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";

export interface Opened {
  db: Database;
  close(): Promise<void>;
}

export interface Backend {
  name: string;
  migrations: Migration[];
  /** A database without a table. */
  open(): Promise<Opened>;
  /** A database with every table of the migrations, and no row in them. */
  openMigrated(): Promise<Opened>;
  /** One more connection to the database that `open` gave. */
  again(options?: DatabaseOptions): Promise<Opened>;
  /** How many drawn histories a property tries here: a server takes a hundred times as long for each. */
  histories: number;
}

/** The value of a result that has to be a success. */
export function value<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

async function tablesOf(db: Database): Promise<string[]> {
  const rows = value(
    await db.write([
      raw(sql`select name from sqlite_master where type = 'table'
        and substr(name, 1, 4) not in ('sqli', '_cf_', 'libs')`),
    ]),
  );
  return (rows[0] ?? []).map((row) => String(row["name"]));
}

/** Removes every table of a database that can't be thrown away. */
export async function wipe(db: Database): Promise<void> {
  const names = await tablesOf(db);
  if (names.length > 0)
    value(await db.write(names.map((name) => raw(sql`drop table ${sql.identifier(name)}`))));
}

/** Removes the rows of these tables. Most tests write to few of them, and to find those is a single statement. */
async function empty(db: Database, tables: readonly string[]): Promise<void> {
  const filled = tables.map(
    (table, at) => sql`exists(select 1 from ${sql.identifier(table)}) as ${sql.raw(`t${at}`)}`,
  );
  const [row] = value(await db.write([raw(sql`select ${sql.join(filled, sql`, `)}`)]))[0] ?? [];
  const names = tables.filter((_, at) => Number(row?.[`t${at}`]) === 1);
  if (names.length > 0)
    value(await db.write(names.map((table) => raw(sql`delete from ${sql.identifier(table)}`))));
}

/**
 * A backend over one database that lasts as long as the tests of a file. The migrations run once, since they
 * take longer than most tests; between two tests only the rows go.
 */
export function lastingBackend(
  about: Pick<Backend, "name" | "migrations" | "histories"> & {
    connect: (options?: DatabaseOptions) => Opened;
  },
): Backend {
  const { name, migrations, histories, connect } = about;
  /** null: not, or not only, the tables of the migrations */
  let tables: string[] | null = null;
  return {
    name,
    migrations,
    histories,
    async open() {
      tables = null;
      const opened = connect();
      await wipe(opened.db);
      return opened;
    },
    async openMigrated() {
      const opened = connect();
      const { db } = opened;
      if (tables !== null) {
        await empty(db, tables);
        return opened;
      }
      await wipe(db);
      value(await migrate(db, migrations));
      tables = (await tablesOf(db)).filter((table) => table !== "migrations");
      return opened;
    },
    again: async (options) => connect(options),
  };
}

export interface World {
  db: Database;
  stores: Stores;
  again(options?: DatabaseOptions): Promise<Database>;
}

/**
 * A migrated database and its stores, fresh before each test of the surrounding `describe`; or before the first
 * one, for tests that leave each other alone.
 */
export function givenWorld(
  backend: Backend,
  freshFor: "each test" | "all tests" = "each test",
): World {
  const opened: Opened[] = [];
  let current: { db: Database; stores: Stores } | undefined;
  const here = () => {
    if (current === undefined) throw new Error("no database outside a test");
    return current;
  };
  const begin = async () => {
    const first = await backend.openMigrated();
    opened.push(first);
    current = { db: first.db, stores: storesOn(first.db) };
  };
  const end = async () => {
    for (const each of opened.splice(0).toReversed()) await each.close();
    current = undefined;
  };
  if (freshFor === "each test") {
    beforeEach(begin);
    afterEach(end);
  } else {
    beforeAll(begin);
    afterAll(end);
  }
  return {
    get db() {
      return here().db;
    },
    get stores() {
      return here().stores;
    },
    async again(options) {
      const next = await backend.again(options);
      opened.push(next);
      return next.db;
    },
  };
}

/** The codes of records in tests. */
export const macOf = (
  byte: number,
  purpose = recordCodesPurpose,
  previous: number | null = null,
): Promise<Mac> =>
  createMac({
    master: new Uint8Array(32).fill(byte),
    previous: previous === null ? null : new Uint8Array(32).fill(previous),
    purpose,
  });
export const mac = await macOf(7);
export const rowMac = await macOf(7, "row");

/** `found`: called with rows that can't be read. */
export const storesOn = (
  db: Database,
  found: (record: UnreadableRecord) => void = () => {},
  its: Mac = mac,
  rejected: (row: RejectedRow) => void = () => {},
): Stores =>
  createStores(db, {
    nonce: () => crypto.randomUUID(),
    mac: its,
    rowMac,
    rejected: async (row) => rejected(row),
    unreadable: {
      eventId: () => `evt_${crypto.randomUUID()}`,
      now: () => 1_800_000_000_000,
      report: found,
    },
  });
