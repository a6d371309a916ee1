/** The real Workers runtime with the Worker in it, on this machine. */
import { lstatSync, symlinkSync, unlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { err, ok, type Result } from "../domain/result.ts";
import type { Answering } from "./admin.ts";
import type { Deployment } from "./bundle.ts";
import { runtimeProgram } from "./runtime-program.ts";

export interface Runtime extends Answering {
  database(): Promise<D1Database>;
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
  /** whether it gets the embedded database */
  embedded: boolean;
  /** of loopback; absent: the runtime has no inspector */
  inspectorPort?: number;
  log: (line: string) => void;
}

/** What the embedded database's file is derived from: must never change. */
const databaseId = "sampling-router";

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

/** miniflare ends the process on these without waiting; the launcher has its own way. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function startRuntime(options: RuntimeOptions): Promise<Result<Runtime, string>> {
  const { host, port, stateDir, deployment, script, values, embedded, inspectorPort, log } =
    options;
  linkRuntime(stateDir);
  // Half a second of loading, which a fault of the settings doesn't wait for.
  const { Log, LogLevel, Miniflare } = await import("miniflare");
  const miniflareLog = new (class extends Log {
    protected override log(message: string): void {
      log(message);
    }
  })(LogLevel.WARN, { prefix: "runtime" });
  const listeners = signals.map((signal) => ({ signal, own: process.listeners(signal) }));
  const miniflare = new Miniflare({
    host,
    port,
    resourcePersistencePath: join(stateDir, "database"),
    log: miniflareLog,
    handleStructuredLogs: ({ message }) => log(message),
    logRequests: false,
    ...(inspectorPort !== undefined && { inspectorPort }),
    // Neither asks nor tells anything outside this machine.
    cf: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "sampling-router",
          compatibilityDate: deployment.compatibilityDate,
          compatibilityFlags: deployment.compatibilityFlags,
          manifest: {
            mainModule: "worker.js",
            modules: { "worker.js": { type: "esm", contents: script } },
          },
          env: {
            ...Object.fromEntries(
              Object.entries(values).map(([name, value]) => [name, { type: "text", value }]),
            ),
            ...(embedded && { DB: { type: "d1", id: databaseId } }),
          },
        },
      },
    ],
  });
  for (const { signal, own } of listeners)
    for (const listener of process.listeners(signal))
      if (!own.includes(listener)) process.removeListener(signal, listener);
  try {
    await miniflare.ready;
  } catch (cause) {
    await miniflare.dispose().catch(() => {});
    return err(
      `the Workers runtime did not start: ${String(cause instanceof Error ? cause.message : cause)}`,
    );
  }
  const origin = `http://127.0.0.1:${port}`;
  return ok({
    database: () => miniflare.getD1Database("DB"),
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
