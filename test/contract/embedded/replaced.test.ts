/** What becomes of writes when the database's files are deleted or replaced while they are open. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { raw, type Database } from "../../../src/store/db.ts";
import { startEmbedded, type EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { databaseThread, givenFolder } from "../../setup/engine.ts";
import { value } from "../store/open.ts";

const replaced = {
  ok: false,
  error: { reason: "unavailable", retryAfterMs: 60_000, cause: "replaced" },
};

describe("an embedded database that is deleted or replaced while it is open", () => {
  let folder: ReturnType<typeof givenFolder>;
  let engine: EmbeddedEngine;
  let db: Database;
  let reports = 0;
  const insert = raw(sql`insert into t values ('one')`);
  beforeEach(async () => {
    folder = givenFolder();
    reports = 0;
    const started = await startEmbedded({
      path: folder.path,
      thread: databaseThread,
      memoryLedger: null,
      onReplaced: () => void (reports += 1),
    });
    if (!started.ok) throw new Error(started.error);
    engine = started.value;
    db = openOverEngine(engine);
    value(await db.write([raw(sql`create table t (text text)`)]));
  });
  afterEach(async () => {
    await engine.close();
    folder.remove();
  });
  const wal = (): string => `${folder.path}-wal`;

  it.each([
    ["deleted", () => rmSync(folder.path)],
    ["deleted, and its log", () => (rmSync(folder.path), rmSync(wal()))],
    ["without its log", () => rmSync(wal())],
    ["moved away", () => renameSync(folder.path, `${folder.path}.moved`)],
    [
      "replaced by a copy of itself",
      () => {
        copyFileSync(folder.path, `${folder.path}.copy`);
        renameSync(`${folder.path}.copy`, folder.path);
      },
    ],
    [
      "gone with its folder, which was made again",
      () => {
        rmSync(dirname(folder.path), { recursive: true });
        mkdirSync(dirname(folder.path));
      },
    ],
  ])("takes no write once it is %s, says so once, and can still be read", async (_, change) => {
    value(await db.write([insert]));
    const read = () => db.read((builder) => builder.all(sql`select text from t`));
    // Each of the two readers opens the file with its first read.
    await Promise.all([read(), read()]);
    change();
    expect(await db.write([insert])).toEqual(replaced);
    expect(await db.write([insert])).toEqual(replaced);
    expect(await db.probe(insert, 2_000)).toBe("replaced");
    expect(reports).toBe(1);
    expect(await read()).toMatchObject({ ok: true });
  });

  it("stays refused when the file is put back, since nobody knows what is missing", async () => {
    renameSync(folder.path, `${folder.path}.moved`);
    expect(await db.write([insert])).toEqual(replaced);
    renameSync(`${folder.path}.moved`, folder.path);
    expect(await db.write([insert])).toEqual(replaced);
  });

  it("leaves the log of the database that took its place", async () => {
    rmSync(folder.path);
    rmSync(wal());
    writeFileSync(folder.path, "another database");
    writeFileSync(wal(), "its log");
    // Nothing was written since, so only the end can find it.
    await engine.close();
    expect([existsSync(wal()), readFileSync(folder.path, "utf8")]).toEqual([
      true,
      "another database",
    ]);
    expect(readFileSync(wal(), "utf8")).toBe("its log");
  });

  it("goes on beside readers, copies and a log that was taken into the file", async () => {
    // In a process of its own: a process that closes a file ends all of its own locks on that file.
    const shell = `const { DatabaseSync } = require("node:sqlite");
      const opened = new DatabaseSync(process.argv[1]);
      opened.exec("select count(*) from t; pragma wal_checkpoint(truncate)");
      opened.close();`;
    execFileSync(process.execPath, ["-e", shell, folder.path]);
    copyFileSync(folder.path, `${folder.path}.copy`);
    value(await db.write([insert]));
    expect(reports).toBe(0);
  });
});
