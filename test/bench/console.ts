/**
 * `npm run bench -- console [records]`: lists of the admin API over one tenant with that many records (1,000,000), and
 * the time to each console page's first useful paint in Chromium.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Ending } from "../../src/start/ending.ts";
import { minIdAt } from "../../src/domain/tenancy/ids.ts";
import { startBrowser, signIn, visit } from "../fakes/browser.ts";
import { adminOf } from "../fakes/caller.ts";
import { createConsoleWorld, tenantPages } from "../fakes/console-world.ts";
import { startRouter } from "../fakes/router.ts";
import { fillTenant } from "./console-rows.ts";
import { machine } from "./machine.ts";

type Say = (line: string) => void;

export const typicalConsoleRecords = 1_000_000;
const amounts = { keys: 10_000, servers: 10_000, events: 100_000, hours: 720 };
const repeats = 30;
const loads = 5;
/** ms */
const maxListMs = 100;
const maxPaintMs = 1_000;

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** ms of each list, first pages, pages in the middle, and filters that few rows match. */
async function timeLists(
  admin: ReturnType<typeof adminOf>,
  now: number,
  say: Say,
): Promise<string[]> {
  const dayMs = 86_400_000;
  const middle = minIdAt("request", now - 15 * dayMs).padEnd(30, "0");
  const iso = (at: number): string => new Date(at).toISOString();
  const month = `from=${iso(now - 29 * dayMs)}&bucket=day`;
  const asked: Record<string, string> = {
    "requests, first page": "/requests",
    "requests, first page of 200": "/requests?limit=200",
    "requests, a page in the middle": `/requests?cursor=${middle}`,
    "requests that failed": "/requests?outcome=failed",
    "requests of a day two weeks ago": `/requests?from=${iso(now - 15 * dayMs)}&to=${iso(now - 14 * dayMs)}`,
    "usage of 24 hours by model": "/usage?by=model",
    "usage of 30 days by key": `/usage?by=key&${month}`,
    limits: "/limits",
    keys: "/keys?limit=100",
    servers: "/servers?limit=100",
    sessions: "/sessions",
    approvals: "/approvals",
    seals: "/seals",
    models: "/models",
    "requests that are cancelled (none is)": "/requests?outcome=cancelled",
    "requests of a model that none has": "/requests?model=openai/gpt-5",
  };
  const slow: string[] = [];
  for (const [title, path] of Object.entries(asked)) {
    const times: number[] = [];
    for (let turn = 0; turn < repeats; turn += 1) {
      const began = performance.now();
      const answer = await admin("GET", `/tenants/watched${path}`);
      times.push(performance.now() - began);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    }
    const ms = medianOf(times);
    say(`  ${title.padEnd(42)}${ms.toFixed(1).padStart(8)} ms`);
    if (ms > maxListMs) slow.push(`${title}: ${ms.toFixed(1)} ms, of ${maxListMs}`);
  }
  return slow;
}

/** Notes when the page last began to show something in place of what loads. */
const watchPaint = (): void => {
  const seen = { at: 0, wasUseful: false };
  Object.assign(window, { paint: seen });
  const look = (): void => {
    const isUseful =
      document.querySelector("h1") !== null &&
      ![...document.querySelectorAll(".waiting")].some((each) =>
        each.textContent?.startsWith("Loading"),
      );
    if (isUseful && !seen.wasUseful)
      requestAnimationFrame(() => setTimeout(() => (seen.at = performance.now())));
    seen.wasUseful = isUseful;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
};

async function paintOf(page: Page, path: string): Promise<number> {
  await page.goto(`/console/t/watched${path}`);
  await page.locator("h1").waitFor();
  await page.waitForFunction(() => {
    const { paint } = window as unknown as { paint: { at: number; wasUseful: boolean } };
    return paint.wasUseful && paint.at > 0 && performance.now() - paint.at > 300;
  });
  return page.evaluate(() => (window as unknown as { paint: { at: number } }).paint.at);
}

async function timePages(url: string, token: string, say: Say): Promise<string[]> {
  const browser = await startBrowser();
  const slow: string[] = [];
  try {
    const visitor = await visit(browser, { origin: url });
    await signIn(visitor, token);
    await visitor.page.addInitScript(watchPaint);
    for (const path of tenantPages) {
      const times: number[] = [];
      for (let turn = 0; turn < loads; turn += 1) times.push(await paintOf(visitor.page, path));
      const ms = medianOf(times);
      say(`  ${(path === "" ? "/ (overview)" : path).padEnd(42)}${ms.toFixed(0).padStart(8)} ms`);
      if (ms > maxPaintMs) slow.push(`${path}: ${ms.toFixed(0)} ms, of ${maxPaintMs}`);
    }
    for (const fault of visitor.faults) slow.push(fault);
  } finally {
    await browser.close();
  }
  return slow;
}

export async function benchConsole(records: number, ending: Ending, say: Say): Promise<string[]> {
  const stateDir = mkdtempSync(join(tmpdir(), "router-console-"));
  ending.add(async () => rmSync(stateDir, { recursive: true, force: true }));
  const masterKey = new Uint8Array(32).fill(7);
  const env = {
    SCHEDULE_SECONDS: "1",
    ADMIN_TOKEN: "operator-token-of-the-bench",
    MASTER_KEY: Buffer.from(masterKey).toString("base64"),
  };
  const first = await startRouter({ stateDir, env });
  const world = await createConsoleWorld(first);
  await world.stop();
  const admin = adminOf(first, first.adminToken);
  const tenantId = String((await admin("GET", "/tenants/watched")).get("id"));
  const isSealed = async (): Promise<boolean> => {
    const { data } = (await admin("GET", "/tenants/watched/seals")).body as {
      data: { count: number }[];
    };
    return data.reduce((sum, { count }) => sum + count, 0) > 2;
  };
  while (!(await isSealed())) await new Promise((resolve) => setTimeout(resolve, 500));
  await first.stop();
  const path = first.databaseFiles().find((name) => name.endsWith(".sqlite"));
  if (path === undefined) throw new Error("the router left no database");
  const now = Date.now();
  const began = performance.now();
  await fillTenant(path, { tenantId, masterKey, now, amounts: { records, ...amounts } });
  say(JSON.stringify(machine()));
  say(
    `${records} records, ${amounts.keys} keys, ${amounts.servers} servers, ${amounts.events} events of one tenant in ${((performance.now() - began) / 1_000).toFixed(0)} s; medians`,
  );
  const router = await startRouter({ stateDir, env });
  ending.add(async () => void (await router.stop()));
  say(`lists at the API, of ${repeats} calls:`);
  const lists = await timeLists(adminOf(router, router.adminToken), now, say);
  say(`first useful paint, of ${loads} loads:`);
  const slow = await timePages(router.url, router.adminToken, say);
  await router.stop();
  return [...lists, ...slow];
}
