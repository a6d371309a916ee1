/** Whether a database that can be read takes writes, as the readiness check sees it. */
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { raw, type Database } from "../../../src/store/db.ts";
import { createReadiness, migrate } from "../../../src/store/migrations.ts";
import {
  createProbeMemory,
  createWriteProbe,
} from "../../../src/store/engines/libsql/write-probe.ts";
import { value, type Backend, type Opened } from "./open.ts";

/** Makes the database itself refuse, in SQLite's own words. */
const refuseWith = (db: Database, message: string) =>
  db.write([
    raw(
      sql.raw(`create trigger no_write before insert on write_probes
        begin select raise(abort, '${message}'); end`),
    ),
  ]);

export const readinessSuite = (backend: Backend): void => {
  describe("readiness", () => {
    let opened: Opened;
    let elapsedMs: number;
    let probes: number;
    beforeEach(async () => {
      opened = await backend.open();
      [elapsedMs, probes] = [0, 0];
      value(await migrate(opened.db, backend.migrations));
    });
    afterEach(() => opened.close());

    const given = () => {
      const counted: Database = {
        ...opened.db,
        probe(...about) {
          probes += 1;
          return opened.db.probe(...about);
        },
      };
      const probe = createWriteProbe({
        db: counted,
        memory: createProbeMemory(),
        now: () => 1,
        elapsed: () => elapsedMs,
      });
      const expected = backend.migrations.map(({ name }) => name);
      return createReadiness(opened.db, expected, probe);
    };

    it("finds nothing wrong with a database that takes writes", async () => {
      expect(value(await given().check())).toEqual({ missingMigrations: [] });
    });

    it.each([
      ["attempt to write a readonly database", "read_only"],
      ["database or disk is full", "full"],
      ["something else", "refused"],
    ] as const)("notices that writes fail: %s", async (message, fault) => {
      value(await refuseWith(opened.db, message));
      const checked = value(await given().check());
      expect(checked.writeFault).toBe(fault);
    });

    it("writes once in five seconds, however often it is asked, and then notices a change", async () => {
      const readiness = given();
      for (let count = 0; count < 20; count += 1) await readiness.check();
      expect(probes).toBe(1);
      value(await refuseWith(opened.db, "database or disk is full"));
      elapsedMs = 4_999;
      expect(value(await readiness.check()).writeFault).toBeUndefined();
      elapsedMs = 5_000;
      expect(value(await readiness.check()).writeFault).toBe("full");
      value(await opened.db.write([raw(sql`drop trigger no_write`)]));
      elapsedMs = 10_000;
      expect(value(await readiness.check()).writeFault).toBeUndefined();
      expect(probes).toBe(3);
    });
  });
};
