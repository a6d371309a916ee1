/** The life of an object's storage: when it gets its tables, when it gets newer ones, and what is never kept. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { migrations } from "../../src/bundled-migrations.ts";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { raw, type Compiled } from "../../src/store/db.ts";
import { createObjectDatabase } from "../../src/store/engines/durable/object-database.ts";
import type { ObjectStorage } from "../../src/store/engines/durable/object-sql.ts";
import type { Outcome } from "../../src/store/engines/contract/engine.ts";
import { compile } from "../../src/store/db.ts";

const job = (...statements: Compiled[]) => statements.map(compile);
const tenant = (id: string) =>
  raw(sql`insert into tenants (id, slug, name, policy, ceiling, version, created_at)
    values (${id}, ${id}, 'A tenant', '{}', '{"limits":{}}', 1, 1)`);
const event = raw(sql`insert into admin_events (id, at, actor, action, target, detail)
  values ('evt_1', 1, 'operator', 'tenant.create', 'x', '{}')`);
const tenants = raw(sql`select id from tenants`);
const rowsOf = (outcome: Outcome, at = 0): unknown[][] =>
  outcome.ok ? (outcome.rows[at]?.values ?? []) : [[outcome.fault.message]];

/** Acts on the storage of an object of its own. */
const within = <T>(name: string, act: (storage: ObjectStorage) => T): Promise<T> =>
  runInDurableObject(env.BARE.getByName(name), (_, state) => act(state.storage));
const open = (
  storage: ObjectStorage,
  {
    applied = migrations,
    databaseKind = "a tenant",
  }: { applied?: typeof migrations; databaseKind?: "a tenant" | "home" } = {},
) =>
  createObjectDatabase({
    storage,
    texts: ledgerTexts,
    migrations: applied,
    databaseKind,
    limitBytes: 1e9,
  });
const tablesOf = (storage: ObjectStorage): number =>
  [...storage.sql.exec("select 1 from sqlite_master where name not like '\\_cf%' escape '\\'")]
    .length;

describe("the storage of a tenant's object", () => {
  it("answers like empty tables where there is no tenant, and stores nothing", async () => {
    await within("invented", (storage) => {
      const database = open(storage);
      expect(rowsOf(database.read(job(tenants)))).toEqual([]);
      expect(rowsOf(database.write(job(raw(sql`delete from tenants returning id`))))).toEqual([]);
      expect(database.write(job(event))).toMatchObject({ ok: true });
      expect(tablesOf(storage)).toBe(0);
      expect(database.isKept()).toBe(false);
    });
  });

  it("gets its tables with its tenant", async () => {
    await within("made", (storage) => {
      const database = open(storage);
      expect(database.write(job(tenant("ten_1"), event))).toMatchObject({ ok: true });
      expect(rowsOf(database.read(job(tenants)))).toEqual([["ten_1"]]);
      expect(database.isKept()).toBe(true);
      expect(rowsOf(open(storage).read(job(tenants)))).toEqual([["ten_1"]]);
    });
  });

  it("stores nothing of a tenant whose creation fails, and says why the creation failed", async () => {
    await within("failed", (storage) => {
      const outcome = open(storage).write(job(tenant("ten_1"), tenant("ten_1")));
      expect(outcome).toMatchObject({ ok: false, fault: { code: "SQLITE_CONSTRAINT" } });
      expect(tablesOf(storage)).toBe(0);
    });
  });

  it("runs an update's migrations before anything else at its first use", async () => {
    await within("updated", (storage) => {
      const before = open(storage);
      before.write(job(tenant("ten_1")));
      const added = { name: "9999_added.sql", sql: "alter table tenants add column added text;" };
      const after = open(storage, { applied: [...migrations, added] });
      expect(rowsOf(after.read(job(raw(sql`select added from tenants`))))).toEqual([[null]]);
      // A process of the version before goes on beside it.
      expect(rowsOf(before.read(job(tenants)))).toEqual([["ten_1"]]);
      expect(rowsOf(open(storage).read(job(tenants)))).toEqual([["ten_1"]]);
    });
  });

  it("answers nothing while a migration fails, and goes on once the migration is mended", async () => {
    await within("broken", (storage) => {
      open(storage).write(job(tenant("ten_1")));
      const broken = {
        name: "9999_broken.sql",
        sql: "create table half (id text);--> statement-breakpoint\nno sql;",
      };
      const failing = open(storage, { applied: [...migrations, broken] });
      expect(failing.read(job(tenants))).toMatchObject({ ok: false });
      expect(failing.write(job(event))).toMatchObject({ ok: false });
      expect(
        rowsOf(
          open(storage).read(job(raw(sql`select name from sqlite_master where name = 'half'`))),
        ),
      ).toEqual([]);
    });
  });

  it("refuses reads and writes of a storage that an unreleased version made, and keeps it", async () => {
    await within("unreleased", (storage) => {
      open(storage).write(job(tenant("ten_1")));
      storage.sql.exec("update migrations set hash = 'x'");
      const refusing = open(storage);
      for (const outcome of [refusing.read(job(tenants)), refusing.write(job(event))])
        expect(outcome).toMatchObject({ fault: { code: "DATABASE_OF_UNRELEASED_VERSION" } });
      expect(refusing.isKept()).toBe(true);
      expect([...storage.sql.exec("select id from tenants")]).toEqual([{ id: "ten_1" }]);
    });
  });

  it("has the home database's tables from the first question on", async () => {
    await within("home-like", (storage) => {
      const database = open(storage, { databaseKind: "home" });
      expect(rowsOf(database.read(job(raw(sql`select count(*) from placements`))))).toEqual([[0]]);
      expect(database.isKept()).toBe(true);
    });
  });

  it("measures its size once for many calls while nearly empty, and for each call while nearly full", async () => {
    await within("sized", (storage) => {
      let [usedBytes, looks] = [0, 0];
      const sized = {
        exec: storage.sql.exec.bind(storage.sql),
        get databaseSize() {
          looks += 1;
          return usedBytes;
        },
      };
      const database = open({
        sql: sized,
        transactionSync: (closure) => storage.transactionSync(closure),
      });
      database.write(job(tenant("ten_1")));
      // Of no row, as any call's admission by statements.
      const admission = raw(
        sql.raw("insert into sampling_requests select * from sampling_requests where 0"),
      );
      const admit = () => database.write(job(admission));
      const outcomes = Array.from({ length: 100 }, admit);
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      expect(looks).toBe(1);
      usedBytes = 945e6;
      for (let calls = 0; calls < 100; calls += 1) admit();
      const before = looks;
      usedBytes = 955e6;
      expect([admit(), admit()]).toMatchObject([{ ok: false }, { ok: false }]);
      expect(looks).toBe(before + 2);
      usedBytes = 0;
      expect(admit()).toMatchObject({ ok: true });
    });
  });

  it("has the migrations of the folder, in their order", () => {
    expect(migrations).toEqual(env.MIGRATIONS);
  });
});
