/** The programs of docs/direct-calls.md, run as they stand there. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const checkout = join(import.meta.dirname, "..", "..");
const own = join(checkout, "node_modules", "node", "bin", "node");
const node = existsSync(own) ? own : process.execPath;
const blocks = [
  ...readFileSync(join(checkout, "docs", "direct-calls.md"), "utf8").matchAll(
    /^```ts\n(.*?)^```/gms,
  ),
].map(([, code = ""]) => code);

let router: SharedRouter;
let directory: string;

beforeAll(async () => {
  router = await borrowRouter();
  directory = mkdtempSync(join(tmpdir(), "router-programs-"));
  symlinkSync(join(checkout, "node_modules"), join(directory, "node_modules"));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
});

it.each([
  ["SDK v1", "@modelcontextprotocol/sdk/client/index.js"],
  ["SDK v2", "@modelcontextprotocol/client"],
])("%s gets an answer with the lines that the page shows", (_, imported) => {
  const code = blocks.find((block) => block.includes(`from "${imported}"`)) ?? "";
  expect(code).toContain("http://127.0.0.1:8787");
  const program = code.replaceAll("http://127.0.0.1:8787", router.url);
  const end = "console.log(JSON.stringify(answer)); await client.close(); process.exit(0);";
  writeFileSync(join(directory, "program.ts"), `${program}\n${end}\n`);
  const ran = spawnSync(node, ["program.ts"], {
    cwd: directory,
    encoding: "utf8",
    env: { ROUTER_KEY: router.demoKey, PATH: process.env["PATH"] },
  });
  expect([ran.status, ran.stderr]).toEqual([0, ran.stderr]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    role: "assistant",
    content: { type: "text" },
    _meta: { "sampling-router/decision": { attempts: 1 } },
  });
});

it("the page gives an MCP client the method that SDK v2 sends, in both eras", async () => {
  const post = async (method: string, params: object, headers: object): Promise<unknown> => {
    const response = await fetch(`${router.url}/v1/sampling`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${router.demoKey}`,
        "Content-Type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await response.json()) as { result: { instructions: string } }).result.instructions;
  };
  const modern = "2026-07-28";
  const discovered = await post(
    "server/discover",
    {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modern,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
    { "MCP-Protocol-Version": modern, "Mcp-Method": "server/discover" },
  );
  const initialized = await post(
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    {},
  );
  for (const instructions of [discovered, initialized])
    expect(instructions).toContain("Send sampling-router/createMessage");
});
