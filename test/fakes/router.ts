/** The whole product as a person starts it: a launcher in its own process. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pidsOf } from "../../src/start/processes.ts";
import { runtimeProgram } from "../../src/start/runtime-program.ts";
import { fromSource } from "../setup/from-source.ts";
import { memoryFolder } from "../setup/memory-folder.ts";
import { freePort, whenGone } from "./sqld.ts";
import { patient } from "../setup/patience.ts";

/** One process on one's own machine, or the Worker in the Workers runtime. */
export type RouterHost = "node" | "workerd";
const entries: Readonly<Record<RouterHost, string>> = {
  node: "src/start/start.js",
  workerd: "src/start/dev.ts",
};
/** On which host the suites run that run on either. */
export const hostUnderTest: RouterHost =
  process.env["ROUTER_HOST"] === "workerd" ? "workerd" : "node";

export interface RouterOptions {
  /** on top of an environment without proxies, keys and settings of the caller's */
  env?: Record<string, string>;
  /** absent: a new one, removed by `stop` */
  stateDir?: string;
  /** absent: the one that `ROUTER_HOST` names */
  host?: RouterHost;
  /** absent: the launcher itself; `["npm", "start"]`: as a person does */
  command?: readonly [string, ...string[]];
  /** where the command runs; absent: the checkout */
  cwd?: string;
  /** A test makes faults. Absent: `stop` throws where the router recorded one, since that is a bug. */
  faults?: "expected";
}

/** A process ends with a code, or by a signal. */
type Exit = number | NodeJS.Signals | null;

export interface Router {
  url: string;
  adminToken: string;
  demoKey: string;
  stateDir: string;
  /** the launcher's */
  pid: number;
  /** of what serves: the launcher itself, or its Workers runtime */
  runtimePids(): number[];
  /** the embedded database's, journals too */
  databaseFiles(): string[];
  /** Ends the router as Ctrl-C does, and gives the exit code. A second call does nothing. */
  stop(): Promise<Exit>;
  /** As a crash of the machine: launcher and runtime at once. The state stays. */
  kill9(): Promise<void>;
  /** everything printed so far, stdout and stderr */
  output(): string;
  /** Resolves with the exit code once it has ended, or with the signal that ended it. */
  ended: Promise<Exit>;
}

export interface Launched {
  child: ChildProcess;
  stateDir: string;
  port: number;
  output(): string;
  /** Resolves with the exit code once it has ended, or with the signal that ended it. */
  ended: Promise<Exit>;
}

const checkout = fileURLToPath(new URL("../../", import.meta.url));
/** In the last line of what a start prints, in every version that the bench compares. */
const ready = "Ctrl-C";
const readyWithinMs = patient(60_000);
const inherited = ["PATH", "HOME", "TMPDIR", "TEMP", "LANG", "SystemRoot"];

/** Node 24, also where the system's older Node began the test. */
function nodeBinary(): string {
  const own = join(checkout, "node_modules", "node", "bin", "node");
  return existsSync(own) ? own : process.execPath;
}

/** The databases of either host. */
export const databaseFilesIn = (stateDir: string): string[] =>
  ["objects", "embedded"]
    .map((name) => join(stateDir, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.sqlite(-wal)?$/.test(path));

/** A state directory that is removed some time after the test process has ended. */
export function temporaryStateDir(): string {
  const path = realpathSync(mkdtempSync(join(memoryFolder(), "router-state-")));
  // A launcher that was left has ended by then.
  whenGone(`sleep 8; rm -rf "$1"`, path);
  return path;
}

/** Starts the launcher and does not wait: for starts that are expected to fail. */
export async function spawnLauncher(options: RouterOptions = {}): Promise<Launched> {
  const stateDir = options.stateDir ?? temporaryStateDir();
  const port = Number(options.env?.["PORT"] ?? (await freePort()));
  const [program, ...args] = options.command ?? [
    nodeBinary(),
    entries[options.host ?? hostUnderTest],
  ];
  const child = spawn(program, args, {
    cwd: options.cwd ?? checkout,
    env: {
      ...Object.fromEntries(
        inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
      ),
      // `npm start` has a build of its own, compiled once.
      ...((options.host ?? hostUnderTest) === "workerd" && fromSource),
      // Also where a test sets PUBLIC_URL: tests call with the key that is printed.
      DEMO: "true",
      // Tests reach for no network.
      CATALOGUE_URL: "off",
      STATE_DIR: stateDir,
      PORT: String(port),
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const dismiss = whenGone(`kill -INT "$1"; sleep 7; kill -9 "$1"`, String(child.pid));
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<Exit>((resolve) => {
    // `close`: everything it printed has been read by then.
    child.once("close", (code, signal) => {
      dismiss();
      resolve(code ?? signal);
    });
  });
  return { child, stateDir, port, output: () => printed, ended };
}

/**
 * Resolves once it printed that it is ready.
 *
 * @example
 * const router = await startRouter({ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: aimock.url("openai") } });
 * await fetch(`${router.url}/v1/sampling`, { headers: { authorization: `Bearer ${router.demoKey}` }, … });
 * await router.stop();
 */
export async function startRouter(options: RouterOptions = {}): Promise<Router> {
  for (let turn = 1; ; turn += 1) {
    const started = await startOnce(options);
    if (typeof started !== "string") return started;
    // Another program took the port after the port was found free. A port that the caller gave is
    // the caller's.
    const lost = /Address already in use|PORT \d+ is in use/.test(started);
    if (!lost || turn === 3 || options.env?.["PORT"] !== undefined)
      throw new Error(`The router did not start:\n${started}`);
  }
}

/** What it printed, if it did not start. */
async function startOnce(options: RouterOptions): Promise<Router | string> {
  const launched = await spawnLauncher(options);
  const { child, stateDir, port, output, ended } = launched;
  let over = false;
  void ended.then(() => (over = true));
  const until = performance.now() + readyWithinMs;
  while (!output().includes(ready)) {
    if (over || performance.now() > until) {
      child.kill("SIGKILL");
      return output();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const shown = (pattern: RegExp): string => pattern.exec(output())?.[1] ?? "";
  const runtimePids = (): number[] => {
    const runtimes = pidsOf(runtimeProgram(realpathSync(stateDir)));
    return runtimes.length > 0 || over ? runtimes : [child.pid ?? 0];
  };
  return {
    url: `http://127.0.0.1:${port}`,
    adminToken: options.env?.["ADMIN_TOKEN"] ?? shown(/Admin token +(\S+)/),
    demoKey: shown(/API key +(\S+)/),
    stateDir,
    pid: child.pid ?? 0,
    runtimePids,
    databaseFiles: () => databaseFilesIn(stateDir),
    output,
    ended,
    async stop() {
      child.kill("SIGINT");
      const code = await ended;
      // What it printed last may say why.
      if (typeof code === "string") console.error(`Ended by ${code}:\n${output().slice(-4_000)}`);
      if (options.stateDir === undefined) {
        rmSync(stateDir, { recursive: true, force: true });
      }
      // What nobody waited for shows nowhere else.
      const fault = /^.*"event":"fault".*$/m.exec(output());
      if (fault !== null && options.faults === undefined)
        throw new Error(`The router recorded a fault: ${fault[0]}`);
      return code;
    },
    async kill9() {
      const pids = runtimePids().filter((pid) => pid !== child.pid);
      child.kill("SIGKILL");
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}
