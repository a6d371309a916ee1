import { lstatSync, symlinkSync, unlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { err, ok, type Result } from "../domain/result.ts";
import type { Answering } from "./admin.ts";
import type { Deployment } from "./bundle.ts";
import { runtimeProgram } from "./runtime-program.ts";

export interface Runtime extends Answering {
  /** Of the Worker; see `createStubEngine`. */
  databases(): Promise<DurableObjectNamespace>;
  scheduled(cron: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RuntimeOptions {
  host: string;
  port: number;
  stateDir: string;
  deployment: Deployment;
  script: string;
  values: Record<string, string>;
  /** the Worker has databases of its own */
  embedded: boolean;
  /** as `writeConsole` leaves it */
  assets?: string;
  /** on loopback */
  inspectorPort?: number;
  log: (line: string) => void;
}

/** Names the databases' folder, so it must never change. */
const workerName = "sampling-router";
const databaseClass = "TenantDatabase";
const parkedClass = "ParkedCall";
const stored = { type: "durable-object" as const, storage: "sqlite" as const };

/** Limits V8's heap, which otherwise grows with the machine's memory: about 100 MiB less for 4 % more CPU. */
const sparingMemory = "--max-semi-space-size=16 --heap-growing-percent=30";

function linkRuntime(stateDir: string): void {
  if (process.platform === "win32") return;
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  const workerd = ofMiniflare("workerd") as { default: string };
  const program = runtimeProgram(stateDir);
  // `rmSync` keeps a dangling link.
  if (lstatSync(program, { throwIfNoEntry: false }) !== undefined) unlinkSync(program);
  symlinkSync(process.env["MINIFLARE_WORKERD_PATH"] ?? workerd.default, program);
  process.env["MINIFLARE_WORKERD_PATH"] = program;
}

/** miniflare would exit on these signals without waiting. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes signal listeners added by `make`. */
function withoutSignalListeners<T>(make: () => T): T {
  const before = signals.map((signal) => ({ signal, own: process.listeners(signal) }));
  const made = make();
  for (const { signal, own } of before)
    for (const listener of process.listeners(signal))
      if (!own.includes(listener)) process.removeListener(signal, listener);
  return made;
}

/** As in `wrangler.toml`. */
const assetsIn = (directory: string) => ({
  directory,
  hasUserWorker: true,
  htmlHandling: "none" as const,
  notFoundHandling: "none" as const,
});

const workerOf = ({ deployment, script, values, embedded, assets }: RuntimeOptions) => ({
  config: {
    name: workerName,
    compatibilityDate: deployment.compatibilityDate,
    compatibilityFlags: deployment.compatibilityFlags,
    manifest: {
      mainModule: "worker.js",
      modules: { "worker.js": { type: "esm" as const, contents: script } },
    },
    env: {
      ...Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { type: "text" as const, value }]),
      ),
      PARKED_CALLS: {
        type: "durable-object" as const,
        worker: workerName,
        exportName: parkedClass,
      },
      ...(embedded && {
        DATABASES: {
          type: "durable-object" as const,
          worker: workerName,
          exportName: databaseClass,
        },
      }),
      ...(assets !== undefined && { ASSETS: { type: "assets" as const } }),
    },
    ...(assets !== undefined && { assets: assetsIn(assets) }),
    exports: { [parkedClass]: stored, ...(embedded && { [databaseClass]: stored }) },
  },
});

async function createMiniflare(options: RuntimeOptions): Promise<Miniflare> {
  const { host, port, stateDir, inspectorPort, log } = options;
  // Lazy: loading takes half a second.
  const miniflare = await import("miniflare");
  const runtimeLog = new (class extends miniflare.Log {
    protected override log(message: string): void {
      log(message);
    }
  })(miniflare.LogLevel.WARN, { prefix: "runtime" });
  return withoutSignalListeners(
    () =>
      new miniflare.Miniflare({
        host,
        port,
        resourcePersistencePath: join(stateDir, "objects"),
        log: runtimeLog,
        handleStructuredLogs: ({ message }) => log(message),
        logRequests: false,
        ...(inspectorPort !== undefined && { inspectorPort }),
        // No requests to Cloudflare.
        cf: false,
        telemetry: { enabled: false },
        enableDevRegistry: false,
        workers: [workerOf(options)],
      }),
  );
}

export async function startRuntime(options: RuntimeOptions): Promise<Result<Runtime, string>> {
  linkRuntime(options.stateDir);
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= sparingMemory;
  const miniflare = await createMiniflare(options);
  try {
    await miniflare.ready;
  } catch (cause) {
    await miniflare.dispose().catch(() => {});
    return err(
      `the Workers runtime did not start: ${String(cause instanceof Error ? cause.message : cause)}`,
    );
  }
  const origin = `http://127.0.0.1:${options.port}`;
  return ok({
    databases: async () =>
      (await miniflare.getDurableObjectNamespace("DATABASES")) as unknown as DurableObjectNamespace,
    async request(path, init) {
      const answer = await miniflare.dispatchFetch(`${origin}${path}`, init);
      return { status: answer.status, text: await answer.text() };
    },
    async scheduled(cron) {
      const worker = await miniflare.getWorker();
      const { outcome } = await worker.scheduled({ cron, scheduledTime: new Date() });
      if (outcome !== "ok") throw new Error(outcome);
    },
    stop: () => miniflare.dispose(),
  });
}
