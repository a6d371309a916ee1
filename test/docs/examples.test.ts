/**
 * What the page of the examples can't show against a fresh router: a budget that is spent, a model that makes
 * images, and Python. The page's own commands run in `runnable.test.ts`.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { startMediaProvider, type MediaProvider } from "../fakes/media-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { freePort, whenGone } from "../fakes/sqld.ts";
import { decodePng } from "../fixtures/media/files.ts";
import { checkout } from "./pages.ts";
import { patient } from "../setup/patience.ts";

let router: SharedRouter;
let provider: MediaProvider;
const folder = mkdtempSync(join(tmpdir(), "router-examples-"));

beforeAll(async () => {
  [router, provider] = await Promise.all([borrowRouter(), startMediaProvider()]);
});
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true });
});

const openai = (model: string) => ({
  provider: "openai",
  baseUrl: provider.url("openai"),
  policy: { allowedModels: [`openai/${model}`] },
});

/** An example, with the libraries as they are in `src`. */
const run = (name: string, args: readonly string[], key: string) =>
  new Promise<{ code: number; out: string }>((resolve) => {
    const program = ["-C", "sampling-router-source", join(checkout, "examples", name), ...args];
    const env = { SAMPLING_ROUTER_URL: router.url, SAMPLING_ROUTER_KEY: key };
    execFile(process.execPath, program, { cwd: folder, env }, (fault, out, errors) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), out: `${out}${errors}` }),
    );
  });

describe("image-or-text.mjs", () => {
  it("writes the image where a model makes images", async () => {
    const { key } = await createTenant(router, "painter", openai("gpt-image-1.5"));
    const { code, out } = await run("image-or-text.mjs", ["a lighthouse", "made.png"], key);
    expect([code, out]).toEqual([0, "Wrote made.png (image/png).\n"]);
    expect(decodePng(readFileSync(join(folder, "made.png"))).width).toBeGreaterThan(0);
  });
});

describe("agent.mjs", () => {
  it("stops where the budget of its key leaves no room for a round", async () => {
    const keyLimits = { usdPerDay: 0.000001 };
    const { key } = await createTenant(router, "agents", { ...openai("gpt-4.1-mini"), keyLimits });
    const before = provider.requests().length;
    const { code, out } = await run("agent.mjs", ["How many boxes?"], key);
    expect([code, out]).toEqual([3, expect.stringMatching(/^The agent stops: .* More in \d/)]);
    expect(provider.requests()).toHaveLength(before);
  });
});

const hasFastMcp = (): boolean => {
  try {
    execFileSync("python3", ["-c", "import fastmcp, mcp_types"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Resolves once something listens at the port. */
async function whenUp(port: number, child: ChildProcess): Promise<void> {
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error("The server in Python ended.");
    await setTimeout(100);
  }
}

describe("fastmcp_server.py", () => {
  it.skipIf(!hasFastMcp())(
    "samples behind the proxy (skipped where Python has no package fastmcp)",
    { timeout: patient(60_000) },
    async () => {
      const port = await freePort();
      const child = spawn("python3", [join(checkout, "examples", "fastmcp_server.py")], {
        env: { ...process.env, PORT: String(port) },
        stdio: "ignore",
      });
      const dismiss = whenGone(`kill "$1"`, String(child.pid));
      try {
        await whenUp(port, child);
        const url = `http://127.0.0.1:${port}/mcp`;
        const { key: owner } = await createTenant(router, "python", { provider: "demo" });
        const admin = adminOf(router, owner);
        const server = { slug: "haiku", url, sampling: "router" };
        await adminOf(router, router.adminToken)("POST", "/tenants/python/servers", server);
        const key = await admin("POST", "/tenants/python/keys", { name: "c", scopes: ["proxy"] });
        const args = [`${router.url}/mcp/python/haiku`, "haiku", '{"subject":"rain"}'];
        const { code, out } = await run("call-tool.mjs", args, String(key.get("key")));
        expect([code, out]).toEqual([0, expect.stringContaining("Write a haiku about rain.")]);
      } finally {
        child.kill();
        dismiss();
      }
    },
  );
});
