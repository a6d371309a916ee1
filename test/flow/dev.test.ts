/** `npm run dev`: the Worker in the real Workers runtime, as whoever works on it starts it. */
import { existsSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { asking, callOnce } from "../fakes/caller.ts";
import {
  spawnLauncher,
  startRouter,
  temporaryStateDir,
  type Router,
  type RouterOptions,
} from "../fakes/router.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(60_000);
const started: Router[] = [];
async function start(options: RouterOptions = {}): Promise<Router> {
  const router = await startRouter({ host: "workerd", ...options });
  started.push(router);
  return router;
}
afterAll(async () => {
  await Promise.all(started.map((router) => router.stop()));
});

const sample = async (router: Router): Promise<unknown> =>
  (await callOnce(router, router.demoKey, asking("Say hello.", { maxTokens: 100 }))).body;
const sampled = { result: { role: "assistant", content: { type: "text" } } };

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a crash, an end and another start", () => {
  const stateDir = temporaryStateDir();
  let next: Router;
  let byNpm: Router;

  it(
    "after a crash of the launcher, the next start ends the runtime that is left",
    { timeout },
    async () => {
      const crashed = await start({ stateDir });
      const [left] = crashed.runtimePids();
      process.kill(crashed.pid, "SIGKILL");
      await expect.poll(() => isAlive(crashed.pid)).toBe(false);
      expect(crashed.runtimePids()).toEqual([left]);
      // The same port too, which the one that was left still holds.
      next = await start({ stateDir, env: { PORT: new URL(crashed.url).port } });
      expect(next.output()).toContain(`Stopped the runtime of an earlier start, pid ${left}.`);
      expect(next.runtimePids()).toHaveLength(1);
      expect(next.runtimePids()).not.toContain(left);
      expect(next.demoKey).toBe(crashed.demoKey);
      expect(await sample(next)).toMatchObject(sampled);
    },
  );

  it("ends with 0 on Ctrl-C and leaves no process", { timeout }, async () => {
    const [runtime] = next.runtimePids();
    expect(runtime).toBeDefined();
    // A terminal sends it to everybody in the foreground: the runtime dies under the launcher.
    if (runtime !== undefined) process.kill(runtime, "SIGINT");
    expect(await next.stop()).toBe(0);
    expect(next.runtimePids()).toEqual([]);
    expect(existsSync(join(stateDir, "runtime.json"))).toBe(false);
  });

  it("starts again after an update of the runtime", { timeout }, async () => {
    // What it leaves: a link to the old one, which is gone.
    const link = join(stateDir, "workerd");
    unlinkSync(link);
    symlinkSync("/nowhere/workerd", link);
    byNpm = await start({ stateDir, command: ["npm", "run", "dev"] });
    expect(await sample(byNpm)).toMatchObject(sampled);
    expect(readFileSync(join(stateDir, "secrets.json"), "utf8")).toContain(byNpm.adminToken);
  });

  it("leaves nothing when npm is told to end", { timeout }, async () => {
    expect(byNpm.runtimePids()).toHaveLength(1);
    // npm passes it on to the shell between them, which passes it on to nobody.
    process.kill(byNpm.pid, "SIGTERM");
    await expect.poll(() => byNpm.runtimePids(), { timeout: patient(10_000) }).toEqual([]);
    await expect
      .poll(() => existsSync(join(stateDir, "runtime.json")), { timeout: patient(10_000) })
      .toBe(false);
  });
});

describe("Ctrl-C right after the start", () => {
  const childrenOf = (pid: number): number[] => {
    const path = `/proc/${pid}/task/${pid}/children`;
    if (!existsSync(path)) return [];
    return (readFileSync(path, "utf8").match(/\d+/g) ?? []).map(Number);
  };

  /** Finds no console of an earlier start, as after a change of the console's source. */
  const forgetful = `--import=data:text/javascript,${encodeURIComponent(
    `import fs from "node:fs";
     import { syncBuiltinESMExports } from "node:module";
     const { existsSync } = fs;
     fs.existsSync = (path) => !String(path).endsWith("console.json") && existsSync(path);
     syncBuiltinESMExports();`,
  )}`;

  it("ends quietly, though a terminal ends the bundler first", { timeout }, async () => {
    const { child, output, ended } = await spawnLauncher({
      host: "workerd",
      env: { NODE_OPTIONS: forgetful },
    });
    await expect.poll(output, { timeout, interval: 5 }).toContain("Bundling");
    const pid = child.pid ?? 0;
    await expect
      .poll(() => existsSync("/proc") && childrenOf(pid).length, { timeout, interval: 2 })
      .not.toBe(0);
    for (const each of childrenOf(pid)) process.kill(each, "SIGKILL");
    // The launcher has heard of the one before it hears of the other.
    await new Promise((resolve) => setTimeout(resolve, 120));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(output().trim().split("\n")).toEqual(["Bundling the Worker…", "Ending."]);
  });
});
