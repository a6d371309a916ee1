import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { applyMigrations } from "../../../src/start/migrations.ts";
import {
  createReadiness,
  madeByUnreleased,
  migrate,
  type Migration,
} from "../../../src/store/migrations.ts";
import { value, type Backend, type Opened } from "./open.ts";

export const migrationsSuite = (backend: Backend): void => {
  describe("migrations", () => {
    const { migrations } = backend;
    const names = migrations.map(({ name }) => name);
    let opened: Opened[];
    const here = () => {
      const [first] = opened;
      if (first === undefined) throw new Error("no database");
      return first.db;
    };
    const again = async () => {
      const next = await backend.again();
      opened.push(next);
      return next.db;
    };
    beforeEach(async () => {
      opened = [await backend.open()];
    });
    afterEach(async () => {
      for (const each of opened.toReversed()) await each.close();
    });

    it("applies each once, in order", async () => {
      expect(value(await migrate(here(), migrations))).toEqual(names);
      expect(value(await migrate(here(), migrations))).toEqual([]);
    });

    it("applies each once though several migrators start together", async () => {
      const databases = [here(), await again(), await again(), await again()];
      const applied = await Promise.all(databases.map((db) => migrate(db, migrations)));
      // Each migration is applied by one migrator, whichever came first.
      expect(applied.flatMap(value).toSorted()).toEqual(names);
      expect(value(await createReadiness(here(), names).check()).missingMigrations).toEqual([]);
    });

    it("applies all of a migration or none of it", async () => {
      const broken: Migration = {
        name: "9999_broken.sql",
        sql: "create table half (id text);--> statement-breakpoint\nnot sql at all;",
      };
      value(await migrate(here(), migrations));
      expect(await migrate(here(), [...migrations, broken])).toMatchObject({ ok: false });
      const [tables] = value(
        await here().write([raw(sql`select name from sqlite_master where name = 'half'`)]),
      );
      expect(tables).toEqual([]);
      const mended = { ...broken, sql: "create table half (id text);--> statement-breakpoint\n" };
      expect(value(await migrate(here(), [...migrations, mended]))).toEqual([broken.name]);
    });

    it.each([
      ["another baseline", ["update migrations set hash = 'x'"]],
      ["the table of before the first release", ["alter table migrations rename to d1_migrations"]],
    ])("recognizes an unreleased version by %s, and writes nothing", async (_, changes) => {
      value(await migrate(here(), migrations));
      expect(value(await madeByUnreleased(here()))).toBe(false);
      value(await here().write(changes.map((text) => raw(sql.raw(text)))));
      expect(await createReadiness(here(), names).check()).toMatchObject({
        ok: false,
        error: { reason: "unavailable", cause: "unreleased" },
      });
      expect(await applyMigrations(here(), migrations, "the database")).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^the database was made by an unreleased version/) as unknown,
      });
      const [tables] = value(
        await here().write([
          raw(sql`select name from sqlite_master where name in ('migrations', 'd1_migrations')`),
        ]),
      );
      expect(tables).toHaveLength(1);
    });

    it("tells which ones a database lacks", async () => {
      const expected = [...names, "9999_next.sql"];
      const readiness = createReadiness(here(), expected);
      expect(value(await readiness.check()).missingMigrations).toEqual(expected);
      value(await migrate(here(), migrations));
      expect(value(await readiness.check()).missingMigrations).toEqual(["9999_next.sql"]);
    });
  });
};
