/** The real Workers runtime with the Worker in it, on this machine. */
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
  /** The Worker's own databases: `createStubEngine` asks one. */
  databases(): Promise<DurableObjectNamespace>;
  /** One scheduled run. */
  scheduled(cron: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RuntimeOptions {
  host: string;
  port: number;
  stateDir: string;
  deployment: Deployment;
  script: string;
  /** the Worker's settings and secrets */
  values: Record<string, string>;
  /** whether the Worker has databases of its own */
  embedded: boolean;
  /** the folder of the console's files, as `writeConsole` leaves it; absent: the Worker has no console */
  assets?: string;
  /** of loopback; absent: the runtime has no inspector */
  inspectorPort?: number;
  log: (line: string) => void;
}

/** The folder of the databases is named after both: must never change. */
const workerName = "sampling-router";
const databaseClass = "TenantDatabase";

/**
 * For V8, which otherwise sizes the space for new objects by the machine's memory, and lets old garbage grow to several times of what
 * lives. With both settings the runtime takes some 100 MiB less, and some 4 % more CPU a request.
 */
const sparingMemory = "--max-semi-space-size=16 --heap-growing-percent=30";

function linkRuntime(stateDir: string): void {
  if (process.platform === "win32") return;
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  const workerd = ofMiniflare("workerd") as { default: string };
  const program = runtimeProgram(stateDir);
  // Not `rmSync`: it leaves a link whose target is gone, as after an update of the runtime.
  if (lstatSync(program, { throwIfNoEntry: false }) !== undefined) unlinkSync(program);
  symlinkSync(process.env["MINIFLARE_WORKERD_PATH"] ?? workerd.default, program);
  process.env["MINIFLARE_WORKERD_PATH"] = program;
}

/** miniflare ends the process on these signals without waiting. The launcher ends it in an order of its own. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Gives what `make` makes, without the listeners for signals that were added meanwhile. */
function withoutSignalListeners<T>(make: () => T): T {
  const before = signals.map((signal) => ({ signal, own: process.listeners(signal) }));
  const made = make();
  for (const { signal, own } of before)
    for (const listener of process.listeners(signal))
      if (!own.includes(listener)) process.removeListener(signal, listener);
  return made;
}

/** As `wrangler.toml` has them. */
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
    ...(embedded && {
      exports: { [databaseClass]: { type: "durable-object" as const, storage: "sqlite" as const } },
    }),
  },
});

/** Loads miniflare, and begins the runtime. */
async function createMiniflare(options: RuntimeOptions): Promise<Miniflare> {
  const { host, port, stateDir, inspectorPort, log } = options;
  // Loading takes half a second, which a fault of the settings doesn't wait for.
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
        // The runtime neither asks nor tells anything outside of this machine.
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
