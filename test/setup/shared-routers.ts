/**
 * Lends one router for each place in vitest's pool. One process runs one test file in a place at a time, so
 * no two files use a router at once. A router starts when the first file asks.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { hostUnderTest, startRouter, type Router, type RouterHost } from "../fakes/router.ts";

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

async function lend(
  routers: Map<string, Promise<Router>>,
  { place, host }: { place: string; host: RouterHost },
): Promise<Router> {
  const known = await routers.get(place)?.catch(() => null);
  if (known && isAlive(known.pid)) {
    await removeTenants(known);
    return known;
  }
  const started = startRouter({ host });
  routers.set(place, started);
  return started;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const routers = new Map<string, Promise<Router>>();
  /** place → how much the router had printed before it was lent */
  const printed = new Map<string, number>();
  // The project's own environment reaches its test files alone.
  const host = project.config.env?.["ROUTER_HOST"] === "workerd" ? "workerd" : hostUnderTest;
  const answer = async (method: string | undefined, place: string): Promise<string> => {
    if (method === "GET")
      return (await routers.get(place))?.output().slice(printed.get(place)) ?? "";
    const { url, adminToken, demoKey, stateDir, output } = await lend(routers, { place, host });
    printed.set(place, output().length);
    return JSON.stringify({ url, adminToken, demoKey, stateDir });
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
    for (const router of await Promise.allSettled(routers.values()))
      if (router.status === "fulfilled") await router.value.stop();
  };
}
