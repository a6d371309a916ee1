/** Tests of one database run one after the other in it: none may see what another left. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const leftoversSuite = (backend: Backend): void => {
  describe("the database of the next test", () => {
    const world = givenWorld(backend);
    const rowsOf = async (text: string) =>
      value(await world.db.write([raw(sql.raw(text))]))[0] ?? [];

    it("has every migration, no row, and no trigger", async () => {
      const applied = await rowsOf("select name from migrations order by name");
      expect(applied.map(({ name }) => name)).toEqual(backend.migrations.map(({ name }) => name));
      expect(await rowsOf("select name from sqlite_master where type = 'trigger'")).toEqual([]);
      const tables = await rowsOf(`select name from sqlite_master where type = 'table'
        and substr(name, 1, 4) not in ('sqli', '_cf_', 'libs') and name <> 'migrations'`);
      expect(tables.length).toBeGreaterThan(10);
      for (const { name } of tables)
        expect([name, await rowsOf(`select 1 as it from "${String(name)}" limit 1`)]).toEqual([
          name,
          [],
        ]);
    });
  });
};
