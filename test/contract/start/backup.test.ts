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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmbeddedEngine } from "../../../src/store/embedded/engine.ts";
import { openLocally } from "../../../src/store/embedded/local.ts";
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
  const run = (command: "backup" | "restore", ...args: string[]) =>
    new Promise<{ code: number; said: string }>((resolve) => {
      const env = { PATH: process.env["PATH"], STATE_DIR: stateDir, ...fromSource };
      const all = [programOf(command), ...args];
      execFile(process.execPath, all, { env }, (fault, stdout, stderr) =>
        resolve({ code: fault === null ? 0 : Number(fault.code), said: `${stdout}${stderr}` }),
      );
    });
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
    expect(said).toContain("A server is running on it, and goes on.");
    expect(said).toContain("1 tenant, 2 records");
    expect(said).toContain("MASTER_KEY is not in it.");
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
      said: expect.stringContaining("exists already"),
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
    const { code, said } = await run("restore", backupFile(), "--force");
    expect([code, said]).toEqual([0, expect.stringContaining("1 call was under way")]);
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
    expect([code, said]).toEqual([0, expect.stringContaining("There is no MASTER_KEY here")]);
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
