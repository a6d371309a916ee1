/** What is measured with messages that sample nothing: on each host the router, and what it is compared with. */
import { parseArgs } from "node:util";
import type { Ending } from "../../src/start/ending.ts";
import { checkout } from "../../src/start/settings.ts";
import { startRouter, type RouterHost } from "../fakes/router.ts";
import { startChild } from "./child.ts";
import { positive } from "./options.ts";
import { proxiedKinds, registerServer, type Place, type ProxiedKind } from "./proxied.ts";
import { adminToken, commandOf, routerSettings, startWorker } from "./subjects.ts";

export type ProxyBaseline = "pass-through" | "reading pass-through" | "router before";

export interface ProxySubject extends Place {
  name: ProxyBaseline | "router" | "direct";
  pids: readonly number[];
}

export interface ProxyOptions {
  /** pairs of turns at every concurrency */
  turns: number;
  /** s of one turn */
  seconds: number;
  /** s of load that each subject gets before it is measured, of the same messages by as many callers */
  warmUpSeconds: number;
  concurrencies: number[];
  kinds: ProxiedKind[];
  hosts: RouterHost[];
  baselines: ProxyBaseline[];
  /** another checkout of the router; null: none */
  before: string | null;
}

const hosts: readonly RouterHost[] = ["node", "workerd"];

function kindsIn(text: string): ProxiedKind[] {
  const kinds = text.split(",");
  const unknown = kinds.find((kind) => !proxiedKinds.some((each) => each === kind));
  if (unknown !== undefined)
    throw new Error(`--kinds has ${unknown}, and there are ${proxiedKinds.join(", ")}`);
  return proxiedKinds.filter((kind) => kinds.includes(kind));
}

export function parseProxyOptions(args: readonly string[]): ProxyOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      bare: { type: "boolean", default: false },
      before: { type: "string" },
      kinds: { type: "string", default: proxiedKinds.join(",") },
      concurrency: { type: "string", default: "1,16" },
      seconds: { type: "string", default: "5" },
      "warm-up": { type: "string", default: "10" },
    },
  });
  const wanted = hosts.filter((host) => positionals.includes(host));
  const [turns = "7", ...more] = positionals.filter((each) => !hosts.some((host) => host === each));
  if (more.length > 0) throw new Error(`proxy does not know ${more.join(", ")}`);
  const before = values.before ?? null;
  return {
    turns: Math.ceil(positive("turns", turns)),
    seconds: positive("seconds", values.seconds),
    warmUpSeconds: positive("warm-up", values["warm-up"]),
    concurrencies: values.concurrency
      .split(",")
      .map((text) => Math.ceil(positive("concurrency", text))),
    kinds: kindsIn(values.kinds),
    hosts: wanted.length === 0 ? [...hosts] : wanted,
    baselines: [
      "reading pass-through",
      ...(values.bare ? (["pass-through"] as const) : []),
      ...(before === null ? [] : (["router before"] as const)),
    ],
    before,
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
  if (host === "workerd") {
    const values = { SERVER_URL: serverUrl };
    const worker = await startWorker({ entry: entries[name], embedded: false, values }, ending);
    return { name, key: null, ...worker };
  }
  const about = { reads: name === "reading pass-through", serverUrl };
  const { url, pid } = await startChild<{ url: string }>("node-through-process.ts", about, ending);
  return { name, key: null, url, pids: [pid] };
}

/** The router as its own script starts it, with what that script tells Node. */
async function startProxy(
  host: RouterHost,
  { name, from, serverUrl }: { name: ProxySubject["name"]; from: string; serverUrl: string },
  ending: Ending,
): Promise<ProxySubject> {
  const router = await startRouter({
    env: { ...routerSettings, ADMIN_TOKEN: adminToken },
    command: commandOf(host === "workerd" ? "worker" : "node", from),
  });
  ending.add(async () => void (await router.stop()));
  const place = await registerServer({ url: router.url, adminToken }, serverUrl);
  // The launcher answers by itself where it started no Workers runtime.
  const runtime = router.runtimePids();
  return { name, ...place, pids: runtime.length > 0 ? runtime : [router.pid] };
}

/** Those that are alive at once: the server, the router, and the one that it is compared with. */
export interface ProxyTrio {
  direct: ProxySubject;
  router: ProxySubject;
  baseline: ProxySubject;
}

export async function startTrio(
  host: RouterHost,
  { baseline: name, before }: { baseline: ProxyBaseline; before: string | null },
  ending: Ending,
): Promise<ProxyTrio> {
  const { url: serverUrl } = await startChild<{ url: string }>("mcp-server-process.ts", {}, ending);
  const router = await startProxy(host, { name: "router", from: checkout, serverUrl }, ending);
  const baseline =
    name === "router before"
      ? await startProxy(host, { name, from: before ?? checkout, serverUrl }, ending)
      : await startThrough(host, { name, serverUrl }, ending);
  return { direct: { name: "direct", url: serverUrl, key: null, pids: [] }, router, baseline };
}
