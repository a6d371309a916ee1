/**
 * Two routers over the same tenants: two processes on a libSQL server, or two isolates of one Workers runtime over the
 * same Durable Objects. Two runtimes can't share objects on one's own machine.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { keptWorker, readDeployment } from "../../src/start/bundle.ts";
import { checkout } from "../../src/start/settings.ts";
import type { Sharing } from "../setup/shared-settings.ts";
import { startRouter, temporaryStateDir, type Router, type RouterHost } from "./router.ts";
import { freePort, startSqld } from "./sqld.ts";

/** What tests ask of a router. */
export type Asked = Pick<Router, "url" | "adminToken" | "demoKey" | "stateDir" | "output">;

export interface TwoRouters {
  routers: [Asked, Asked];
  /** null: there is no libSQL server */
  sqldUrl: string | null;
  stop(): Promise<void>;
}

const owner = "sampling-router";
const other = "another-isolate";

/** @param values settings and secrets */
export async function startIsolates(
  values: Record<string, string>,
): Promise<Omit<TwoRouters, "sqldUrl">> {
  const deployment = readDeployment(checkout);
  if (!deployment.ok) throw new Error(deployment.error);
  const script = await keptWorker(checkout, deployment.value.main);
  if (!script.ok) throw new Error(script.error);
  const { compatibilityDate, compatibilityFlags } = deployment.value;
  const stateDir = realpathSync(temporaryStateDir());
  const [host, port] = ["127.0.0.1", await freePort()];
  const settings = { ALLOW_PRIVATE_UPSTREAMS: "true", CATALOGUE_URL: "off", ...values };
  const workerNamed = (name: string) => ({
    config: {
      name,
      compatibilityDate,
      compatibilityFlags,
      manifest: {
        mainModule: "worker.js",
        modules: { "worker.js": { type: "esm" as const, contents: script.value } },
      },
      env: {
        ...Object.fromEntries(
          Object.entries(settings).map(([key, value]) => [key, { type: "text" as const, value }]),
        ),
        DATABASES: {
          type: "durable-object" as const,
          worker: owner,
          exportName: "TenantDatabase",
        },
        PARKED_CALLS: {
          type: "durable-object" as const,
          worker: owner,
          exportName: "ParkedCall",
        },
      },
      ...(name === owner && {
        exports: {
          TenantDatabase: { type: "durable-object" as const, storage: "sqlite" as const },
          ParkedCall: { type: "durable-object" as const, storage: "sqlite" as const },
        },
      }),
    },
    ...(name === other && { dev: { unsafeDirectSockets: [{ host, port: 0 }] } }),
  });
  const miniflare = new Miniflare({
    host,
    port,
    resourcePersistencePath: join(stateDir, "objects"),
    handleStructuredLogs: () => {},
    logRequests: false,
    cf: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    workers: [workerNamed(owner), workerNamed(other)],
  });
  await miniflare.ready;
  const asked = (url: string): Asked => ({
    url,
    adminToken: values["ADMIN_TOKEN"] ?? "",
    demoKey: "",
    stateDir,
    output: () => "",
  });
  const elsewhere = await miniflare.unsafeGetDirectURL(other);
  return {
    routers: [asked(`http://${host}:${port}`), asked(elsewhere.origin)],
    stop: () => miniflare.dispose(),
  };
}

export async function startTwo(
  how: Sharing,
  { env, host }: { env: Record<string, string>; host: RouterHost },
): Promise<TwoRouters> {
  if (how === "isolates over objects") return { ...(await startIsolates(env)), sqldUrl: null };
  const sqld = await startSqld();
  const own = { ...env, DATABASE_URL: sqld.url };
  const routers: [Router, Router] = [
    await startRouter({ env: own, host }),
    await startRouter({ env: own, host }),
  ];
  return {
    routers,
    sqldUrl: sqld.url,
    async stop() {
      try {
        await Promise.all(routers.map((router) => router.stop()));
      } finally {
        await sqld.stop();
      }
    },
  };
}
