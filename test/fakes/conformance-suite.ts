/** The official conformance suite, `@modelcontextprotocol/conformance`, run once against a server's URL. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fromSource } from "../setup/from-source.ts";
import { whenGone } from "./sqld.ts";
import { patient } from "../setup/patience.ts";

const modules = join(import.meta.dirname, "..", "..", "node_modules");

/** The suite's packages and the revisions they are asked for. `all` knows pending scenarios too. */
export const lines = {
  "0.1": { name: "conformance-legacy", asked: ["--suite", "all"] },
  "0.2 at 2025-11-25": {
    name: "conformance-modern",
    asked: ["--suite", "all", "--spec-version", "2025-11-25"],
  },
  "0.2 at 2026-07-28": {
    name: "conformance-modern",
    asked: ["--suite", "all", "--spec-version", "2026-07-28"],
  },
} as const;
export type Line = keyof typeof lines;

interface Check {
  id: string;
  name: string;
  status: string;
  errorMessage?: string;
  details?: unknown;
}
/** By scenario. */
export type Results = Map<string, Check[]>;

const patienceMs = patient(120_000);

function read(directory: string): Results {
  const results: Results = new Map();
  for (const path of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (basename(path) !== "checks.json") continue;
    const scenario = dirname(path)
      .replace(/^(?:authorization-server|server)-/, "")
      .replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, "");
    const checks = readFileSync(join(directory, path), "utf8");
    results.set(scenario, JSON.parse(checks) as Check[]);
  }
  return results;
}

const node = join(modules, "node", "bin", "node");

/** @param printed is told of everything that the suite has printed so far */
async function run(
  name: (typeof lines)[Line]["name"],
  args: readonly string[],
  printed: (text: string) => void = () => {},
): Promise<Results> {
  const directory = mkdtempSync(join(tmpdir(), "conformance-"));
  const program = join(modules, name, "dist", "index.js");
  const child = spawn(node, [program, ...args, "-o", directory], {
    env: fromSource,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs,
    killSignal: "SIGKILL",
  });
  const dismiss = whenGone(`kill -9 "$1"`, String(child.pid));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      printed(text);
    });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  dismiss();
  // 1 says that a check failed, which is for the caller to judge.
  if (code !== 0 && code !== 1) throw new Error(`The suite ended with ${code}:\n${text}`);
  const results = read(directory);
  rmSync(directory, { recursive: true, force: true });
  return results;
}

/** All scenarios of a line, or one. */
export function runSuite(line: Line, url: string, scenario?: string): Promise<Results> {
  const { name, asked } = lines[line];
  const which = scenario === undefined ? asked : [...asked.slice(2), "--scenario", scenario];
  return run(name, ["server", "--url", url, ...which]);
}

/** The scenarios for authorization servers. */
export function runAuthorizationSuite(of: {
  url: string;
  clientId: string;
  resource: string;
  /** where the suite waits for the browser */
  port: number;
  /** As a person who allows it. @returns where the browser goes on */
  consent: (page: string) => Promise<URL>;
}): Promise<Results> {
  const { url, clientId, resource, port, consent } = of;
  const args = ["--url", url, "--client-id", clientId, "--resource", resource];
  let isAsked = false;
  return run("conformance-modern", ["authorization", ...args, "--port", String(port)], (text) => {
    const page = /^(http\S+\/authorize\?\S+)\n/m.exec(text)?.[1];
    if (page === undefined || isAsked) return;
    isAsked = true;
    void consent(page).then((back) => fetch(back));
  });
}

/** Scenarios for clients: a whole suite, or one scenario. The suite starts the program anew for each. */
export const runClientSuite = (
  program: string,
  of: { suite: string } | { scenario: string },
): Promise<Results> => {
  const which = "suite" in of ? ["--suite", of.suite] : ["--scenario", of.scenario];
  return run("conformance-modern", ["client", "--command", `${node} ${program}`, ...which]);
};
