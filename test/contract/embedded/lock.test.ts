/** One process owns the file, and every other process learns which one. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEmbedded } from "../../../src/store/engines/embedded/engine.ts";
import { databaseThread, givenFolder, startEngine } from "../../setup/engine.ts";
import { fromSource } from "../../setup/from-source.ts";

const program = fileURLToPath(new URL("../../fakes/embedded-owner.ts", import.meta.url));

describe("the owner of a database's file", () => {
  let folder: ReturnType<typeof givenFolder>;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = givenFolder();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await kill9(child);
    folder.remove();
  });
  async function kill9(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  /** Another process that tries to own it, and what it says. */
  async function another(): Promise<{ child: ChildProcess; says: string }> {
    const child = spawn(process.execPath, [program, folder.path], {
      env: { ...process.env, ...fromSource },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    return { child, says: String(said).trim() };
  }
  const start = () =>
    startEmbedded({ path: folder.path, thread: databaseThread, memoryLedger: null });

  it("is named to the second process, which is refused", async () => {
    const engine = await startEngine(folder.path);
    const { says } = await another();
    expect(says).toContain(`${folder.path} is in use by another process, pid ${process.pid} since`);
    await engine.close();
    expect((await another()).says).toBe("owned");
  });

  it("is named to a second engine of the same process, and stays the owner", async () => {
    const engine = await startEngine(folder.path);
    for (let times = 0; times < 2; times += 1) {
      const second = await start();
      expect(second).toMatchObject({ ok: false });
    }
    expect((await another()).says).toContain(`pid ${process.pid} since`);
    await engine.close();
  });

  it("is free when its holder was killed, whatever files the holder left", async () => {
    const { child, says } = await another();
    expect(says).toBe("owned");
    const refused = await start();
    expect(refused.ok ? "" : refused.error).toContain(`, pid ${child.pid} since 20`);
    await kill9(child);
    await (await startEngine(folder.path)).close();
  });

  it("is not found in a file that says who, without a lock", async () => {
    writeFileSync(`${folder.path}.owner.json`, JSON.stringify({ pid: process.ppid }));
    await (await startEngine(folder.path)).close();
  });
});
