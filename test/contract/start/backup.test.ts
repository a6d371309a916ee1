/** `npm run backup` and `npm run restore`, as processes, beside a running server and without one. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { openLocally } from "../../../src/store/engines/embedded/local.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { fromSource } from "../../setup/from-source.ts";
import { startEngine } from "../../setup/engine.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { caller, reservation, settlement } from "../store/fixtures.ts";
import { storesOn, value } from "../store/open.ts";

const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../../src/cli/${name}.ts`, import.meta.url));

describe("backup and restore", () => {
  let stateDir: string;
  let path: string;
  let engine: EmbeddedEngine | null;
  beforeEach(async () => {
    stateDir = mkdtempSync(join(tmpdir(), "sampling-router-state-"));
    mkdirSync(join(stateDir, "embedded"));
    path = join(stateDir, "embedded", "router.sqlite");
    engine = await startEngine(path);
    value(await migrate(openOverEngine(engine), readMigrations()));
  });
  afterEach(async () => {
    await engine?.close();
    rmSync(stateDir, { recursive: true });
  });
  const stop = async (): Promise<void> => {
    await engine?.close();
    engine = null;
  };
  const run = (command: "backup" | "restore" | "doctor", ...args: string[]) =>
    new Promise<{ code: number; said: string }>((resolve) => {
      const env = { PATH: process.env["PATH"], STATE_DIR: stateDir, ...fromSource };
      const all = [programOf(command), ...args];
      execFile(process.execPath, all, { env }, (fault, stdout, stderr) =>
        resolve({ code: fault === null ? 0 : Number(fault.code), said: `${stdout}${stderr}` }),
      );
    });
  /** Appends to the text of a table, as somebody does who forges a file. */
  const forge = (table: string, more: string): string => `pragma writable_schema = on;
    update sqlite_master set sql = rtrim(sql, ' )' || char(10)) || ', ${more.replaceAll("'", "''")})'
      where name = '${table}';
    pragma schema_version = 99999; pragma writable_schema = off`;
  const backupFile = (): string => join(stateDir, "backup.sqlite");
  /** One call that has ended, and one that has not. */
  async function calls(): Promise<void> {
    if (engine === null) throw new Error("no engine");
    const stores = storesOn(openOverEngine(engine));
    const limits = { usdPerDay: 10, concurrent: 9 };
    const who = await caller(stores, { tenantLimits: limits });
    const [ended, open] = [reservation(who, Date.now()), reservation(who, Date.now())];
    for (const each of [ended, open]) value(await stores.ledger.admit(each));
    value(await stores.ledger.settle(settlement(ended, Date.now())));
  }
  const outcomes = (file: string): unknown => {
    const opened = openLocally(file, "reads");
    const found = opened.one(
      "select json_group_array(outcome) from (select outcome from sampling_requests order by outcome)",
    );
    opened.close();
    return JSON.parse(String(found));
  };

  it("writes a whole backup beside a running server, and says that the key is not in it", async () => {
    await calls();
    const { code, said } = await run("backup", backupFile());
    expect(said).toContain("A server is running on it and continues.");
    expect(said).toContain("1 tenant, 2 records");
    expect(said).toContain("MASTER_KEY is not included.");
    expect(code).toBe(0);
    expect(outcomes(backupFile())).toEqual(["admitted", "succeeded"]);
    expect(statSync(backupFile()).mode & 0o077).toBe(0);
    await calls();
    expect(outcomes(path)).toHaveLength(4);
  });

  it("writes what a server that was killed left in its log", async () => {
    await calls();
    const copy = join(stateDir, "embedded", "copy.sqlite");
    for (const end of ["", "-wal"]) writeFileSync(`${copy}${end}`, readFileSync(`${path}${end}`));
    await stop();
    for (const end of ["", "-wal"]) {
      writeFileSync(`${path}${end}`, readFileSync(`${copy}${end}`));
      rmSync(`${copy}${end}`);
    }
    expect((await run("backup", backupFile())).code).toBe(0);
    expect(outcomes(backupFile())).toEqual(["admitted", "succeeded"]);
  });

  it("writes over no file, and leaves nothing of a backup that failed", async () => {
    writeFileSync(backupFile(), "mine");
    expect(await run("backup", backupFile())).toMatchObject({
      code: 1,
      said: expect.stringContaining("already exists"),
    });
    expect(readFileSync(backupFile(), "utf8")).toBe("mine");
    await stop();
    writeFileSync(path, "x".repeat(10_000));
    expect((await run("backup", join(stateDir, "other.sqlite"))).code).toBe(1);
    expect(readdirSync(stateDir).filter((name) => name.startsWith("other"))).toEqual([]);
  });

  it("is refused while a server runs, which it names, also with --force", async () => {
    await run("backup", backupFile());
    const { code, said } = await run("restore", backupFile(), "--force");
    expect([code, said]).toEqual([1, expect.stringContaining(`pid ${process.pid} since`)]);
  });

  it("is refused where there is a database, and with --force moves that one aside", async () => {
    await calls();
    await run("backup", backupFile());
    await calls();
    await stop();
    expect(await run("restore", backupFile())).toMatchObject({
      code: 1,
      said: expect.stringContaining("--force"),
    });
    expect(outcomes(path)).toHaveLength(4);
    writeFileSync(`${path}.records.json`, '{"ten_1":4}');
    const { code, said } = await run("restore", backupFile(), "--force");
    expect([code, said]).toEqual([0, expect.stringContaining("1 call was running")]);
    // The next start would report the newer records as lost.
    expect(existsSync(`${path}.records.json`)).toBe(false);
    expect(outcomes(path)).toEqual(["succeeded", "unknown"]);
    const aside = readdirSync(join(stateDir, "embedded")).find((name) =>
      /replaced-\d+$/.test(name),
    );
    expect(outcomes(join(stateDir, "embedded", aside ?? ""))).toHaveLength(4);
  });

  it("ends what was under way as unknown, charged as reserved, and the router goes on from there", async () => {
    await calls();
    await run("backup", backupFile());
    await stop();
    rmSync(join(stateDir, "embedded"), { recursive: true });
    const { code, said } = await run("restore", backupFile());
    expect([code, said]).toEqual([0, expect.stringContaining("MASTER_KEY is missing")]);
    const opened = openLocally(path, "reads");
    const sums = [
      "select sum(cost_micro_usd) from sampling_requests where outcome = 'unknown'",
      "select sum(unknown) from usage",
      "select sum(cost_micro_usd) from usage",
    ].map(opened.one);
    opened.close();
    expect(sums).toEqual([1_000, 1, 1_500]);
    engine = await startEngine(path);
    await calls();
    expect(outcomes(path)).toHaveLength(4);
  });

  describe("with a file from elsewhere", () => {
    const proof = (): string => join(stateDir, "written-by-sql");
    const wrote = (): string => `writefile('${proof()}', 'x')`;
    const change = (sql: string): void => {
      const database = new DatabaseSync(backupFile());
      database.exec(sql);
      database.close();
    };
    beforeEach(async () => {
      await calls();
      await run("backup", backupFile());
      await stop();
      rmSync(path);
    });

    it.each([
      ["a check constraint", () => forge("tenants", `check (${wrote()} is not null)`)],
      ["a generated column", () => forge("tenants", `more text generated always as (${wrote()})`)],
      ["a trigger", () => `create trigger t after insert on usage begin select ${wrote()}; end`],
      ["a view", () => `create view v as select ${wrote()} as x`],
      [
        "a view in a table's place",
        () => `drop table alerts; create view alerts as select ${wrote()}`,
      ],
      ["a virtual table", () => "create virtual table v using fts5(x)"],
      ["an index with an expression", () => `create index i on tenants (abs(id))`],
      [
        "another index of the same name",
        () => {
          const database = new DatabaseSync(backupFile());
          const sql = "select name from sqlite_master where type = 'index' and sql is not null";
          const name = String(database.prepare(sql).get()?.["name"]);
          database.close();
          return `drop index "${name}"; create index "${name}" on tenants (abs(id))`;
        },
      ],
      ["a table", () => "create table mine (x)"],
      ["no table of the migrations", () => "drop table usage"],
      ["a name with a line break", () => `create table "a\nb" (x)`],
      [
        "a migration of another version",
        () => "insert into migrations (hash, name) values ('', '9999_x.sql')",
      ],
      [
        "a list of migrations that is a view",
        () => `drop table migrations;
        create view migrations as select 1 as id, ${wrote()} as name`,
      ],
    ])("runs nothing of %s, and restores nothing", async (_, sql) => {
      change(sql());
      const { code, said } = await run("restore", backupFile());
      expect(said).toMatch(/^sampling-router: \S+ can't be restored: .*\n$/);
      expect([code, existsSync(proof()), existsSync(path)]).toEqual([1, false, false]);
    });

    it("refuses SQL text, whatever comments stand in it", async () => {
      writeFileSync(backupFile(), `/* ' */ select ${wrote()}; -- '\n`);
      expect(await run("restore", backupFile())).toMatchObject({
        code: 1,
        said: expect.stringContaining("it isn't a SQLite database"),
      });
      expect(existsSync(proof())).toBe(false);
    });

    it("keeps every stored value as it is", async () => {
      change(`insert into job_leases (job, until, cursor) values
        ('nul', 1, cast(x'610062' as text)), ('bytes', 2, x'00ff'), ('bad', 3, cast(x'ff' as text)),
        ('large', 9223372036854775807, 4.5)`);
      expect((await run("restore", backupFile())).code).toBe(0);
      const rows = (file: string) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const found = database
          .prepare(
            "select job, cast(until as text) as until, typeof(cursor) as kind, hex(cursor) as cursor from job_leases order by 1",
          )
          .all();
        database.close();
        return found;
      };
      expect(rows(path)).toEqual(rows(backupFile()));
      expect(rows(path)).toHaveLength(4);
    });

    it("takes a backup with statistics of the planner's", async () => {
      change("analyze");
      expect((await run("restore", backupFile())).code).toBe(0);
    });
  });

  it("opens no database that could run code, for a backup or for the doctor", async () => {
    await stop();
    const proof = join(stateDir, "written-by-sql");
    const database = new DatabaseSync(path);
    database.exec(forge("tenants", `check (writefile('${proof}', 'x') is not null)`));
    database.close();
    for (const said of [await run("backup", backupFile()), await run("doctor")])
      expect(said).toEqual({
        code: 1,
        said: expect.stringContaining('"table tenants" is not part'),
      });
    expect([existsSync(proof), existsSync(backupFile())]).toEqual([false, false]);
  });

  it("says at the backup what a restore would refuse", async () => {
    await stop();
    const database = new DatabaseSync(path);
    database.exec("create table mine (x)");
    database.close();
    const { code, said } = await run("backup", backupFile());
    expect([code, said]).toEqual([
      1,
      expect.stringContaining('refuses it: "table mine" is not part'),
    ]);
  });

  it("writes through no link that stands beside the backup", async () => {
    const target = join(stateDir, "target");
    writeFileSync(target, "");
    symlinkSync(target, `${backupFile()}.partial`);
    expect((await run("backup", backupFile())).code).toBe(0);
    expect(readFileSync(target, "utf8")).toBe("");
    expect(readdirSync(stateDir).filter((name) => name.startsWith("backup.sqlite"))).toEqual([
      "backup.sqlite",
      "backup.sqlite.partial",
    ]);
  });

  it("takes no file that is no backup, and leaves nothing behind", async () => {
    await stop();
    rmSync(path);
    for (const content of ["", "x".repeat(10_000)]) {
      writeFileSync(backupFile(), content);
      expect((await run("restore", backupFile())).code).toBe(1);
      expect(existsSync(path)).toBe(false);
    }
    expect(
      readdirSync(join(stateDir, "embedded")).filter((name) => /restoring/.test(name)),
    ).toEqual([]);
  });
});
