/** Both packages, as a stranger's project has them: packed, unpacked, checked, compiled, run. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { parseEnv } from "node:util";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patient } from "../setup/patience.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter } from "../fakes/router.ts";
import { borrowRouter } from "../fakes/shared-router.ts";
import { pages } from "../docs/pages.ts";
import { matrixOn, matrixOnWorkers, prepareMatrix } from "../setup/library-matrix.ts";
import { packBoth, type Packed } from "../setup/packed.ts";

const checkout = join(import.meta.dirname, "..", "..");
const megabyte = 1024 * 1024;
let packed: Packed;
let project = "";
let sdk = "";
let router = "";

/** Uses each library as its page does, with the types of both SDKs. */
const program = `
import { hostedSampling, SamplingError } from "mcp-sampling-router-sdk/server";
import { routedSampling } from "mcp-sampling-router-sdk/client";
import type { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult, CreateMessageRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { McpServer as ServerV2 } from "@modelcontextprotocol/server";
import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import * as z from "zod";

export function v1(server: ServerV1, params: CreateMessageRequest["params"]): void {
  const sampling = hostedSampling({ url: "http://127.0.0.1:1", key: "k", server });
  server.registerTool("ask", {}, async (extra): Promise<CallToolResult> => {
    const plain = await sampling.createMessage(extra, { messages: params.messages, maxTokens: 1 });
    await sampling.createMessage(extra, params);
    return { content: [plain.content] };
  });
}
export function v2(server: ServerV2): void {
  const sampling = hostedSampling({ url: "http://127.0.0.1:1", key: "k", server });
  server.registerTool("ask", {}, sampling.rounds(async (ctx) => {
    const { content } = await sampling.createMessage(ctx, {
      messages: [{ role: "user", content: { type: "text", text: "a" } }],
      maxTokens: 1,
    });
    return { content: [content] };
  }));
}
export function v2WithInput(server: ServerV2): void {
  const sampling = hostedSampling({ url: "http://127.0.0.1:1", key: "k", server });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool("ask", { inputSchema }, sampling.rounds(async ({ text }, ctx) => {
    const { content } = await sampling.createMessage(ctx, {
      messages: [{ role: "user", content: { type: "text", text } }],
      maxTokens: 1,
    });
    return { content: [content] };
  }));
}
export function clients(one: ClientV1, two: ClientV2): void {
  const sampling = routedSampling({ url: "http://127.0.0.1:1", key: "k" });
  one.setRequestHandler(CreateMessageRequestSchema, sampling.handleRequest);
  two.setRequestHandler("sampling/createMessage", sampling.handleRequest);
}
export const failure: typeof SamplingError = SamplingError;
`;

/** What stands around the snippets of docs/libraries.md in a reader's own program. */
const aroundSnippets = `
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateMessageRequestSchema, type CreateMessageRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import type { RoutedSampling, SamplingParams, UsersWord } from "mcp-sampling-router-sdk/client";
import type * as z from "zod";

declare const process: { env: Record<string, string | undefined> };
declare const server: McpServer;
declare const params: CreateMessageRequest["params"];
declare const inputSchema: { text: z.ZodString };
declare const info: { name: string; version: string };
declare class Client {
  constructor(info: { name: string }, options: Pick<RoutedSampling, "capabilities">);
  setRequestHandler: ClientV1["setRequestHandler"] & ClientV2["setRequestHandler"];
}
declare function confirm(params: SamplingParams): Promise<UsersWord>;
`;
/** Each snippet of the page that leaves nothing out, as a file of its own. */
const snippets = pages
  .filter(({ path }) => path === "docs/libraries.md")
  .flatMap(({ blocks }) => blocks)
  .filter(({ info, text }) => info === "ts" && !text.includes("…"))
  .map(({ text }, index) => ({ name: `snippet-${index}.ts`, text: `${aroundSnippets}${text}` }));

beforeAll(async () => {
  packed = await packBoth();
  ({ project } = packed);
  sdk = join(project, "node_modules", "mcp-sampling-router-sdk");
  router = join(project, "node_modules", "mcp-sampling-router");
  for (const name of ["@modelcontextprotocol", "zod"])
    symlinkSync(join(checkout, "node_modules", name), join(project, "node_modules", name));
});
afterAll(() => packed.remove());

/** As `du` counts a copy of it: links lead to what npm would copy. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The project's own Node, and the machine's, which may be older. */
const nodes = [
  join(checkout, "node_modules", ".bin"),
  ...(process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.includes("node_modules")),
].map((path) => join(path, "node"));
const [ownNode = process.execPath, ...otherNodes] = nodes;

/** A tool of the project's `node_modules/.bin`; its exit code and all that it printed. */
const runTool = (name: string, args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; printed: string }>((resolve) => {
    const tool = join(checkout, "node_modules", ".bin", name);
    execFile(tool, args, { cwd: project, env: { ...process.env, ...env } }, (fault, out, errors) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), printed: `${out}${errors}` }),
    );
  });

describe.each(["router", "sdk"] as const)("the tarball of %s", (which) => {
  it(
    "has nothing that publint calls an error or a warning",
    { timeout: patient(60_000) },
    async () => {
      const { code, printed } = await runTool("publint", [packed[which].tarball, "--strict"]);
      expect([code, printed]).toEqual([0, expect.stringContaining("All good!")]);
    },
  );

  it(
    "resolves to its types in every way that an ESM package can",
    { timeout: patient(60_000) },
    async () => {
      const args = [packed[which].tarball, "--profile", "esm-only", "--format", "json"];
      const { code, printed } = await runTool("attw", args);
      expect(code, printed).toBe(0);
      const { analysis } = JSON.parse(printed) as { analysis: { entrypoints: object } };
      expect(Object.keys(analysis.entrypoints)).toEqual(
        expect.arrayContaining(["./server", "./client"]),
      );
    },
  );
});

it("holds JavaScript, declarations, a licence and a page, and needs no other package", async () => {
  const files = readdirSync(sdk, { recursive: true, encoding: "utf8" });
  expect(files).toEqual(
    expect.arrayContaining(["server.js", "client.js", "LICENSE", "README.md", "package.json"]),
  );
  expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("dependencies");
  for (const library of ["server", "client"]) {
    const text = readFileSync(join(sdk, `${library}.js`), "utf8");
    expect(text).not.toMatch(/\bfrom\s*"|\bimport\b|\brequire\b/);
    const { code } = await transform(text, { minify: true, format: "esm" });
    expect(gzipSync(code).length).toBeLessThanOrEqual(6_144);
    // Node prints the line of an error that nobody caught.
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThan(250);
  }
});

it.each(["nodenext", "bundler"])(
  "compiles, its page's snippets too, with the types of both SDKs, resolved by %s",
  (how) => {
    writeFileSync(join(project, "package.json"), '{"type":"module","private":true}');
    writeFileSync(join(project, "program.ts"), program);
    expect(snippets).toHaveLength(3);
    for (const { name, text } of snippets) writeFileSync(join(project, name), text);
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          target: "es2022",
          module: how === "bundler" ? "esnext" : how,
          moduleResolution: how,
          lib: ["es2022", "dom"],
          types: [],
          skipLibCheck: true,
        },
        files: ["program.ts", ...snippets.map(({ name }) => name)],
      }),
    );
    const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    expect(stdout).toBe("");
  },
);

describe("servers and clients of both SDKs, in both eras, sample by the packed libraries", () => {
  let told = "";
  let provider: FaultyProvider;
  beforeAll(async () => {
    provider = await startFaultyProvider();
    told = await prepareMatrix(await borrowRouter(), provider);
  });
  afterAll(() => provider.stop());

  // Other Nodes: `npm run soak -- libraries`.
  it("on Node", { timeout: patient(60_000) }, async () => {
    const found = await matrixOn([ownNode], { project, told });
    expect(found).toMatchObject({ tried: 27, faults: [] });
  });

  it("in the Workers runtime", { timeout: patient(60_000) }, async () => {
    expect(await matrixOnWorkers({ project, told })).toMatchObject({ tried: 27, faults: [] });
  });
});

it("leaves out of a program what the program does not use of a library", async () => {
  const sizeOf = async (contents: string): Promise<number> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: project },
      bundle: true,
      write: false,
      minify: true,
      format: "esm",
      logLevel: "error",
    });
    return gzipSync(outputFiles[0]?.contents ?? "").length;
  };
  const [nothing, error, server, client] = await Promise.all([
    sizeOf('import "mcp-sampling-router-sdk/server";'),
    sizeOf('export { SamplingError } from "mcp-sampling-router-sdk/server";'),
    sizeOf('export { hostedSampling } from "mcp-sampling-router-sdk/server";'),
    sizeOf('export { routedSampling } from "mcp-sampling-router-sdk/client";'),
  ]);
  // gzip alone takes 20 bytes.
  expect(nothing).toBe(20);
  expect(error).toBeLessThanOrEqual(512);
  expect(server).toBeLessThanOrEqual(6_144);
  expect(client).toBeLessThanOrEqual(6_144);
});

const eitherNode = [ownNode, otherNodes.find(existsSync) ?? ownNode];
it.each(
  ["mcp-sampling-router-sdk", "mcp-sampling-router"].flatMap((name) =>
    eitherNode.map((node) => ({ name, node })),
  ),
)("runs on Node: %#", ({ name, node }) => {
  const use = `
    import { hostedSampling } from "${name}/server";
    import { routedSampling } from "${name}/client";
    const refusing = async () => Response.json(
      { jsonrpc: "2.0", id: 1, error: { code: -402, message: "Budget exceeded", data: { reason: "budget_exceeded" } } });
    const settings = { url: "http://127.0.0.1:1", key: "k", mode: "router", fetch: refusing };
    const params = { messages: [], maxTokens: 1 };
    const one = await hostedSampling(settings).createMessage(params).catch((error) => error.reason);
    const two = await routedSampling(settings).handleRequest({ params }).catch((error) => error.reason);
    console.log(one, two);`;
  const said = execFileSync(node, ["--input-type=module", "-e", use], {
    cwd: project,
    encoding: "utf8",
  });
  expect(said.trim()).toBe("budget_exceeded budget_exceeded");
});

describe("the package of the router", () => {
  const bin = (): string => join(router, "bin.js");
  const emptyFolder = (): string => mkdtempSync(join(packed.folder, "empty-"));
  const run = (
    node: string,
    args: readonly string[],
    {
      cwd = emptyFolder(),
      env = {},
      input = "",
    }: { cwd?: string; env?: Record<string, string>; input?: string } = {},
  ) => {
    const { status, stdout, stderr } = spawnSync(node, [bin(), ...args], {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      input,
      encoding: "utf8",
    });
    return { code: status, out: stdout, errors: stderr };
  };

  it("takes at most 40 MB once it is installed, and the libraries' package 1 MB", () => {
    const alongside = ["libsql", "@libsql", "@neon-rs", "detect-libc"].map((name) =>
      join(project, "node_modules", name),
    );
    const bytes = [router, ...alongside].map(bytesIn).reduce((sum, each) => sum + each);
    expect(bytes).toBeGreaterThan(5 * megabyte);
    // npm installs the binaries for both libcs of Linux, and a checkout has one of them.
    const binaries = join(project, "node_modules", "@libsql");
    expect(bytes + bytesIn(binaries)).toBeLessThanOrEqual(40 * megabyte);
    expect(packed.router.packed).toBeLessThanOrEqual(3.5 * megabyte);
    expect(bytesIn(sdk)).toBeLessThanOrEqual(megabyte);
  });

  it("holds no source, no path of the machine that built it, and needs libsql alone", () => {
    const files = readdirSync(router, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => /(?<!\.d)\.tsx?$/.test(name))).toEqual([]);
    const texts = files.filter((name) => /\.(c?js|json|txt|md)$/.test(name));
    expect(texts.length).toBeGreaterThan(10);
    expect(
      texts.filter((name) => readFileSync(join(router, name), "utf8").includes(checkout)),
    ).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(router, "package.json"), "utf8")) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(["libsql"]);
  });

  it("brings the licence of each package that is in its bundle", () => {
    const notices = readFileSync(join(router, "THIRD-PARTY.txt"), "utf8");
    for (const name of ["hono", "drizzle-orm", "zod", "preact", "undici", "@ai-sdk/openai"])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(notices).not.toMatch(/^libsql /m);
  });

  it("says its version, and how it is called", () => {
    expect(run(ownNode, ["--version"]).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { code, out } = run(ownNode, ["--help"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^usage: npx mcp-sampling-router /)]);
  });

  it("refuses a command that it does not have, and arguments that nothing reads", () => {
    const folder = emptyFolder();
    const unknown = run(ownNode, ["strat"], { cwd: folder });
    expect(unknown.errors).toMatch(/^sampling-router: unknown command strat\n/);
    const surplus = run(ownNode, ["start", "--port"], { cwd: folder });
    expect(surplus.errors).toMatch(/^sampling-router: start takes no arguments, but got --port/);
    expect([unknown.code, surplus.code, readdirSync(folder)]).toEqual([1, 1, []]);
  });

  const oldNode = otherNodes.find(
    (path) => existsSync(path) && execFileSync(path, ["-v"]).toString() < "v22.15",
  );
  it.skipIf(oldNode === undefined)(
    "says which Node it needs (skipped where the machine has no older one)",
    () => {
      const { code, errors } = run(oldNode ?? "", []);
      expect([code, errors]).toEqual([
        1,
        expect.stringMatching(/^sampling-router: Node 22\.15 or later is required, but this is /),
      ]);
    },
  );

  it.each(["init", "doctor", "backup", "restore", "migrate", "catalogue", "audit", "replay"])(
    "has the command %s, which names itself as it was called",
    (name) => {
      const { code, out } = run(ownNode, [name, "--help"]);
      const usage = new RegExp(`^usage: npx mcp-sampling-router ${name}\\b`);
      expect([code, out]).toEqual([0, expect.stringMatching(usage)]);
    },
  );

  it.each([ownNode, otherNodes.find(existsSync) ?? ownNode])(
    "is a proxy before a server over stdio, on Node: %#",
    (node) => {
      const server = join(checkout, "test", "fakes", "stdio-server.mjs");
      const env = { SAMPLING_ROUTER_URL: "http://127.0.0.1:9", SAMPLING_ROUTER_KEY: "k" };
      const args = ["proxy", "--", node, server, "--help"];
      const { code, out, errors } = run(node, args, { env, input: "hello\nexit 3\n" });
      expect([code, out]).toEqual([3, "got hello\n"]);
      expect(errors).toBe("started with 0 variables of the router\n");
      expect(run(node, ["proxy", "--help"]).out).toMatch(/^usage: npx mcp-sampling-router proxy /);
    },
  );

  it("starts in an empty folder with the settings of its .env, answers, and is backed up", async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, ".env"), 'ADMIN_TOKEN="an operator\'s token"\nLOG_FORMAT=json\n');
    const refused = run(ownNode, [], { cwd });
    expect(refused.errors).toMatch(/^sampling-router: ADMIN_TOKEN may only contain letters/);
    writeFileSync(join(cwd, ".env"), "ADMIN_TOKEN=of-the-file-and-long-enough\n");
    const started = await startRouter({
      command: [ownNode, bin()],
      cwd,
      env: { STATE_DIR: "" },
    });
    try {
      const [page, tenants] = await Promise.all([
        fetch(`${started.url}/console`),
        fetch(`${started.url}/admin/v1/tenants`, {
          headers: { Authorization: "Bearer of-the-file-and-long-enough" },
        }),
      ]);
      expect([page.status, tenants.status]).toEqual([200, 200]);
      expect(await page.text()).toContain("console-");
      expect(readdirSync(cwd)).toEqual([".env", ".sampling-router"]);
      const examined = run(ownNode, ["doctor", "--json"], { cwd });
      const { ok, findings } = JSON.parse(examined.out) as { ok: boolean; findings: Finding[] };
      expect([ok, findings.filter(({ level }) => level === "fault")]).toEqual([
        false,
        [expect.objectContaining({ check: "permissions" })],
      ]);
      chmodSync(join(cwd, ".env"), 0o600);
      const again = run(ownNode, ["doctor"], { cwd });
      expect([again.code, again.errors]).toEqual([0, ""]);
      expect(again.out).toMatch(
        /router +runs at .* and is ready\n[^]*schedule +the scheduled jobs ran/,
      );
      expect(again.out).toMatch(/warning +providers +.*canned/);
      const { code, out } = run(ownNode, ["backup", "copy.sqlite"], { cwd });
      expect([code, out]).toEqual([0, expect.stringContaining("1 tenant, ")]);
    } finally {
      expect(await started.stop()).toBe(0);
    }
  });

  describe("init", () => {
    const answers = [
      "sk-ant-of-a-person",
      "",
      "",
      "",
      "",
      "8790",
      "https://router.example",
      "y",
      "",
    ].join("\n");

    it("writes what a person answers, for the owner alone, and shows no key", () => {
      const cwd = emptyFolder();
      const { code, out, errors } = run(ownNode, ["init"], { cwd, input: `${answers}\n` });
      expect([code, errors]).toEqual([0, ""]);
      expect(out).not.toContain("sk-ant");
      const env = readFileSync(join(cwd, ".env"), "utf8");
      expect(parseEnv(env)).toEqual({
        ANTHROPIC_API_KEY: "sk-ant-of-a-person",
        HOST: "127.0.0.1",
        PORT: "8790",
        PUBLIC_URL: "https://router.example",
        ADMIN_TOKEN: expect.stringMatching(/^sra_/) as string,
        MASTER_KEY: expect.stringMatching(/=$/) as string,
      });
      expect(statSync(join(cwd, ".env")).mode & 0o777).toBe(0o600);
      expect(readdirSync(cwd)).toEqual([".env", "compose.yaml"]);
    });

    it("overwrites nothing without a yes, and writes nothing where an answer is missing", () => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, ".env"), "PORT=1\n");
      const no = run(ownNode, ["init"], { cwd, input: `${answers}\nn\n` });
      const refused = run(ownNode, ["init", "--yes"], { cwd });
      const short = run(ownNode, ["init", "--force"], { cwd, input: "sk\n" });
      expect([no, refused, short].map(({ code }) => code)).toEqual([1, 1, 1]);
      expect(no.errors).toBe("sampling-router: nothing was written\n");
      expect(refused.errors).toMatch(/\.env already exists: use --force to overwrite/);
      expect(short.errors).toMatch(/the input ended before every question was answered/);
      expect(readdirSync(cwd)).toEqual([".env"]);
      expect(readFileSync(join(cwd, ".env"), "utf8")).toBe("PORT=1\n");
    });

    it("asks nothing without a terminal, takes keys from the environment, and checks settings as a start does", () => {
      const cwd = emptyFolder();
      const env = { OPENAI_API_KEY: "sk-$of#a-machine" };
      const wrong = run(ownNode, ["init", "--yes", "--port", "0"], { cwd, env });
      expect(wrong.errors).toBe(
        "sampling-router: PORT must be a number from 1 to 65535; nothing was written\n",
      );
      writeFileSync(join(cwd, ".env"), "");
      const { code } = run(ownNode, ["init", "--yes", "--force", "--host", "::1"], { cwd, env });
      expect(code).toBe(0);
      expect(parseEnv(readFileSync(join(cwd, ".env"), "utf8"))).toEqual({ ...env, HOST: "::1" });
      expect(statSync(join(cwd, ".env")).mode & 0o777).toBe(0o600);
    });

    it("writes a wrangler.toml with which wrangler makes a deployment of the package", async () => {
      const { code } = run(ownNode, ["init", "--yes", "--force", "--wrangler"], { cwd: project });
      expect(code).toBe(0);
      const outdir = join(packed.folder, "deployed");
      const args = ["deploy", "--dry-run", "--outdir", outdir];
      const deployed = await runTool("wrangler", args, { WRANGLER_SEND_METRICS: "false", CI: "1" });
      expect(deployed.code, deployed.printed).toBe(0);
      expect(deployed.printed).toMatch(/env\.DATABASES \(TenantDatabase\)[^]*env\.ASSETS/);
      expect(readFileSync(join(outdir, "worker.js"), "utf8")).toContain("TenantDatabase");
    });

    it("has a Worker below 700 KiB when it is minified and gzipped", async () => {
      const worker = join(router, "lib", "worker", "worker.js");
      const { code } = await transform(readFileSync(worker, "utf8"), { minify: true });
      expect(gzipSync(code).length / 1024).toBeLessThan(700);
    });
  });
});
