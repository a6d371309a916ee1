/** A database file that the router did not make is refused at the start, before anything in it is run. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkEmbedded } from "../../../src/start/soundness.ts";
import { hashOf, migrationsTable, statementsIn } from "../../../src/store/migrations.ts";
import { readMigrations } from "../../setup/migrations.ts";

const migrations = readMigrations();
let folder: string;
const proof = (): string => join(folder, "written-by-sql");
const wrote = (): string => `writefile('${proof()}', 'x')`;
/** Appends to the text of a table, as somebody does who forges a file. */
const forge = (table: string, more: string): string => `pragma writable_schema = on;
  update sqlite_master set sql = rtrim(sql, ' )' || char(10)) || ', ${more.replaceAll("'", "''")})'
    where name = '${table}';
  pragma schema_version = 99999; pragma writable_schema = off`;
const newer = "insert into migrations (hash, name) values ('', '9999_x.sql')";

const change = (sql: string): void => {
  const database = new DatabaseSync(join(folder, "a.sqlite"));
  database.exec(sql);
  database.close();
};
const check = () => checkEmbedded(folder, migrations);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foreign-schema-"));
  change(migrationsTable);
  for (const migration of migrations) {
    for (const sql of statementsIn(migration)) change(sql);
    change(
      `insert into migrations (name, hash) values ('${migration.name}', '${hashOf(migration.name)}')`,
    );
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a start with a database file", () => {
  it("takes the router's own, with statistics of the planner's", async () => {
    expect(await check()).toEqual({ ok: true, value: null });
    change("analyze");
    expect(await check()).toEqual({ ok: true, value: null });
  });

  it("takes one of a newer version, whose tables it can't know", async () => {
    change(`${newer}; create table later (id text); alter table tenants add more text`);
    expect(await check()).toEqual({ ok: true, value: null });
  });

  const triggers: [string, () => string][] = [
    ["a trigger", () => `create trigger t after insert on usage begin select ${wrote()}; end`],
    ["a view", () => `create view v as select ${wrote()} as x`],
    ["a virtual table", () => "create virtual table v using fts5(x)"],
    ["a check constraint", () => forge("tenants", `check (${wrote()} is not null)`)],
    ["a quoted name", () => forge("tenants", `check ("WriteFile"('${proof()}', 'x') is not null)`)],
    ["a generated column", () => forge("tenants", `more text generated always as (${wrote()})`)],
  ];
  it.each([
    ...triggers,
    ...triggers.map(([name, sql]): [string, () => string] => [
      `${name}, and a newer version's migration`,
      () => `${newer}; ${sql()}`,
    ]),
    ["a table of nobody's", () => "create table mine (x)"],
    ["an index with an expression", () => "create index i on tenants (abs(id))"],
  ])("refuses %s, and runs nothing of it", async (_, sql) => {
    change(sql());
    expect(await check()).toEqual({
      ok: false,
      error: expect.stringMatching(/was not created by the router as it is: .*; restore a backup/),
    });
    expect(existsSync(proof())).toBe(false);
  });
});
