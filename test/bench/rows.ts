/** `npm run bench -- rows`: bytes of a finished record by table and index, and rows that a call writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "@libsql/client";
import { openLibsql } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { sealAll } from "../contract/store/sealing.ts";
import { readMigrations } from "../setup/migrations.ts";
import { typicalCalls } from "./typical-calls.ts";
import { countWrittenRows } from "./written-rows.ts";

type Say = (line: string) => void;

export const typicalRecords = 10_000;
const atOnce = 16;
/** bytes of a finished record with its indexes */
const maxBytes = 1_500;

/** What every record adds to, whatever else a database has. */
const tables = new Set(["sampling_requests", "seals"]);

interface Size {
  name: string;
  table: string;
  bytes: number;
  entries: number;
}

async function sizesOf(client: Client): Promise<Size[]> {
  const { rows } = await client.execute(`
    select s.name as name, m.tbl_name as tbl, sum(s.pgsize) as bytes,
      sum(case when s.pagetype = 'leaf' then s.ncell else 0 end) as entries
    from dbstat s join sqlite_master m on m.name = s.name
    group by 1, 2 order by 2, m.type desc, 1`);
  return rows.map((row) => ({
    name: String(row["name"]),
    table: String(row["tbl"]),
    bytes: Number(row["bytes"]),
    entries: Number(row["entries"]),
  }));
}

/** How many bytes of a record each column holds. */
async function columnsOf(client: Client): Promise<[name: string, bytes: number][]> {
  const { columns } = await client.execute("select * from sampling_requests limit 0");
  const sums = columns.map((name) => `avg(coalesce(octet_length("${name}"), 0)) as "${name}"`);
  const { rows } = await client.execute(`select ${sums.join(", ")} from sampling_requests`);
  return columns
    .map((name): [string, number] => [name, Number(rows[0]?.[name])])
    .toSorted(([, a], [, b]) => b - a);
}

function sayTable(title: string, sizes: readonly Size[], records: number, say: Say): number {
  say(`\n${title}: bytes a record`);
  const its = sizes.filter(({ table }) => tables.has(table));
  for (const { name, bytes, entries } of its)
    say(
      `  ${name.padEnd(42)}${(bytes / records).toFixed(1).padStart(9)}${String(entries).padStart(9)}`,
    );
  const sum = its.reduce((all, { bytes }) => all + bytes, 0) / records;
  say(`  ${"together".padEnd(42)}${sum.toFixed(1).padStart(9)}`);
  const rest = sizes.filter(({ table }) => !tables.has(table));
  say(
    `  all other tables, kB in total: ${Math.round(rest.reduce((all, { bytes }) => all + bytes, 0) / 1_000)}`,
  );
  return sum;
}

export async function benchRows(records: number, say: Say): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "router-rows-"));
  const client = createClient({
    url: `file:${join(folder, "database.sqlite")}`,
    timeout: 5_000,
  });
  try {
    await client.execute("pragma synchronous = off");
    const db = openLibsql(client, { timeoutMs: 60_000 });
    value(await migrate(db, readMigrations()));
    const stores = storesOn(db);
    const calls = await typicalCalls(stores);
    let next = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < records) await (await calls.admit(next++))();
      }),
    );
    say(`${records} records, ${calls.feasible()} models that the last choice could take`);
    sayTable("before sealing", await sizesOf(client), records, say);
    await sealAll(stores, calls.tenantId);
    const bytes = sayTable("sealed", await sizesOf(client), records, say);
    say("\nbytes of a record's columns, as their text or number is long:");
    for (const [name, length] of await columnsOf(client))
      if (length >= 1) say(`  ${name.padEnd(42)}${length.toFixed(1).padStart(9)}`);
    say("");
    await countWrittenRows(say);
    return bytes > maxBytes ? [`${Math.round(bytes)} bytes a record, of ${maxBytes}`] : [];
  } finally {
    client.close();
    rmSync(folder, { recursive: true });
  }
}
