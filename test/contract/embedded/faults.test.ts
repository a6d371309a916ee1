/** What becomes of calls when the file can't be written, or is not what it was. */
import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { openReader } from "../../../src/store/engines/embedded/connection.ts";
import { startEmbedded } from "../../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { diskEnvironment, noDisk } from "../../fakes/disk.ts";
import { databaseThread, givenFolder, startEngine } from "../../setup/engine.ts";
import { value } from "../store/open.ts";
import { fromSource } from "../../setup/from-source.ts";

/** Root may write to every file, so the program runs as nobody then, who has to find it. */
function whyUnreadable(): string | null {
  if (process.getuid?.() !== 0) return null;
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0)
      return "root may write to every file, and nobody may not enter this checkout";
  return null;
}
const unreadable = whyUnreadable();

const program = fileURLToPath(new URL("../../fakes/embedded-writer.ts", import.meta.url));
const missing = noDisk();
/** Whom modes of files bind, unlike root. */
const nobody = 65_534;

describe("the embedded engine on a bad file", () => {
  let folder: ReturnType<typeof givenFolder>;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = givenFolder();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    folder.remove();
  });
  /** A writer's lines, one after the other. */
  function writer(options: { env?: Record<string, string>; uid?: number }) {
    const { env, uid } = options;
    const child = spawn(process.execPath, [program, folder.path], {
      env: { ...process.env, ...fromSource, ...env },
      stdio: ["ignore", "pipe", "inherit"],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    return {
      next,
      async until(wanted: (line: string) => boolean): Promise<string> {
        for (;;) {
          const line = await next();
          if (wanted(line) || line === "undefined") return line;
        }
      },
    };
  }
  const fill = async (): Promise<void> => {
    const engine = await startEngine(folder.path);
    const db = openOverEngine(engine);
    value(await db.write([raw(sql`create table t (text text)`)]));
    // More than a connection keeps in memory.
    value(
      await db.write([
        raw(sql`
          with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
          insert into t select ${"x".repeat(3_000)} from n`),
      ]),
    );
    await engine.close();
  };
  const start = () =>
    startEmbedded({ path: folder.path, thread: databaseThread, memoryLedger: null });
  const overwrite = (from: number, bytes: number): void => {
    const file = openSync(folder.path, "r+");
    writeSync(file, Buffer.alloc(bytes, 0x5a), 0, bytes, from);
    closeSync(file);
  };

  it.skipIf(missing !== null)(
    `refuses writes while the disk is full, and takes them again by itself${missing ?? ""}`,
    async () => {
      const flag = `${folder.path}.full`;
      const its = writer({ env: diskEnvironment({ path: folder.path, fullWhile: flag }) });
      expect(await its.next()).toBe("written");
      writeFileSync(flag, "");
      const refused = await its.until((line) => line !== "written");
      expect(refused).toBe(
        'full {"ok":false,"error":{"reason":"unavailable","retryAfterMs":1000}}',
      );
      rmSync(flag);
      expect(await its.until((line) => line === "written")).toBe("written");
      for (const child of children.splice(0)) child.kill("SIGKILL");
      const reader = openReader(folder.path);
      const [check] = reader.run({ sql: "pragma integrity_check", params: [] }).values;
      const [part] = reader.run({
        sql: "select count(*) from t where length(text) <> 20000",
        params: [],
      }).values;
      reader.close();
      expect([check, part]).toEqual([["ok"], [0]]);
    },
  );

  it("says at the start that a file can't be written", async ({ skip }) => {
    if (unreadable !== null) return skip(unreadable);
    await fill();
    if (process.getuid?.() === 0) {
      chownSync(dirname(folder.path), nobody, nobody);
      for (const end of ["", "-wal", "-shm", ".lock"])
        if (statSync(`${folder.path}${end}`, { throwIfNoEntry: false }) !== undefined)
          chownSync(`${folder.path}${end}`, nobody, nobody);
    }
    chmodSync(folder.path, 0o400);
    const root = process.getuid?.() === 0;
    const said = await writer(root ? { uid: nobody } : {}).next();
    expect(said).toBe(
      `${folder.path} can't be written: see its mode, its owner and its file system`,
    );
  });

  it("says at the start that a file is no database", async () => {
    writeFileSync(folder.path, "x".repeat(10_000));
    expect(await start()).toEqual({
      ok: false,
      error: `${folder.path} is corrupted: restore a backup of it, or move it away to start over`,
    });
  });

  it("says at the start that a page in the middle is damaged", async () => {
    await fill();
    overwrite(4_096 * 2, 4_096 * 4);
    expect(await start()).toMatchObject({ ok: false, error: expect.stringContaining("corrupted") });
  });

  it("writes nothing more once it has met a damaged page", async () => {
    await fill();
    const engine = await startEngine(folder.path);
    const db = openOverEngine(engine);
    overwrite(4_096, statSync(folder.path).size - 4_096);
    const insert = raw(sql`insert into t select text from t`);
    expect(await db.probe(insert, 2_000)).toBe("corrupt");
    const unrelated = raw(sql`create table u (n integer)`);
    expect(await db.write([unrelated])).toEqual({
      ok: false,
      error: { reason: "unavailable", retryAfterMs: 1_000 },
    });
    expect(await db.probe(unrelated, 2_000)).toBe("corrupt");
    await engine.close();
  });
});
