/** The three databases that a ledger stands on, empty, and how large each is on disk. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient as createFileClient } from "@libsql/client";
import { createClient } from "@libsql/client/web";
import { sql } from "drizzle-orm";
import { openLibsql, raw, type Database } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import type { Ending } from "../../src/start/ending.ts";
import { value } from "../contract/store/open.ts";
import { startSqld } from "../fakes/sqld.ts";
import { readMigrations } from "../setup/migrations.ts";
import { startObjectHost } from "./object-host.ts";

export interface Measured {
  name: string;
  db: Database;
  /** Bulk statements, outside of any deadline of a request's. */
  fill(statement: string): Promise<void>;
  /** rows of one such statement */
  atOnce: number;
  bytes(): Promise<number>;
}

function temporary(ending: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), "router-ledger-"));
  ending.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .filter((its) => its.isFile())
    .reduce((sum, { size }) => sum + size, 0);

async function openFile(ending: Ending): Promise<Measured> {
  const folder = temporary(ending);
  const url = `file:${join(folder, "database.sqlite")}`;
  const db = openLibsql(createFileClient({ url, timeout: 5_000 }));
  return {
    name: "file",
    db,
    atOnce: 250_000,
    async fill(statement) {
      const client = createFileClient({ url, timeout: 5_000 });
      await client.execute("pragma synchronous = off");
      await client.execute("pragma cache_size = -500000");
      await client.execute(statement);
      client.close();
    },
    bytes: async () => sizeOf(folder),
  };
}

async function openSqld(ending: Ending): Promise<Measured> {
  const sqld = await startSqld();
  ending.add(sqld.stop);
  const client = createClient({ url: sqld.url });
  const db = openLibsql(client);
  return {
    name: "sqld",
    db,
    atOnce: 250_000,
    fill: async (statement) => void (await client.execute(statement)),
    async bytes() {
      const [rows] = value(
        await db.write([
          raw(sql`select page_count * page_size as bytes
            from pragma_page_count(), pragma_page_size()`),
        ]),
      );
      return Number(rows?.[0]?.["bytes"]);
    },
  };
}

async function openObject(ending: Ending): Promise<Measured> {
  const { db, object, stop } = await startObjectHost();
  ending.add(stop);
  return {
    name: "Durable Object",
    atOnce: 10_000,
    db,
    fill: async (statement) => void (await object.write([{ sql: statement, params: [] }])),
    bytes: () => object.bytes(),
  };
}

const openings = { file: openFile, sqld: openSqld, object: openObject };
export type LedgerDatabase = keyof typeof openings;
export const ledgerDatabases = Object.keys(openings) as LedgerDatabase[];

export async function openMeasured(name: LedgerDatabase, ending: Ending): Promise<Measured> {
  const measured = await openings[name](ending);
  value(await migrate(measured.db, readMigrations()));
  return measured;
}
