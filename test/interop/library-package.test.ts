/** The package of the libraries, as a stranger's project has it: packed, installed, compiled, run. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildLibraries } from "../../src/start/libraries.ts";

const checkout = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "sampling-router-sdk-"));
const built = join(folder, "built");
const installed = join(folder, "project", "node_modules", "mcp-sampling-router-sdk");
const project = join(folder, "project");

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

beforeAll(async () => {
  await buildLibraries(built);
  mkdirSync(installed, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, built], {
    encoding: "utf8",
  }).trim();
  for (const name of ["@modelcontextprotocol", "zod"])
    symlinkSync(join(checkout, "node_modules", name), join(project, "node_modules", name));
  execFileSync("tar", ["-xzf", join(folder, packed), "-C", installed, "--strip-components=1"]);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("holds JavaScript, declarations, a licence and a page, and needs no other package", () => {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
  expect(files).toEqual(
    expect.arrayContaining(["server.js", "client.js", "LICENSE", "README.md", "package.json"]),
  );
  expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("dependencies");
  for (const library of ["server", "client"]) {
    const text = readFileSync(join(installed, `${library}.js`));
    expect(text.toString()).not.toMatch(/\bfrom\s*"|\bimport\b|\brequire\b/);
    expect(gzipSync(text).length).toBeLessThanOrEqual(6_144);
  }
});

it.each(["nodenext", "bundler"])("compiles with the types of both SDKs, resolved by %s", (how) => {
  writeFileSync(join(project, "package.json"), '{"type":"module","private":true}');
  writeFileSync(join(project, "program.ts"), program);
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
      files: ["program.ts"],
    }),
  );
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
  expect(stdout).toBe("");
});

/** The project's own Node, and the machine's, which may be older. */
const nodes = [
  join(checkout, "node_modules", ".bin"),
  ...(process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.includes("node_modules")),
].map((path) => join(path, "node"));

it.each([nodes[0], nodes.slice(1).find(existsSync)])(
  "runs on Node: %#",
  (node = process.execPath) => {
    const use = `
    import { hostedSampling } from "mcp-sampling-router-sdk/server";
    import { routedSampling } from "mcp-sampling-router-sdk/client";
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
  },
);
