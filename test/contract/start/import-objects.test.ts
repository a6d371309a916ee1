/** What the import into the object `home` sends of a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importAll } from "../../../src/cli/import-objects.ts";
import { readImport, type ImportPart } from "../../../src/store/durable/import-rows.ts";
import { openLocally, type Local } from "../../../src/store/embedded/local.ts";

let folder: string;
let source: Local;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "router-import-"));
  source = openLocally(join(folder, "database.sqlite"), "writes");
});
afterEach(() => {
  source.close();
  rmSync(folder, { recursive: true });
});

/** Answers as the import Worker over an empty object does. */
function target(before = 0) {
  const parts: ImportPart[] = [];
  const asked: { url: string; authorization: string | null }[] = [];
  const fetchPart: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push({ url: request.url, authorization: request.headers.get("Authorization") });
    const part = readImport(await request.json());
    if (part === null) return Response.json({ detail: "no part" }, { status: 400 });
    parts.push(part);
    const of = parts.filter(({ table }) => table === part.table);
    return Response.json({ rows: before + of.flatMap(({ rows }) => rows).length });
  };
  return { parts, asked, to: { url: "https://import.test", token: "operator", fetch: fetchPart } };
}
const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;

describe("an import", () => {
  it("sends every row once, in its order, and keys last", async () => {
    source.exec("create table api_keys (id text primary key)");
    source.exec("insert into api_keys values ('key_1')");
    source.exec("create table d1_migrations (id integer primary key)");
    source.exec("insert into d1_migrations values (1)");
    source.exec("create table records (id text primary key, usd real, note text)");
    source.exec(`${numbers(1_203)} insert into records select 'r' || i, i / 8.0, null from n`);
    source.exec("create table usage (at integer primary key, amount integer) without rowid");
    source.exec(`${numbers(1_100)} insert into usage select i, 9007199254740991 from n`);
    const { parts, asked, to } = target();
    expect(await importAll(source, to)).toEqual({ ok: true, value: 2_304 });
    expect([...new Set(parts.map(({ table }) => table))]).toEqual(["records", "usage", "api_keys"]);
    const rowsOf = (name: string) =>
      parts.filter(({ table }) => table === name).flatMap(({ rows }) => rows);
    expect(rowsOf("records").at(-1)).toEqual(["r1203", 150.375, null]);
    expect(new Set(rowsOf("records").map(([id]) => id)).size).toBe(1_203);
    expect(rowsOf("usage").at(-1)).toEqual([1_100, Number.MAX_SAFE_INTEGER]);
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set(["https://import.test/import"]));
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(
      new Set(["Bearer operator"]),
    );
  });

  it("splits what is too large for one request, and sends a larger row alone", async () => {
    source.exec("create table captures (id integer primary key, sealed text)");
    for (const size of [400_000, 400_000, 400_000, 1_500_000, 10])
      source.exec(`insert into captures (sealed) values ('${"x".repeat(size)}')`);
    const { parts, to } = target();
    expect(await importAll(source, to)).toEqual({ ok: true, value: 5 });
    expect(parts.map(({ rows }) => rows.length)).toEqual([2, 1, 1, 1]);
  });

  it("ends where the object has rows that are not the file's", async () => {
    source.exec("create table tenants (id text primary key)");
    source.exec("insert into tenants values ('ten_1')");
    const found = await importAll(source, target(1).to);
    expect(found).toMatchObject({
      ok: false,
      error: expect.stringContaining("tenants has 2 rows"),
    });
  });

  it("ends at the first refusal, and says what the Worker said", async () => {
    source.exec("create table tenants (id text primary key)");
    source.exec("insert into tenants values ('ten_1')");
    const refusing: typeof fetch = async () =>
      Response.json({ detail: "not here" }, { status: 503 });
    const to = { url: "https://import.test", token: "operator", fetch: refusing };
    expect(await importAll(source, to)).toEqual({
      ok: false,
      error: "https://import.test answered 503: not here",
    });
  });
});
