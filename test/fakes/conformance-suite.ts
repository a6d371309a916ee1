/** The official conformance suite, `@modelcontextprotocol/conformance`, run once against a server's URL. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache } from "../setup/compile-cache.ts";
import { whenGone } from "./sqld.ts";

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

const patienceMs = 120_000;

function read(directory: string): Results {
  const results: Results = new Map();
  for (const entry of readdirSync(directory)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/.exec(entry)?.[1] ?? entry;
    const checks = readFileSync(join(directory, entry, "checks.json"), "utf8");
    results.set(scenario, JSON.parse(checks) as Check[]);
  }
  return results;
}

/** All scenarios of a line, or one. */
export async function runSuite(line: Line, url: string, scenario?: string): Promise<Results> {
  const { name, asked } = lines[line];
  const directory = mkdtempSync(join(tmpdir(), "conformance-"));
  const which = scenario === undefined ? asked : [...asked.slice(2), "--scenario", scenario];
  const program = join(modules, name, "dist", "index.js");
  const child = spawn(
    join(modules, "node", "bin", "node"),
    [program, "server", "--url", url, "-o", directory, ...which],
    {
      env: compileCache,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
      killSignal: "SIGKILL",
    },
  );
  const dismiss = whenGone(`kill -9 "$1"`, String(child.pid));
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  dismiss();
  // 1 says that a check failed, which is for the caller to judge.
  if (code !== 0 && code !== 1) throw new Error(`The suite ended with ${code}:\n${printed}`);
  const results = read(directory);
  rmSync(directory, { recursive: true, force: true });
  return results;
}
