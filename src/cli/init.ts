/**
 * `npx mcp-sampling-router init`: writes a router's configuration into this folder, without overwriting files
 * unasked. `--yes` is non-interactive and takes keys from the environment, since other users can see command
 * lines.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ok, type Result } from "../domain/result.ts";
import { commandLine, startCommand } from "../start/called.ts";
import { checkout, parseSettings } from "../start/settings.ts";
import { composeOfPackage, envText, wranglerText } from "./init-files.ts";
import { createAsker, type Asker } from "./init-questions.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const flags = "[--yes] [--force] [--host H] [--port P] [--public-url URL] [--compose] [--wrangler]";
const usage = `usage: ${commandLine("init", flags)}
Asks for what the router needs, and writes .env into this folder; with --compose a compose.yaml too, with --wrangler a
wrangler.toml. --yes is non-interactive and takes providers' keys from the environment. --force overwrites.`;

const providerKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] as const;

type Settings = Record<string, string>;

interface Wanted {
  settings: Settings;
  compose: boolean;
  wrangler: boolean;
}

type Given = NonNullable<ReturnType<typeof argumentsOf>>;

function argumentsOf(args: string[]) {
  const no = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  try {
    const options = { yes: no, force: no, compose: no, wrangler: no, host: text, port: text };
    return parseArgs({ args, options: { ...options, "public-url": text } }).values;
  } catch {
    return null;
  }
}

const fromEnvironment = ({ host, port, compose, wrangler, ...given }: Given): Wanted => ({
  settings: {
    ...Object.fromEntries(
      [...providerKeys, "OLLAMA_HOST"].map((name) => [name, process.env[name] ?? ""]),
    ),
    HOST: host ?? "",
    PORT: port ?? "",
    PUBLIC_URL: given["public-url"] ?? "",
  },
  compose,
  wrangler,
});

async function fromPerson(asker: Asker, given: Given): Promise<Wanted | null> {
  const settings: Settings = {};
  say("Leave an answer blank to skip a setting.");
  for (const name of providerKeys) {
    const typed = await asker.askSecret(name);
    if (typed === null) return null;
    settings[name] = typed;
  }
  const questions = [
    ["OLLAMA_HOST", "OLLAMA_HOST, such as 127.0.0.1:11434", ""],
    ["HOST", "Address to listen on", given.host ?? "127.0.0.1"],
    ["PORT", "Port", given.port ?? "8787"],
    ["PUBLIC_URL", "Public URL, if any", given["public-url"] ?? ""],
  ] as const;
  for (const [name, question, otherwise] of questions) {
    const typed = await asker.ask(question, otherwise);
    if (typed === null) return null;
    settings[name] = typed;
  }
  return {
    settings,
    compose: given.compose || (await asker.askWhether("Write a compose.yaml, for containers?")),
    wrangler: given.wrangler || (await asker.askWhether("Write a wrangler.toml, for Cloudflare?")),
  };
}

interface Written {
  name: string;
  text: string;
  mode: number;
}

function filesFor({ settings, compose, wrangler }: Wanted): Result<Written[], string> {
  const sound = parseSettings(settings);
  if (!sound.ok) return sound;
  // Generated here rather than at start, whose output a container logs.
  const secrets = {
    ADMIN_TOKEN: `sra_${randomBytes(32).toString("base64url")}`,
    MASTER_KEY: randomBytes(32).toString("base64"),
  };
  const env = envText(compose ? { ...settings, ...secrets } : settings);
  if (!env.ok) return env;
  const own = readFileSync(join(checkout, "package.json"), "utf8");
  const { version } = JSON.parse(own) as { version: string };
  const files = [{ name: ".env", text: env.value, mode: 0o600 }];
  if (compose) files.push({ name: "compose.yaml", text: composeOfPackage(version), mode: 0o644 });
  if (wrangler) files.push({ name: "wrangler.toml", text: wranglerText(checkout), mode: 0o644 });
  return ok(files);
}

/** Atomically, with its mode from the start. */
function write({ name, text, mode }: Written): void {
  const path = resolve(name);
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, text, { mode, flag: "wx" });
  renameSync(whole, path);
  say(`Wrote ${name}.`);
}

function nextSteps({ compose, wrangler }: Wanted): void {
  say(`Next: ${compose ? "docker compose up" : startCommand}`);
  if (compose) say("ADMIN_TOKEN and MASTER_KEY are in .env: keep a copy of MASTER_KEY elsewhere.");
  if (wrangler)
    say(
      "On Cloudflare, .env is not read: npm install mcp-sampling-router, npx wrangler secret put MASTER_KEY (and ADMIN_TOKEN), npx wrangler deploy.",
    );
}

async function run(args: string[]): Promise<string | null> {
  const given = argumentsOf(args);
  if (given === null) return usage;
  const asker = given.yes ? null : createAsker(process.stdin, process.stdout);
  try {
    const wanted = asker === null ? fromEnvironment(given) : await fromPerson(asker, given);
    if (wanted === null)
      return "the input ended before every question was answered; nothing was written";
    const files = filesFor(wanted);
    if (!files.ok) return `${files.error}; nothing was written`;
    const there = files.value.map(({ name }) => name).filter((name) => existsSync(resolve(name)));
    if (there.length > 0 && !given.force) {
      const named = there.join(" and ");
      if (asker === null)
        return `${named} already exists: use --force to overwrite; nothing was written`;
      if (!(await asker.askWhether(`Overwrite ${named}?`))) return "nothing was written";
    }
    for (const file of files.value) write(file);
    nextSteps(wanted);
    return null;
  } finally {
    asker?.close();
  }
}

answerHelp(usage);
const fault = await run(process.argv.slice(2)).catch((cause: unknown) =>
  cause instanceof Error ? cause.message : "it failed",
);
if (fault !== null) {
  sayFault(fault);
  process.exitCode = 1;
}
