/**
 * Lends one router to each process that runs test files. A process runs one file at a time, so no two files use a
 * router at once. A router starts when the first file asks, and goes on to another process once its own has ended. And
 * lends pairs of routers over one database, which many files use at once.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { hostUnderTest, startRouter, type Router, type RouterHost } from "../fakes/router.ts";
import type { SharedPair } from "../fakes/shared-pair.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import type { TwoRouters } from "../fakes/two-routers.ts";
import { sharedSettings, sharing, type Sharing } from "./shared-settings.ts";

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** What the file before left would meet the next file's slugs and its lists of tenants. */
async function removeTenants({ url, adminToken }: Router): Promise<void> {
  const call = async (method: string, path: string): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${adminToken}` };
    const answer = await fetch(`${url}/admin/v1/tenants${path}`, { method, headers });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : answer.json();
  };
  for (;;) {
    const { data } = (await call("GET", "?limit=200")) as { data: { slug: string }[] };
    const left = data.filter(({ slug }) => slug !== "demo");
    if (left.length === 0) return;
    for (const { slug } of left) await call("DELETE", `/${slug}`);
  }
}

interface Lent {
  /** the process whose files use it */
  pid: number;
  router: Promise<Router>;
  /** how much the router had printed before it was lent */
  printed: number;
}

/** As long as a process takes to end whose last file is done. */
const endsWithinMs = 2_000;

/**
 * What the process uses already, or what a process that has ended used, or nothing. vitest begins to end a process, and
 * starts the next one: where all have a router, the next one waits for that end. The place in vitest's pool names no
 * process: two may have the same one, after a project with another `maxWorkers`.
 */
async function usedBefore(all: Lent[], pid: number, max: number): Promise<Lent | undefined> {
  for (const last = Date.now() + endsWithinMs; ; await wait(20)) {
    const found = all.find((each) => each.pid === pid) ?? all.find((each) => !isAlive(each.pid));
    if (found !== undefined || all.length < max || Date.now() > last) return found;
  }
}

async function lend(
  all: Lent[],
  { pid, host, max }: { pid: number; host: RouterHost; max: number },
): Promise<Router> {
  const before = await usedBefore(all, pid, max);
  if (before !== undefined) {
    before.pid = pid;
    const router = await before.router.catch(() => null);
    if (router !== null && isAlive(router.pid)) {
      await removeTenants(router);
      before.printed = router.output().length;
      return router;
    }
    all.splice(all.indexOf(before), 1);
  }
  const lent = { pid, router: startRouter({ host, env: sharedSettings }), printed: 0 };
  all.push(lent);
  const router = await lent.router;
  lent.printed = router.output().length;
  return router;
}

/** Imported when a file asks: Miniflare takes a while, and most runs have no such file. */
async function startPair(how: Sharing, host: RouterHost): Promise<TwoRouters> {
  const { startTwo } = await import("../fakes/two-routers.ts");
  const env = {
    MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
    ADMIN_TOKEN: "operator-token-of-the-tests",
  };
  return startTwo(how, { env, host });
}

/** Fails the run, as vitest does not for what a teardown throws. */
function fail(thrown: unknown): void {
  console.error(thrown);
  process.exitCode = 1;
}

const shown = ({ url, adminToken, demoKey, stateDir }: SharedRouter): SharedRouter => ({
  url,
  adminToken,
  demoKey,
  stateDir,
});

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lent: Lent[] = [];
  const pairs = new Map<string, Promise<TwoRouters>>();
  // The project's own environment reaches its test files alone.
  const host = project.config.env?.["ROUTER_HOST"] === "workerd" ? "workerd" : hostUnderTest;
  const max = project.vitest.config.maxWorkers;
  const pairAt = async (place: string): Promise<SharedPair> => {
    const how = sharing[Number(place.split("/").at(-1))];
    if (how === undefined) throw new Error(`no pair is at ${place}`);
    const started = pairs.get(place) ?? startPair(how, host);
    pairs.set(place, started);
    const { routers: both, sqldUrl } = await started;
    return { routers: [shown(both[0]), shown(both[1])], sqldUrl };
  };
  const answer = async (method: string | undefined, place: string): Promise<string> => {
    if (place.startsWith("/pair/")) return JSON.stringify(await pairAt(place));
    const pid = Number(place.slice(1));
    if (method === "GET") {
      const used = lent.find((each) => each.pid === pid);
      return (await used?.router)?.output().slice(used?.printed) ?? "";
    }
    return JSON.stringify(shown(await lend(lent, { pid, host, max })));
  };
  const lender = createServer(({ method, url = "" }, response) => {
    answer(method, url).then(
      (text) => response.end(text),
      (cause: unknown) => response.writeHead(500).end(String(cause)),
    );
  });
  await new Promise<void>((resolve) => lender.listen(0, "127.0.0.1", resolve));
  project.provide("routerLender", `http://127.0.0.1:${(lender.address() as AddressInfo).port}`);
  return async () => {
    lender.close();
    lender.closeAllConnections();
    // What did not start has failed the file that asked for it.
    const started = await Promise.allSettled([
      ...lent.map(({ router }) => router),
      ...pairs.values(),
    ]);
    for (const each of started)
      if (each.status === "fulfilled") await each.value.stop().catch(fail);
    // No file leaves anything open, so a router that waited for something holds what nobody asks for any more.
    for (const { router } of lent) {
      const cut = /^.*"event":"cut".*$/m.exec((await router.catch(() => null))?.output() ?? "");
      if (cut !== null) fail(new Error(`A router ended with work that was left: ${cut[0]}`));
    }
  };
}
