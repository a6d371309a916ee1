/** Gateways of others that the router is measured beside, from a lockfile of their own. */
import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Ending } from "../../src/start/ending.ts";
import { checkout } from "../../src/start/settings.ts";
import { freePort, whenGone } from "../fakes/sqld.ts";

/** What is pinned. Not installed there: the tests read everything below `test`. */
const pinned = join(import.meta.dirname, "peers");
const folder = join(checkout, "node_modules", ".cache", "sampling-router-bench", "peers");
const portkeyName = "@portkey-ai/gateway";
const installWithinMs = 300_000;
const readyWithinMs = 30_000;
const connectWithinMs = 500;
const run = promisify(execFile);

const pinnedVersion = (): string => {
  const { dependencies } = JSON.parse(readFileSync(join(pinned, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return dependencies[portkeyName] ?? "";
};

/** null: it is not installed. */
export function portkeyVersion(): string | null {
  const described = join(folder, "node_modules", portkeyName, "package.json");
  if (!existsSync(described)) return null;
  return (JSON.parse(readFileSync(described, "utf8")) as { version: string }).version;
}

/**
 * Installed once, and by the bench alone, since nobody else needs 25 MB of another gateway. No script of the
 * package runs.
 */
async function install(say: (line: string) => void): Promise<void> {
  if (portkeyVersion() === pinnedVersion()) return;
  say("installing what test/bench/peers names (25 MB, once)");
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(pinned, name), join(folder, name));
  const args = ["ci", "--prefix", folder, "--ignore-scripts", "--omit=dev"];
  await run("npm", args, { cwd: folder, timeout: installWithinMs }).catch((cause: unknown) => {
    const { stderr } = cause as { stderr?: string };
    throw new Error(`npm ci of test/bench/peers failed: ${stderr ?? String(cause)}`, { cause });
  });
}

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectWithinMs });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });

/** Throws when other machines could reach that port. */
async function expectLoopbackOnly(port: number): Promise<void> {
  for (const { address, internal } of Object.values(networkInterfaces()).flatMap(
    (each) => each ?? [],
  ))
    if (!internal && !address.startsWith("fe80:") && (await isOpen(address, port)))
      throw new Error(`The gateway listens on ${address}, not on loopback alone.`);
}

/** Portkey's gateway, as its own command starts it for production. */
export async function startPortkey(
  ending: Ending,
  say: (line: string) => void,
): Promise<{ url: string; pid: number }> {
  await install(say);
  const port = await freePort();
  const program = join(folder, "node_modules", portkeyName, "build", "start-server.js");
  const preload = join(pinned, "loopback.mjs");
  const child = spawn(
    process.execPath,
    ["--import", preload, program, "--headless", `--port=${port}`],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_ENV: "production",
        TRUSTED_CUSTOM_HOSTS: "127.0.0.1",
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const dismiss = whenGone(`kill -9 "$1"`, String(child.pid));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  ending.add(async () => {
    child.kill("SIGKILL");
    await ended;
    dismiss();
  });
  const until = performance.now() + readyWithinMs;
  while (!(await isOpen("127.0.0.1", port))) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`Portkey's gateway did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await expectLoopbackOnly(port);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 };
}
