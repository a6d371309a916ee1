/** `mcp-sampling-router proxy`: real processes, servers and clients of both SDKs, and a router as it is started. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { beforeAll, describe, expect, it } from "vitest";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { fromSource } from "../setup/from-source.ts";
import { patient } from "../setup/patience.ts";

const checkout = join(import.meta.dirname, "..", "..");
const program = join(checkout, "src", "cli", "proxy.ts");
const fake = (name: string): string => join(checkout, "test", "fakes", name);
const everything = join(
  checkout,
  "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);
const node = process.execPath;
const info = { name: "test", version: "1" };

let router: SharedRouter;
const settings = () => ({
  ...fromSource,
  SAMPLING_ROUTER_URL: router.url,
  SAMPLING_ROUTER_KEY: router.demoKey,
});

beforeAll(async () => {
  router = await borrowRouter();
});

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join("");

/** A proxy before a program, with all that it printed. */
function start(args: readonly string[], env: Record<string, string> = settings()) {
  const child = spawn(node, [program, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const out: Buffer[] = [];
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => void out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  return { child, ended, until, out: () => Buffer.concat(out), errors: () => errors };
}

const raw = (...args: string[]): string[] => ["--", node, fake("stdio-server.mjs"), ...args];

// Each waits for processes of its own most of the time.
describe.concurrent("the process of the proxy", () => {
  it("passes lines of any size, parts of lines, garbage and errors, and keeps its key to itself", async () => {
    const { child, ended, out, errors } = start(raw());
    const large = `"${"é".repeat(4_000_000)}"`;
    child.stdin.write("gar");
    child.stdin.write(`bage\n${large}\n`);
    child.stdin.write(
      `write ${JSON.stringify("no end of ")}\nwrite ${JSON.stringify("a line\r\n\n")}\n`,
    );
    child.stdin.end("left over");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(out().toString()).toBe(
      `got garbage\ngot ${large}\nno end of a line\r\n\ngot left over\nclosed without an end`,
    );
    expect(errors()).toBe("started with 0 variables of the router\n");
  });

  it.each([
    ["with its own code", ["exit 7\n", 7, null]],
    ["by the signal that it is sent", [null, null, "SIGTERM"]],
  ] as const)("ends as its server does: %s", async (_, [line, code, signal]) => {
    const { child, ended, until, errors } = start(raw());
    await until(() => errors() !== "");
    if (line === null) child.kill("SIGTERM");
    else child.stdin.write(line);
    expect(await ended).toEqual({ code, signal });
  });

  it("leaves it to its server whether a signal ends it", async () => {
    const { child, ended, until, errors, out } = start(raw("stays"));
    await until(() => errors() !== "");
    child.kill("SIGTERM");
    await until(() => out().toString() === "stays\n");
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it.each([
    ["no server", [], {}, 1, /^usage: npx mcp-sampling-router proxy -- COMMAND/],
    ["no URL", raw(), { SAMPLING_ROUTER_URL: "" }, 1, /^SAMPLING_ROUTER_URL must be/],
    ["no key", raw(), { SAMPLING_ROUTER_KEY: "" }, 1, /^SAMPLING_ROUTER_KEY must be/],
    [
      "no file with a key",
      raw(),
      { SAMPLING_ROUTER_KEY_FILE: "/no/such/file" },
      1,
      /^SAMPLING_ROUTER_KEY_FILE can't be read/,
    ],
    ["no such program", ["--", "no-such-program"], {}, 127, /^no-such-program was not found/],
    [
      "a program whose name steers the terminal",
      ["--", "\u001b[2Jno-such"],
      {},
      127,
      /^\\u\{1b\}\[2Jno-such was not found/,
    ],
  ] as const)("says what it lacks: %s", async (_, args, lacking, code, sentence) => {
    const { ended, errors } = start(args, { ...settings(), ...lacking });
    expect((await ended).code).toBe(code);
    expect(errors().replace("sampling-router: ", "")).toMatch(sentence);
    expect(errors()).not.toContain(router.demoKey);
  });

  it.runIf(process.platform === "linux")(
    "takes its key from a file, and has it in no environment",
    async () => {
      const file = join(mkdtempSync(join(tmpdir(), "stdio-key-")), "key");
      writeFileSync(file, `${router.demoKey}\n`, { mode: 0o600 });
      const { SAMPLING_ROUTER_KEY: _, ...others } = settings();
      const { child, ended, until, out, errors } = start(raw(), {
        ...others,
        SAMPLING_ROUTER_KEY_FILE: file,
      });
      const asks = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":9}}\n`;
      child.stdin.write(`write ${JSON.stringify(asks)}\n`);
      await until(() => out().includes("\n"));
      expect(out().toString()).toContain('"result":');
      expect(errors()).toContain("started with 0 variables of the router");
      expect(readFileSync(`/proc/${child.pid}/environ`, "utf8")).not.toContain(router.demoKey);
      child.stdin.end();
      await ended;
    },
  );

  it(
    "tells its server that no router answers, as an error with a reason",
    { timeout: patient(30_000) },
    async () => {
      const down = { ...settings(), SAMPLING_ROUTER_URL: "http://127.0.0.1:9" };
      const { child, ended, until, out } = start(raw(), down);
      const asks = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}\n`;
      child.stdin.write(`write ${JSON.stringify(asks)}\n`);
      await until(() => out().includes("\n"));
      child.stdin.end();
      await ended;
      const [line = ""] = out().toString().split("\n");
      expect(JSON.parse(line.replace("got ", ""))).toMatchObject({
        id: 1,
        error: { code: -503, data: { reason: "unreachable", retryable: true } },
      });
    },
  );
});

describe.concurrent.each(["SDK v1", "SDK v2"])("a client of %s that can't sample", (sdk) => {
  /** As a client is told to start a server. */
  async function connect(args: readonly string[]): Promise<ClientV1 | ClientV2> {
    const command = { command: node, args: [program, "--", node, ...args], env: settings() };
    if (sdk === "SDK v1") {
      const client = new ClientV1(info);
      await client.connect(new StdioV1({ ...command, stderr: "ignore" }));
      return client;
    }
    const client = new ClientV2(info);
    await client.connect(new StdioV2({ ...command, stderr: "ignore" }));
    return client;
  }

  it("uses the tool of server-everything that samples, which is there for clients that can", async () => {
    const client = await connect([everything, "stdio"]);
    try {
      const call = {
        name: "trigger-sampling-request",
        arguments: { prompt: "Say hello.", maxTokens: 20 },
      };
      const answers = await Promise.all([client.callTool(call), client.callTool(call)]);
      for (const answer of answers) expect(textOf(answer)).toContain("demo model");
    } finally {
      await client.close();
    }
  });

  it("gets an answer of a server of SDK v2 before 2026-07-28, who gets no decision", async () => {
    const client = await connect([fake("stdio-sampler.ts")]);
    try {
      const answer = await client.callTool({ name: "ask", arguments: { text: "Say hello." } });
      expect(textOf(answer)).toContain("Say hello.");
      expect(textOf(answer)).not.toContain("sampling-router/decision");
    } finally {
      await client.close();
    }
  });
});

describe("a client of 2026-07-28 that can't sample", () => {
  it("gets answers of a server that asks with its results, and is asked what is its own", async () => {
    const client = new ClientV2(info, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { name: "Ann" },
    }));
    const args = [program, "--", node, fake("stdio-sampler.ts")];
    await client.connect(new StdioV2({ command: node, args, env: settings(), stderr: "ignore" }));
    try {
      const one = await client.callTool({ name: "ask", arguments: { text: "Say hello." } });
      expect(textOf(one)).toContain("Say hello.");
      expect(textOf(one)).not.toContain("sampling-router/decision");
      const both = await client.callTool({ name: "ask_both", arguments: { text: "Say more." } });
      expect(textOf(both)).toMatch(/Say more\.[^]*"Ann"|"Ann"[^]*Say more\./);
    } finally {
      await client.close();
    }
  });
});
