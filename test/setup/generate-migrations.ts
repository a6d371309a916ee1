/**
 * `npm run db:generate`: makes the baseline anew from the schema, since no release has it yet. Once 0.1.0 is published,
 * `npm run db:generate -- NAME` adds a migration to it instead. Only the newest snapshot is kept: drizzle-kit compares the schema
 * with that one alone.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const checkout = join(import.meta.dirname, "..", "..");
const folder = join(checkout, "migrations");
const snapshots = join(folder, "meta");

/** drizzle can't declare these. See decision 0045. */
const withoutRowid = ["delivered_usage"];

function declareWithoutRowid(file: string): void {
  const text = readFileSync(file, "utf8");
  const declared = withoutRowid.reduce((sql, table) => {
    const pattern = new RegExp(`(CREATE TABLE \`${table}\` \\([^;]*\\));`);
    if (!pattern.test(sql)) throw new Error(`${file} does not create ${table}`);
    return sql.replace(pattern, "$1 WITHOUT ROWID;");
  }, text);
  writeFileSync(file, declared);
}

const generate = (name: string): void =>
  void execFileSync(
    process.execPath,
    [join(checkout, "node_modules", "drizzle-kit", "bin.cjs"), "generate", "--name", name],
    { cwd: checkout, stdio: "inherit" },
  );

/** The router recognizes a database of an unreleased version by the hash of its first migration. */
function writeHashes(): void {
  const hashes = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(join(folder, file));
      return [file, createHash("sha256").update(sql).digest("hex")];
    });
  const text = JSON.stringify(Object.fromEntries(hashes), null, 2);
  writeFileSync(join(snapshots, "hashes.json"), `${text}\n`);
}

/** The same schema gives the same files: drizzle-kit draws an id and notes the time. */
function settle(): void {
  const edit = (file: string, pattern: RegExp, text: string): void => {
    const path = join(snapshots, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(pattern, text));
  };
  edit("0000_snapshot.json", /"id": "[^"]*"/, '"id": "00000000-0000-0000-0000-000000000001"');
  edit("_journal.json", /"when": \d+/, '"when": 0');
}

const [name] = process.argv.slice(2);
if (name === undefined) {
  rmSync(folder, { recursive: true, force: true });
  generate("baseline");
  declareWithoutRowid(join(folder, "0000_baseline.sql"));
  settle();
} else {
  generate(name);
  const stale = readdirSync(snapshots)
    .filter((file) => file.endsWith("_snapshot.json"))
    .toSorted()
    .slice(0, -1);
  for (const file of stale) rmSync(join(snapshots, file));
}
writeHashes();
