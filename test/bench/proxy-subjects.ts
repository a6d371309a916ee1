/** What is measured with messages that sample nothing: on each host two bare pass-throughs, and the router. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Ending } from "../../src/start/ending.ts";
import { checkout } from "../../src/start/settings.ts";
import { startRouter, type RouterHost } from "../fakes/router.ts";
import { startChild } from "./child.ts";
import { positive } from "./options.ts";
import { registerServer, type Place } from "./proxied.ts";
import { adminToken, routerSettings, startWorker } from "./subjects.ts";

export interface ProxySubject extends Place {
  /** null: the server itself, asked directly */
  host: RouterHost | null;
  name: "direct" | "pass-through" | "reading pass-through" | "router" | "router before";
  pids: readonly number[];
}

export interface ProxyOptions {
  rounds: number;
  hosts: RouterHost[];
  /** another checkout of the router; null: none */
  before: string | null;
}

const hosts: readonly RouterHost[] = ["node", "workerd"];
/** By their launchers, the first that a checkout has: the oldest one knew workerd alone. */
const launchers: Readonly<Record<RouterHost, readonly string[]>> = {
  node: ["start.js"],
  workerd: ["dev.ts", "main.ts"],
};

export function parseProxyOptions(args: readonly string[]): ProxyOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { before: { type: "string" } },
  });
  const wanted = hosts.filter((host) => positionals.includes(host));
  const [rounds = "8", ...more] = positionals.filter(
    (each) => !hosts.some((host) => host === each),
  );
  if (more.length > 0) throw new Error(`proxy does not know ${more.join(", ")}`);
  return {
    rounds: Math.ceil(positive("rounds", rounds)),
    hosts: wanted.length === 0 ? [...hosts] : wanted,
    before: values.before ?? null,
  };
}

const entries = {
  "pass-through": "test/bench/workers/stream-through.ts",
  "reading pass-through": "test/bench/workers/read-through.ts",
} as const;

async function startThrough(
  host: RouterHost,
  { name, serverUrl }: { name: keyof typeof entries; serverUrl: string },
  ending: Ending,
): Promise<ProxySubject> {
  const entry = entries[name];
  if (host === "workerd") {
    const values = { SERVER_URL: serverUrl };
    const worker = await startWorker({ entry, embedded: false, values }, ending);
    return { host, name, key: null, ...worker };
  }
  const about = { reads: name === "reading pass-through", serverUrl };
  const { url, pid } = await startChild<{ url: string }>("node-through-process.ts", about, ending);
  return { host, name, key: null, url, pids: [pid] };
}

/** null: that checkout has no such host. */
async function startProxy(
  host: RouterHost,
  { name, from, serverUrl }: { name: ProxySubject["name"]; from: string; serverUrl: string },
  ending: Ending,
): Promise<ProxySubject | null> {
  const program = launchers[host]
    .map((file) => resolve(from, "src/start", file))
    .find((path) => existsSync(path));
  if (program === undefined) return null;
  const router = await startRouter({
    env: { ...routerSettings, ADMIN_TOKEN: adminToken },
    command: [process.execPath, program],
  });
  ending.add(async () => void (await router.stop()));
  const place = await registerServer({ url: router.url, adminToken }, serverUrl);
  // The launcher answers by itself where it started no Workers runtime.
  const runtime = router.runtimePids();
  return { host, name, ...place, pids: runtime.length > 0 ? runtime : [router.pid] };
}

export async function startProxySubjects(
  { hosts: wanted, before }: ProxyOptions,
  ending: Ending,
): Promise<ProxySubject[]> {
  const { url: serverUrl } = await startChild<{ url: string }>("mcp-server-process.ts", {}, ending);
  const subjects: (ProxySubject | null)[] = [
    { host: null, name: "direct", url: serverUrl, key: null, pids: [] },
  ];
  for (const host of wanted) {
    subjects.push(await startThrough(host, { name: "pass-through", serverUrl }, ending));
    subjects.push(await startThrough(host, { name: "reading pass-through", serverUrl }, ending));
    if (before !== null)
      subjects.push(
        await startProxy(host, { name: "router before", from: before, serverUrl }, ending),
      );
    subjects.push(await startProxy(host, { name: "router", from: checkout, serverUrl }, ending));
  }
  return subjects.filter((subject) => subject !== null);
}
