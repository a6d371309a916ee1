/** Reads can't write: the connections they have are opened so. */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import type { EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { value } from "../store/open.ts";

describe("a reader of the embedded engine", () => {
  const folder = givenFolder();
  let engine: EmbeddedEngine;
  beforeAll(async () => {
    engine = await startEngine(folder.path);
    value(await openOverEngine(engine).write([raw(sql`create table t (n integer)`)]));
  });
  afterAll(async () => {
    await engine.close();
    folder.remove();
  });

  it.each([
    "insert into t values (1)",
    "update t set n = 2",
    "delete from t",
    "drop table t",
    "create table u (n integer)",
    "pragma user_version = 7",
    "vacuum",
  ])("can't do: %s", async (statement) => {
    expect(await engine.read([{ sql: statement, params: [] }])).toMatchObject({
      ok: false,
      fault: { code: expect.stringMatching(/^SQLITE_READONLY/) },
    });
  });

  it("can't make itself a writer", async () => {
    await engine.read([{ sql: "pragma query_only = off", params: [] }]);
    expect(await engine.read([{ sql: "insert into t values (1)", params: [] }])).toMatchObject({
      ok: false,
    });
  });

  it("reads several statements at one moment", async () => {
    const count = { sql: "select count(*) from t", params: [] };
    // Long enough for the writer to get in between.
    const slow = {
      sql: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select max(i) from n",
      params: [],
    };
    const reading = engine.read([count, slow, count]);
    value(await openOverEngine(engine).write([raw(sql`insert into t values (1)`)]));
    const read = await reading;
    if (!read.ok) throw new Error(read.fault.message);
    expect(read.rows[2]).toEqual(read.rows[0]);
  });
});
