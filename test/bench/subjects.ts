/** What is measured: each subject's name, and how it is started. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Ending } from "../../src/start/ending.ts";
import { pidsOf } from "../../src/start/processes.ts";
import { runtimeProgram } from "../../src/start/runtime-program.ts";
import { checkout } from "../../src/start/settings.ts";
import { startRouter, temporaryStateDir } from "../fakes/router.ts";
import { freePort, startSqld } from "../fakes/sqld.ts";
import { completionCall, samplingCall } from "./calls.ts";
import { startChild } from "./child.ts";
import type { Target } from "./load.ts";
import { startPortkey } from "./peers.ts";
import { createTenant } from "./tenant.ts";
import type { HostedCapabilities } from "./workerd-process.ts";

export const adminToken = "sra_bench_admin_token_on_loopback";

/** No scheduled job in the middle of a measurement; the one at the start remains. */
export const routerSettings = { ADMIN_TOKEN: adminToken, SCHEDULE_SECONDS: "86400" };

/** What a subject is started with. */
export interface Surroundings {
  provider: { url: string; pid: number };
  ending: Ending;
  say: (line: string) => void;
}

export interface Subject {
  /** as the command line has it */
  name: string;
  title: string;
  start(surroundings: Surroundings): Promise<Target>;
}

/** Starts a Worker of the bench's own in workerd. */
export async function startWorker(
  about: Omit<HostedCapabilities, "port" | "stateDir">,
  ending: Ending,
): Promise<{ url: string; pids: number[] }> {
  const place: HostedCapabilities = {
    ...about,
    port: await freePort(),
    stateDir: temporaryStateDir(),
  };
  const { url } = await startChild<{ url: string }>("workerd-process.ts", place, ending);
  return { url, pids: pidsOf(runtimeProgram(place.stateDir)) };
}

/** npm scripts of the router's hosts, the first that a checkout has: an older one knows fewer. */
const hostScripts = { node: ["start:node", "start"], worker: ["dev", "start"] } as const;

/** The command of such a script, on this very Node. */
export function commandOf(host: keyof typeof hostScripts, from: string): [string, ...string[]] {
  const { scripts } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const name = hostScripts[host].find((each) => scripts[each] !== undefined) ?? "start";
  const [program, ...args] = (scripts[name] ?? "").split(" ");
  if (program !== "node") throw new Error(`npm run ${name} of ${from} does not begin with node`);
  const isFile = (arg: string): boolean => existsSync(resolve(from, arg));
  return [process.execPath, ...args.map((arg) => (isFile(arg) ? resolve(from, arg) : arg))];
}

/** A subject with an inspector on that port of loopback. */
export interface ProfiledSubject {
  name: string;
  title: string;
  start(surroundings: Surroundings, inspectorPort: number): Promise<Target>;
}

interface RouterSubject {
  host: keyof typeof hostScripts;
  database: "own" | "libSQL";
  from: string;
}

/** The settings of its database, and the server behind where there is one. */
async function startDatabase(
  database: RouterSubject["database"],
  ending: Ending,
): Promise<{ env: Record<string, string>; pids: number[] }> {
  if (database === "own") return { env: {}, pids: [] };
  const sqld = await startSqld();
  ending.add(sqld.stop);
  return { env: { DATABASE_URL: sqld.url }, pids: [sqld.pid()] };
}

/** Settings of a Worker that the bench starts by itself. */
export const workerValues = {
  ADMIN_TOKEN: adminToken,
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ALLOW_PRIVATE_UPSTREAMS: "true",
};

/** With a tenant, a key, and limits that are never reached. */
async function targetOf(
  router: { url: string; pids: Target["pids"] },
  { provider }: Surroundings,
): Promise<Target> {
  const { url, pids } = router;
  const tenant = await createTenant({ url, adminToken, providerUrl: provider.url });
  return { url, pids, call: samplingCall(await tenant.newKey()) };
}

/** @param nodeArgs in front of the launcher's own */
async function startLauncher(
  { host, database, from }: RouterSubject,
  surroundings: Surroundings,
  nodeArgs: readonly string[],
): Promise<Target> {
  const { ending } = surroundings;
  const { env, pids } = await startDatabase(database, ending);
  const [node, ...args] = commandOf(host, from);
  const router = await startRouter({
    env: { ...routerSettings, ...env },
    command: [node, ...nodeArgs, ...args],
  });
  ending.add(async () => void (await router.stop()));
  // The launcher answers by itself where it started no Workers runtime.
  const runtime = router.runtimePids();
  const server = runtime.length > 0 ? runtime : [router.pid];
  return targetOf({ url: router.url, pids: { server, database: pids } }, surroundings);
}

/**
 * Starts it as the launcher of the Worker does, and with the runtime's inspector, which the launcher never
 * opens.
 */
async function startInspectedWorker(
  database: RouterSubject["database"],
  surroundings: Surroundings,
  inspectorPort: number,
): Promise<Target> {
  const { ending } = surroundings;
  const { env, pids } = await startDatabase(database, ending);
  const values = { ...workerValues, ...env };
  const about = { entry: "src/worker.ts", embedded: database === "own", values, inspectorPort };
  const worker = await startWorker(about, ending);
  return targetOf({ url: worker.url, pids: { server: worker.pids, database: pids } }, surroundings);
}

/** The router as a Worker with a part left out, so that the parts are told apart. */
const workersWithout = [
  { name: "worker-no-jobs", title: "router as a Worker, without jobs", entry: "without-jobs" },
  {
    name: "worker-no-writes",
    title: "router as a Worker, whose RPCs write nothing",
    entry: "without-writes",
  },
  {
    name: "worker-no-ledger",
    title: "router as a Worker, without a ledger",
    entry: "without-ledger",
  },
].map(({ name, title, entry }) => ({
  name,
  title,
  async start(surroundings: Surroundings, inspectorPort?: number): Promise<Target> {
    const { url, pids } = await startWorker(
      {
        entry: `test/bench/workers/${entry}.ts`,
        embedded: true,
        values: workerValues,
        ...(inspectorPort !== undefined && { inspectorPort }),
      },
      surroundings.ending,
    );
    return targetOf({ url, pids: { server: pids, database: [] } }, surroundings);
  },
}));

const others: readonly Subject[] = [
  {
    name: "provider",
    title: "the provider, asked directly",
    start: async ({ provider }) => ({
      url: provider.url,
      call: completionCall("/chat/completions"),
      pids: { server: [provider.pid], database: [] },
    }),
  },
  {
    name: "node-pass-through",
    title: "bare pass-through on Node",
    async start({ provider, ending }) {
      const about = { providerUrl: provider.url };
      const { url, pid } = await startChild<{ url: string }>(
        "node-pass-through-process.ts",
        about,
        ending,
      );
      const call = completionCall("/v1/chat/completions");
      return { url, call, pids: { server: [pid], database: [] } };
    },
  },
  {
    name: "workerd-pass-through",
    title: "bare pass-through on workerd",
    async start({ provider, ending }) {
      const entry = "test/bench/workers/pass-through.ts";
      const values = { PROVIDER_URL: provider.url };
      const { url, pids } = await startWorker({ entry, embedded: false, values }, ending);
      const call = completionCall("/v1/chat/completions");
      return { url, call, pids: { server: pids, database: [] } };
    },
  },
  {
    name: "portkey",
    title: "Portkey's gateway (no keys, limits, record)",
    async start({ provider, ending, say }) {
      const { url, pid } = await startPortkey(ending, say);
      const headers = {
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": provider.url,
      };
      const call = completionCall("/v1/chat/completions", headers);
      return { url, call, pids: { server: [pid], database: [] } };
    },
  },
];

const routers = [
  { name: "self-hosted", title: "router self-hosted, on its file", host: "node", database: "own" },
  {
    name: "self-hosted-libsql",
    title: "router self-hosted, on the libSQL server",
    host: "node",
    database: "libSQL",
  },
  {
    name: "worker",
    title: "router as a Worker, on its own database",
    host: "worker",
    database: "own",
  },
  {
    name: "worker-libsql",
    title: "router as a Worker, on the libSQL server",
    host: "worker",
    database: "libSQL",
  },
] as const;

const routersOf = (from: string, mark: { name: string; title: string }): Subject[] =>
  routers.map(({ name, title, host, database }) => ({
    name: `${name}${mark.name}`,
    title: `${title}${mark.title}`,
    start: (surroundings) => startLauncher({ host, database, from }, surroundings, []),
  }));

const profiledRouters = routers.map(({ name, title, host, database }): ProfiledSubject => ({
  name,
  title,
  start: (surroundings, inspectorPort) =>
    host === "worker"
      ? startInspectedWorker(database, surroundings, inspectorPort)
      : startLauncher({ host, database, from: checkout }, surroundings, [
          `--inspect=127.0.0.1:${inspectorPort}`,
        ]),
}));

export const profiledSubjects: readonly ProfiledSubject[] = [...profiledRouters, ...workersWithout];

/** @param before another checkout of the router, whose hosts are subjects too; null: none */
export const subjectsWith = (before: string | null): Subject[] => [
  ...routersOf(checkout, { name: "", title: "" }),
  ...(before === null ? [] : routersOf(resolve(before), { name: "-before", title: ", before" })),
  ...workersWithout,
  ...others,
];
