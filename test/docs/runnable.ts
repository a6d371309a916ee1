/**
 * Runs a page's commands as a reader pastes them: in one shell, in the page's order.
 *
 * Markdown does not show what follows the language of a block, so that is where a block says what it is:
 * `sh run` runs and must succeed; `sh run refused` may be answered with an HTTP status of 400 and more;
 * `sh run background` goes on running beside the others. A block `text shows` or `json shows` says what the
 * block before it prints: its parts between `…`, in order, whatever the white space.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Router } from "../fakes/router.ts";
import { freePort, whenGone } from "../fakes/sqld.ts";
import { checkout, type Page } from "./pages.ts";

interface Step {
  kind: "run" | "refused" | "background";
  text: string;
  /** what it prints; null: the page does not say */
  shows: string | null;
}

const kinds: Readonly<Record<string, Step["kind"]>> = {
  "sh run": "run",
  "sh run refused": "refused",
  "sh run background": "background",
};

export function stepsOf(page: Page): Step[] {
  const steps: Step[] = [];
  let before: Step | undefined;
  for (const { info, text } of page.blocks) {
    const kind = kinds[info];
    if (info.includes(" run") && kind === undefined)
      throw new Error(`${page.path} has a block "${info}", which is none of a kind that runs.`);
    if (info.endsWith(" shows")) {
      if (before === undefined)
        throw new Error(`${page.path} shows what no block before it prints:\n${text}`);
      if (bare(text).replaceAll("…", "") === "")
        throw new Error(`${page.path} shows what everything prints:\n${text}`);
      before.shows = text;
    }
    before = kind === undefined ? undefined : { kind, text, shows: null };
    if (before !== undefined) steps.push(before);
  }
  const unseen = steps.find(({ kind, shows }) => kind === "refused" && shows === null);
  if (unseen !== undefined)
    throw new Error(`${page.path} does not show how this is refused:\n${unseen.text}`);
  return steps;
}

const bare = (text: string): string => text.replaceAll(/\s+/g, "");

/** The first part of `shows` that `printed` lacks; null: none. */
export function missingFrom(printed: string, shows: string): string | null {
  const all = bare(printed);
  let from = 0;
  for (const part of bare(shows).split("…")) {
    const at = all.indexOf(part, from);
    if (at === -1) return part;
    from = at + part.length;
  }
  return null;
}

/** Where a reader's commands run: a directory that looks like the checkout and may be written to. */
function temporaryCheckout(): string {
  const directory = mkdtempSync(join(tmpdir(), "router-docs-"));
  for (const name of ["package.json", "node_modules", "src", "examples", "migrations", "test"])
    symlinkSync(join(checkout, name), join(directory, name));
  return directory;
}

/** Where a page's own server listens: the first, unless its command says the other. */
const serverPorts = ["3001", "3002"] as const;
const anyServerPort = /\b300[12]\b/g;
const routerPort = "127.0.0.1:8787";

/** curl ends with 0 for any status; a command of a page that is refused is a fault of the page. */
const strictly = `curl() { command curl --fail-with-body "$@"; }`;
const asItIs = `unset -f curl`;

/** Goes on beside the page's other commands, which wait until it listens. */
const besideOthers = (text: string, { index, port }: { index: number; port: string }): string[] => [
  `{\n${text}\n} > printed/${index} 2>&1 &`,
  `until (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do kill -0 $!; sleep 0.1; done`,
];

/** Whether all of the script's commands succeed. What they began ends with them. */
async function succeeds(where: { cwd: string; env: NodeJS.ProcessEnv }): Promise<boolean> {
  // A group of its own, since `npx` leaves behind what it started.
  const child = spawn("bash", ["page.sh"], { ...where, detached: true, stdio: "ignore" });
  const dismiss = whenGone(`kill -- "-$1"`, String(child.pid));
  const endAll = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid);
  };
  const tooLong = setTimeout(endAll, 60_000);
  const code = await new Promise((resolve) => {
    child.once("exit", resolve);
  });
  clearTimeout(tooLong);
  try {
    endAll();
  } catch {
    // Nothing went on beside the commands.
  }
  dismiss();
  return code === 0;
}

/** What is wrong with a page's commands; empty: nothing. */
export async function faultsOf(page: Page, router: Router): Promise<string[]> {
  const steps = stepsOf(page);
  const cwd = temporaryCheckout();
  const out = join(cwd, "printed");
  mkdirSync(out);
  const [first = 0, second = 0] = await Promise.all(serverPorts.map(() => freePort()));
  const portOf = (named = "3001"): string => String(named === "3001" ? first : second);
  const at = (text: string): string =>
    text
      .replaceAll(routerPort, new URL(router.url).host)
      .replaceAll(anyServerPort, (named) => portOf(named));
  const exported = /^export .*$/m.exec(router.output())?.[0] ?? "";
  const env = { PATH: process.env["PATH"], HOME: cwd, PORT: portOf(), CATALOGUE_URL: "off" };
  const script = [
    "set -euo pipefail",
    exported,
    ...steps.flatMap(({ kind, text }, index) => [
      kind === "refused" ? asItIs : strictly,
      `echo ${index} > printed/at`,
      ...(kind === "background"
        ? besideOthers(at(text), { index, port: portOf(text.match(anyServerPort)?.[0]) })
        : [`{\n${at(text)}\n} > printed/${index} 2>&1`]),
    ]),
    "echo done > printed/at",
  ].join("\n");
  writeFileSync(join(cwd, "page.sh"), script);
  try {
    // Faults are read from what was written down.
    const whole = await succeeds({ cwd, env });
    const printed = (index: number | string): string =>
      readFileSync(join(out, String(index)), "utf8").trim();
    if (!whole) {
      const index = printed("at");
      return [`failed:\n${steps[Number(index)]?.text}\nprinted:\n${printed(index)}`];
    }
    return steps.flatMap(({ kind, text, shows }, index) => {
      if (shows === null || kind === "background") return [];
      const missing = missingFrom(printed(index), shows);
      return missing === null
        ? []
        : [`did not print ${missing}:\n${text}\nprinted:\n${printed(index)}`];
    });
  } finally {
    // What was ended may still write there.
    rmSync(cwd, { recursive: true, maxRetries: 5 });
  }
}
