/**
 * `npx mcp-sampling-router proxy -- COMMAND…`: runs a stdio MCP server and answers its sampling through a
 * router. Streams, exit code, and signals are the server's.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { isObject, type JsonObject } from "../domain/json.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { createAskRouter } from "../libraries/ask-router.ts";
import { SamplingError } from "../libraries/sampling-error.ts";
import type { SamplingParams } from "../libraries/sampling-shapes.ts";
import { createLines } from "../proxy/stdio/lines.ts";
import { createStdioRelay, type StdioRelay } from "../proxy/stdio/relay.ts";
import { answerForServer, type SampleFor } from "../proxy/stdio/sampler.ts";
import { sayFault } from "./output.ts";

/** Not through npm, which prints lines among the messages. */
const usage = `usage: npx mcp-sampling-router proxy -- COMMAND [ARGUMENT]...
Runs a stdio MCP server and answers its sampling requests through the router at SAMPLING_ROUTER_URL, with the API key in the file SAMPLING_ROUTER_KEY_FILE or in SAMPLING_ROUTER_KEY. The server doesn't get these variables.`;

const ownVariables = new Set([
  "SAMPLING_ROUTER_URL",
  "SAMPLING_ROUTER_KEY",
  "SAMPLING_ROUTER_KEY_FILE",
]);

/** ms; calls may wait for approval, and servers cancel earlier. */
const timeoutMs = 600_000;
/** ms for output of the server's children after its end. */
const afterwardsMs = 2_000;
const notFound = 127;
const notRun = 126;

interface Proxied {
  program: string;
  args: string[];
  url: string;
  key: string;
}

/** `null` if unreadable. A pipe such as /dev/fd/3 leaves no copy. */
function keyIn(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

function settingsOf(args: string[], env: NodeJS.ProcessEnv): Result<Proxied, string> {
  const [program, ...rest] = args;
  if (program === undefined) return err(usage);
  const { SAMPLING_ROUTER_URL: url = "", SAMPLING_ROUTER_KEY_FILE: path } = env;
  const key = path === undefined ? env["SAMPLING_ROUTER_KEY"] : keyIn(path);
  if (!["http:", "https:"].includes(URL.parse(url)?.protocol ?? ""))
    return err("SAMPLING_ROUTER_URL must be the router's http: or https: URL");
  if (key === null) return err("SAMPLING_ROUTER_KEY_FILE can't be read");
  if (!/^[!-~]+$/.test(key ?? ""))
    return err(
      `${path === undefined ? "SAMPLING_ROUTER_KEY must be" : "SAMPLING_ROUTER_KEY_FILE must hold"} an API key of that router`,
    );
  return ok({ program, args: rest, url, key: key ?? "" });
}

function createSample({ url, key }: Proxied): SampleFor {
  const ask = createAskRouter({ url, key });
  return async (params, options) => {
    try {
      const result = await ask(params as unknown as SamplingParams, { ...options, timeoutMs });
      return ok(answerForServer(result as unknown as JsonObject));
    } catch (cause) {
      if (!(cause instanceof SamplingError)) throw cause;
      const { code, message, data } = cause;
      return err({ code, message, data: isObject(data) ? data : {} });
    }
  };
}

const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Waits for room. Output without a reader is dropped. */
const send = (stream: Writable, bytes: Uint8Array | null): Promise<void> | void => {
  if (bytes === null || bytes.length === 0 || !stream.writable || stream.write(bytes)) return;
  return new Promise((resolve) => {
    for (const event of ["drain", "close", "error"]) stream.once(event, resolve);
  });
};

/** Relays whole lines, then the incomplete rest. */
async function carry(
  from: Readable,
  to: Writable,
  pass: (line: Uint8Array<ArrayBuffer>) => Promise<Uint8Array | null> | Uint8Array | null,
): Promise<void> {
  const lines = createLines();
  for await (const bytes of from)
    for (const { bytes: piece, isLine } of lines.push(bytes as Buffer))
      await send(to, isLine ? await pass(piece) : piece);
  await send(to, lines.rest());
}

const createRelay = (child: Child, proxied: Proxied): StdioRelay =>
  createStdioRelay({
    sample: createSample(proxied),
    sha256Hex: async (text) => createHash("sha256").update(text).digest("hex"),
    nonce: () => randomUUID(),
    wait,
    toServer: (line) => void send(child.stdin, line),
    toClient: (line) => void send(process.stdout, line),
    // Messages of errors may contain a prompt.
    report: (thrown) =>
      sayFault(
        `a request failed in the proxy (${thrown instanceof Error ? thrown.name : typeof thrown})`,
      ),
  });

/** Ends by the server's code or signal. */
function endAs(code: number | null, signal: NodeJS.Signals | null): void {
  // Flushes pipes that write asynchronously.
  process.stdout.write("", () => {
    if (signal === null) return process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // For signals that this process ignores.
    setTimeout(() => process.exit(1), afterwardsMs);
  });
}

function run(proxied: Proxied): void {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ownVariables.has(name)),
  );
  const child = spawn(proxied.program, proxied.args, { stdio: ["pipe", "pipe", "inherit"], env });
  const relay = createRelay(child, proxied);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill(signal));
  child.on("error", (cause: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return;
    const isMissing = cause.code === "ENOENT";
    sayFault(`${proxied.program} ${isMissing ? "was not found" : `can't be run: ${cause.code}`}`);
    process.exit(isMissing ? notFound : notRun);
  });
  // Reported by the end of the stream.
  child.stdin.on("error", () => {});
  process.stdout.on("error", () => child.stdin.end());
  const output = carry(child.stdout, process.stdout, relay.fromServer).catch(() => {});
  const input = carry(process.stdin, child.stdin, relay.fromClient).catch(() => {});
  void input.finally(() => {
    // The client has left.
    relay.end();
    child.stdin.end();
  });
  child.on("exit", (code, signal) => {
    relay.end();
    void Promise.race([output, wait(afterwardsMs)]).then(() => endAs(code, signal));
  });
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--help" || first === "-h") process.stdout.write(`${usage}\n`);
else {
  // Including the server's own --help.
  const proxied = settingsOf(first === "--" ? rest : [], process.env);
  if (proxied.ok) run(proxied.value);
  else {
    sayFault(proxied.error);
    process.exitCode = 1;
  }
}
