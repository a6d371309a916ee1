/** The libraries' matrix (`test/fixtures/libraries/`) in a stranger's project, on what runs a file, and in the Workers runtime. */
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { faultyText, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { patient } from "./patience.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "libraries");
const run = promisify(execFile);

export interface MatrixFound {
  runtime: string;
  tried: number;
  /** one line each */
  faults: string[];
}

/** What the matrix is told: where a router answers and with which key, refuses in two ways, and is not. */
export async function prepareMatrix(
  router: { url: string; adminToken: string },
  provider: FaultyProvider,
): Promise<string> {
  provider.setMode("fine");
  const about = {
    provider: "openai",
    baseUrl: provider.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  };
  const { url } = router;
  const ready = await createTenant(router, "matrix", about);
  const full = await createTenant(router, "matrix-full", {
    ...about,
    keyLimits: { usdPerDay: 0.000001 },
  });
  const admin = adminOf(router, router.adminToken);
  const given = { name: "revoked", scopes: ["sampling"] };
  const revoked = await admin("POST", "/tenants/matrix/keys", given);
  await admin("DELETE", `/tenants/matrix/keys/${String(revoked.get("id"))}`);
  const states = {
    ready: { url, key: ready.key },
    revoked: { url, key: String(revoked.get("key")) },
    full: { url, key: full.key },
    down: { url: "http://127.0.0.1:1", key: ready.key },
  };
  return JSON.stringify({ answer: faultyText, states, timeoutMs: patient(5_000) });
}

/**
 * @param command what runs a file of JavaScript: Node, Deno or Bun, and its arguments
 * @param project has both SDKs, zod and `mcp-sampling-router-sdk` installed
 */
export async function matrixOn(
  [program, ...args]: readonly [string, ...string[]],
  { project, told }: { project: string; told: string },
): Promise<MatrixFound> {
  cpSync(fixtures, project, { recursive: true });
  const { stdout } = await run(program, [...args, "on-command-line.mjs", told], {
    cwd: project,
    timeout: patient(60_000),
  });
  return JSON.parse(stdout) as MatrixFound;
}

export async function matrixOnWorkers({
  project,
  told,
}: {
  project: string;
  told: string;
}): Promise<MatrixFound> {
  cpSync(fixtures, project, { recursive: true });
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ["on-workers.mjs"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["node:*"],
    logLevel: "error",
  });
  const contents = outputFiles[0]?.text ?? "";
  const runtime = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    logRequests: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "matrix",
          compatibilityDate: "2026-10-20",
          compatibilityFlags: ["nodejs_compat"],
          manifest: {
            mainModule: "matrix.js",
            modules: { "matrix.js": { type: "esm" as const, contents } },
          },
        },
      },
    ],
  });
  try {
    const found = await runtime.dispatchFetch("http://matrix/", { method: "POST", body: told });
    return (await found.json()) as MatrixFound;
  } finally {
    await runtime.dispose();
  }
}
