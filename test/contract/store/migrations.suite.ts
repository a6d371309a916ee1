import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { createReadiness, migrate, type Migration } from "../../../src/store/migrations.ts";
import { storesOn, value, type Backend, type Opened } from "./open.ts";

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

    it("leave older servers all passed headers, and give new servers none", async () => {
      const before = migrations.slice(
        0,
        migrations.findIndex(({ name }) => name.endsWith("_pass_headers.sql")),
      );
      expect(before.length).toBeGreaterThan(0);
      value(await migrate(here(), before));
      // As a process of the version before writes the row, also when the database is a step ahead
      // of the process.
      const insert = (id: string) =>
        here().write([
          raw(sql`insert into servers (id, tenant_id, slug, url, header_names, forward_authorization,
            sampling, supported_modalities, policy, learnt, status, created_at, updated_at)
            values (${id}, 'ten_1', ${id}, 'https://s.test/', '[]', 0, 'router', 0, '{}', '{}', 'active', 1, 1)`),
        ]);
      value(await insert("older"));
      value(await migrate(here(), migrations));
      value(await insert("newer"));
      const { servers } = storesOn(here());
      expect(value(await servers.byId("ten_1", "older"))?.passHeaders).toEqual(["*"]);
      expect(value(await servers.byId("ten_1", "newer"))?.passHeaders).toEqual([]);
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
