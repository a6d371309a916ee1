/**
 * `npm run deploy`: guides through a deployment to Cloudflare and deploys new versions. In Workers Builds,
 * which has its own secrets and no terminal, it only runs `wrangler deploy`.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { isObject, own, parsedJson } from "../domain/json.ts";
import { checkout } from "../start/settings.ts";
import { runDeployment, type DeploymentDeps } from "./deploy/deployment.ts";
import { createKeptSecrets } from "./deploy/kept-secrets.ts";
import { createAsker } from "./init-questions.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const usage = `usage: npm run deploy -- [--dry-run] [--yes] [--tenant SLUG]
Finds the account, sets missing secrets, deploys, waits until the router is ready, and creates the first tenant if it is missing. Existing secrets and tenants are kept, so run it again to deploy a new version. --yes creates secrets without asking. --dry-run builds without calling Cloudflare.`;

const keptName = ".env.deployment";

function argumentsOf(args: string[]) {
  const no = { type: "boolean", default: false } as const;
  try {
    const options = { "dry-run": no, yes: no, tenant: { type: "string" } } as const;
    return parseArgs({ args, options }).values;
  } catch {
    return null;
  }
}

/** @returns its exit code, and its output unless shown */
function runWrangler(
  args: readonly string[],
  { stdio, env = {} }: { stdio: "pipe" | "inherit"; env?: Record<string, string> },
): Promise<{ code: number; printed: string }> {
  const program = join(checkout, "node_modules", "wrangler", "bin", "wrangler.js");
  const child = spawn(process.execPath, [program, ...args], {
    cwd: checkout,
    env: { ...process.env, ...env },
    stdio: ["inherit", stdio, stdio],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve({ code: 1, printed: message }));
    child.once("close", (code) => resolve({ code: code ?? 1, printed }));
  });
}

/** A directory with mode 0700, removed afterwards. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-deploy-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const textAt = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** URLs from wrangler's machine-readable output. */
const targetsIn = (lines: string): string[] =>
  lines
    .split("\n")
    .map((line) => parsedJson(line))
    .flatMap((entry) => {
      const targets = isObject(entry) && entry["type"] === "deploy" ? own(entry, "targets") : [];
      return Array.isArray(targets) ? targets : [];
    })
    .filter((target) => typeof target === "string");

const deploy: DeploymentDeps["deploy"] = (args) =>
  inFolder(async (folder) => {
    const output = join(folder, "wrangler.ndjson");
    const { code } = await runWrangler(["deploy", ...args], {
      stdio: "inherit",
      env: { WRANGLER_OUTPUT_FILE_PATH: output },
    });
    return { code, targets: targetsIn(textAt(output)) };
  });

const kept = createKeptSecrets(join(checkout, keptName), keptName);

async function dryRun(): Promise<string | null> {
  say("1. Would ask wrangler for the account: npx wrangler whoami");
  say(`2. Would set MASTER_KEY and ADMIN_TOKEN if they are missing, with a copy in ${keptName}`);
  say("3. Would deploy this:");
  const { code } = await runWrangler(["deploy", "--dry-run"], { stdio: "inherit" });
  if (code !== 0) return "wrangler could not build the Worker";
  say("4. Would wait for /health/ready and create the first tenant if it is missing");
  return null;
}

async function run(args: string[]): Promise<string | null> {
  const given = argumentsOf(args);
  if (given === null) return usage;
  if (given["dry-run"]) return dryRun();
  if (process.env["WORKERS_CI"] !== undefined)
    return (await deploy([])).code === 0 ? null : "wrangler deployed nothing";
  const asker = process.stdin.isTTY ? createAsker(process.stdin, process.stdout) : null;
  try {
    return await runDeployment(
      {
        wrangler: (called) => runWrangler(called, { stdio: "pipe" }),
        deploy,
        kept,
        withSecretsFile: (secrets, use) =>
          inFolder(async (folder) => {
            const path = join(folder, "secrets.json");
            writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
            return use(path);
          }),
        newSecret: (name) =>
          name === "MASTER_KEY"
            ? randomBytes(32).toString("base64")
            : `sra_${randomBytes(32).toString("base64url")}`,
        environment: process.env,
        asker,
        fetch,
        wait: (ms) => setTimeout(ms),
        say,
      },
      given,
    );
  } finally {
    asker?.close();
  }
}

answerHelp(usage);
const fault = await run(process.argv.slice(2));
if (fault !== null) {
  sayFault(fault);
  process.exitCode = 1;
}
