/** A real Chromium with the console in it, watched for everything that a person would not see. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import chromium from "@sparticuz/chromium";
import {
  chromium as engine,
  type Browser,
  type BrowserContextOptions,
  type Page,
  type Request,
} from "playwright-core";
import { expect } from "vitest";
import { patient } from "../setup/patience.ts";

/** Not the package's own arguments: they switch off the web's security, so no change would say its `Origin`. */
const args = ["--no-sandbox", "--disable-background-networking"];

export async function startBrowser(): Promise<Browser> {
  return engine.launch({
    executablePath: await chromium.executablePath(),
    args,
    headless: true,
  });
}

export interface Visit {
  page: Page;
  /** what a person would call broken: faults of scripts, refusals by the page's policy, scripts of others that ran */
  faults: string[];
  /** addresses that were asked for since the last `goto` */
  asked: string[];
  close(): Promise<void>;
}

declare global {
  interface Window {
    /** set by a script that should never have run */
    hostile?: boolean;
    axe?: {
      run(
        where: Document,
        options: object,
      ): Promise<{
        violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[];
      }>;
    };
  }
}

/** What each page waits for. Its stream of records never ends, so nobody waits for that. */
const open = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const waiting = new Set<Request>();
  open.set(page, waiting);
  page.on("request", (request) => {
    if (!request.url().endsWith("/requests/stream")) waiting.add(request);
  });
  page.on("requestfinished", (request) => waiting.delete(request));
  page.on("requestfailed", (request) => waiting.delete(request));
}

/** A browser of its own: no cookie, nothing stored. */
export async function visit(
  browser: Browser,
  options: BrowserContextOptions & { origin: string },
): Promise<Visit> {
  const { origin, ...rest } = options;
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 900 },
    baseURL: origin,
    ...rest,
  });
  // What the page's policy stopped: the watched console has it from here, whatever the browser itself says of it.
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error(`stopped by the page's policy: ${violatedDirective} ${blockedURI}`),
    );
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patient(10_000));
  const faults: string[] = [];
  const asked: string[] = [];
  watchRequests(page);
  page.on("pageerror", (fault) => faults.push(String(fault.stack)));
  page.on("console", (message) => {
    // A refusal of the API is no fault of the page, and Chromium reports it here.
    const isRefusal = /Failed to load resource/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isRefusal) faults.push(message.text());
  });
  page.on("dialog", (dialog) => {
    // Only the browser asks so, where something is not saved. A test that goes elsewhere means it.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.isNavigationRequest()) asked.length = 0;
    asked.push(request.url());
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      faults.push(`asked elsewhere: ${request.url()}`);
  });
  return { page, faults, asked, close: () => context.close() };
}

export async function signIn({ page }: Visit, key: string): Promise<void> {
  await page.goto("/console");
  await page.getByLabel("Your key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
}

/** Nothing that is seen loads any more, and the page's own heading is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1:visible").waitFor();
  await expect
    .poll(async () => {
      const loading = await page.locator(".waiting:has-text('Loading'):visible").count();
      return loading + (open.get(page)?.size ?? 0);
    })
    .toBe(0);
}

const axeSource = readFileSync(
  createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** What axe finds: each rule with the places that break it. Its script is put into a document once. */
export async function violationsOn(page: Page): Promise<string[]> {
  if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    // A colour on its way to another is no colour of the page.
    for (const animation of document.getAnimations()) animation.finish();
    const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    return window.axe?.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"],
    });
  });
  return (found?.violations ?? []).flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}
