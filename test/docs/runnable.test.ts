/** The commands of README.md and docs/ that are marked as runnable, against one fresh router. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRouter, type Router } from "../fakes/router.ts";
import { pages, type Page } from "./pages.ts";
import { faultsOf, missingFrom, stepsOf } from "./runnable.ts";

/** The page that waits for a seal of what the others left comes last. */
const waits = "docs/audit.md";
const marked = pages
  .filter((page) => stepsOf(page).length > 0)
  .toSorted((one, other) => Number(one.path === waits) - Number(other.path === waits));

let router: Router;

beforeAll(async () => {
  // A second: seals are waited for on a page.
  router = await startRouter({ env: { SCHEDULE_SECONDS: "1" } });
});
afterAll(() => router.stop());

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${router.url}/admin/v1/tenants/demo${path}`, {
    method,
    headers: { authorization: `Bearer ${router.adminToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

/**
 * A page begins with the tenant `demo` as the first start made it; records stay. The router remembers entries of servers
 * for five seconds, so no two pages use one slug.
 */
async function reset(): Promise<void> {
  await admin("PUT", "/policy", {});
  await admin("PUT", "/ceiling", { limits: {} });
  const servers = (await admin("GET", "/servers")) as { data: { slug: string }[] };
  for (const { slug } of servers.data) await admin("DELETE", `/servers/${slug}`);
  const credentials = (await admin("GET", "/credentials")) as {
    data: { id: string; provider: string }[];
  };
  for (const { id, provider } of credentials.data)
    if (provider !== "demo") await admin("DELETE", `/credentials/${id}`);
}

describe("the commands work as pasted:", () => {
  it.each(marked.map((page) => [page.path, page] as const))(
    "%s",
    async (_, page) => {
      await reset();
      expect(await faultsOf(page, router)).toEqual([]);
    },
    90_000,
  );
});

const pageWith = (text: string): Page => ({
  path: "x.md",
  text,
  blocks: [
    { info: "sh run", text },
    { info: "text shows", text: "ready" },
  ],
  anchors: new Set(),
  links: [],
});

describe("a page is found wrong", () => {
  it("whose command fails, is refused, or prints something else", async () => {
    expect(await faultsOf(pageWith("echo ready"), router)).toEqual([]);
    expect(await faultsOf(pageWith("echo ready; false"), router)).toHaveLength(1);
    expect(await faultsOf(pageWith("echo other"), router)).toHaveLength(1);
    const refused = "curl -sS http://127.0.0.1:8787/admin/v1/tenants; echo ready";
    expect(await faultsOf(pageWith(refused), router)).toHaveLength(1);
  });

  it("whose parts come in another order", () => {
    expect(missingFrom('{"a":1,"b":2}', '"a": 1, … "b": 2')).toBeNull();
    expect(missingFrom('{"b":2,"a":1}', '"a": 1 … "b": 2')).toBe('"b":2');
  });
});
