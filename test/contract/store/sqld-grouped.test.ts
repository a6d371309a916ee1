/** The libSQL server, with all writes that wait in one batch. */
import { createClient } from "@libsql/client/web";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openLibsql, raw, type Database } from "../../../src/store/db.ts";
import { openWriteGroups } from "../../../src/store/engines/libsql/libsql-groups.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { startSqld, type Sqld } from "../../fakes/sqld.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { sqldBackend } from "../../setup/sqld.ts";
import { caller, reservation, settlement } from "./fixtures.ts";
import { storesOn, value, wipe } from "./open.ts";
import { storeSuites } from "./suites.ts";

describe("the libSQL server, writes grouped", () => {
  let sqld: Sqld;
  beforeAll(async () => {
    sqld = await startSqld();
  });
  afterAll(() => sqld.stop());
  storeSuites(sqldBackend(() => sqld.url, "grouped"));

  describe("a group of writes", () => {
    let db: Database;
    let requests: number;
    /** How many answers are lost next, after the server has done what it was asked. */
    let losing: number;
    beforeEach(async () => {
      losing = 0;
      const counting = async (request: Request): Promise<Response> => {
        requests += 1;
        const response = await fetch(request);
        if (losing === 0) return response;
        losing -= 1;
        await response.arrayBuffer();
        throw new TypeError("the connection was lost");
      };
      db = openLibsql(createClient({ url: sqld.url }), {
        groups: openWriteGroups({ url: sqld.url, authToken: null, fetch: counting }),
      });
      await wipe(db);
      value(await migrate(db, readMigrations()));
      value(await db.write([raw(sql`create table t (n integer primary key)`)]));
      requests = 0;
    });
    const insert = (n: number) => raw(sql`insert into t values (${n}) returning n`);
    const numbers = async () =>
      value(await db.write([raw(sql`select n from t order by n`)]))[0]?.map(({ n }) => n);

    it("is one request for all that came while the one before was on its way", async () => {
      const all = Array.from({ length: 40 }, (_, n) => db.write([insert(n)]));
      expect((await Promise.all(all)).map((each) => value(each)[0]?.[0]?.["n"])).toEqual(
        Array.from({ length: 40 }, (_, n) => n),
      );
      expect(requests).toBe(2);
    });

    it("keeps the other writes when one write fails, and nothing of the failed one", async () => {
      const first = db.write([insert(0)]);
      const [one, twice, wrong, last] = await Promise.all([
        db.write([insert(1)]),
        db.write([insert(2), insert(1)]),
        db.write([raw(sql`insert into nowhere values (1)`)]),
        db.write([insert(4)]),
      ]);
      value(await first);
      expect([one.ok, twice, wrong.ok, last.ok]).toEqual([
        true,
        { ok: false, error: { reason: "conflict", detail: expect.any(String) } },
        false,
        true,
      ]);
      expect(requests).toBe(2);
      expect(await numbers()).toEqual([0, 1, 4]);
    });

    it("fails alone when it undoes everybody's transaction", async () => {
      const first = db.write([insert(0)]);
      const [one, undoing, last] = await Promise.all([
        db.write([insert(1)]),
        db.write([insert(2), raw(sql`insert or rollback into t values (1)`)]),
        db.write([insert(4)]),
      ]);
      value(await first);
      expect([one.ok, undoing.ok, last.ok]).toEqual([true, false, true]);
      expect(await numbers()).toEqual([0, 1, 4]);
    });

    it("finds what became of each when its answer was lost: admissions and settlements by their ids", async () => {
      const { ledger } = storesOn(db);
      const limits = { usdPerDay: 1, requestsPerMinute: 3 };
      const who = await caller(storesOn(db), { tenantLimits: limits });
      const asked = Array.from({ length: 5 }, () => reservation(who, 1_800_000_000_000));
      losing = 1;
      const admitted = await Promise.all(asked.map((each) => ledger.admit(each)));
      const states = admitted.map((each) => value(each).state);
      // Which three: a busy server may fail the first one's group, which then comes behind the others.
      expect(states.toSorted()).toEqual(["admitted", "admitted", "admitted", "refused", "refused"]);
      const ended = asked.filter((_, at) => states[at] === "admitted");
      losing = 1;
      const settled = await Promise.all(
        ended.map((each) => ledger.settle(settlement(each, 1_800_000_001_000))),
      );
      expect(settled.map(value)).toEqual([true, true, true]);
      const sums = value(
        await db.write([
          raw(sql`select sum(amount) as spent from counters where resource = 'usd_day'`),
          raw(sql`select sum(succeeded) as ended from usage`),
          raw(sql`select count(*) as rows from sampling_requests`),
        ]),
      ).map(([row]) => Object.values(row ?? {})[0]);
      expect(sums).toEqual([1_500, 3, 5]);
    });

    it("answers unavailable for a lost write whose outcome can't be found", async () => {
      losing = 1;
      expect(await db.write([insert(1)])).toMatchObject({
        ok: false,
        error: { reason: "unavailable" },
      });
      expect(requests).toBe(1);
      expect(await numbers()).toEqual([1]);
    });
  });
});
