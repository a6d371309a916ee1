import { availableParallelism, loadavg } from "node:os";
import process from "node:process";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { readMigrations } from "./test/setup/migrations.ts";
import { fromSourceArgs } from "./test/setup/from-source.ts";
import { nativeModules } from "./test/setup/native-modules.ts";
import { onBothHosts } from "./test/setup/on-both-hosts.ts";
import { ensureOauthProvider } from "./src/start/oauth-provider-build.js";
import { measurePatience, patient } from "./test/setup/patience.ts";
import { nodeFiles, tierOf } from "./test/setup/tiers.ts";
import { SlowFirst } from "./test/setup/slow-first.ts";

measurePatience({ running: loadavg()[0] ?? 0, cores: availableParallelism() });
// The Worker of the project `workerd` is resolved before any global setup runs.
await ensureOauthProvider();

// Longer than the 15 s after which a stream is written to again: the runtime may report a client that left only then.
const polls = { expect: { poll: { timeout: patient(25_000) } } };

export default defineConfig({
  test: {
    // Two for each core: most of the time, a file waits for the processes that it started.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: "node",
          sequence: { groupOrder: 1 },
          ...nodeFiles(tierOf(process.env["TEST_TIER"])),
          // A process runs many files: to start one and to load all packages takes longer than most files.
          isolate: false,
          experimental: nativeModules,
          execArgv: fromSourceArgs,
          setupFiles: ["test/setup/property-seed.ts"],
          globalSetup: ["test/setup/built-server.ts", "test/setup/shared-routers.ts"],
          testTimeout: patient(30_000),
          hookTimeout: patient(60_000),
          ...polls,
        },
      },
      {
        test: {
          name: "worker",
          sequence: { groupOrder: 1 },
          include: [...onBothHosts],
          env: { ROUTER_HOST: "workerd", BOTH_HOSTS: "1" },
          isolate: false,
          experimental: nativeModules,
          execArgv: fromSourceArgs,
          setupFiles: ["test/setup/property-seed.ts"],
          globalSetup: ["test/setup/built-worker.ts", "test/setup/shared-routers.ts"],
          testTimeout: patient(30_000),
          hookTimeout: patient(60_000),
          ...polls,
        },
      },
      {
        plugins: [
          // The compatibility date and flags are the deployment's own.
          cloudflareTest({
            main: "./test/worker/main.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                MIGRATIONS: readMigrations(),
                MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
                ADMIN_TOKEN: "a token of the tests in workerd",
                CATALOGUE_URL: "off",
              },
              durableObjects: {
                BARE: { className: "BareDatabase", useSQLite: true },
                SMALL: { className: "SmallDatabase", useSQLite: true },
              },
            },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/worker/**/*.test.ts", "test/contract/crypto/primitives.test.ts"],
          // One runtime for all of its files: to start one and to load the Worker takes longer than most files. `npm test` runs
          // this project beside the others, in a vitest of its own.
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
          setupFiles: ["test/worker/empty-storage.ts"],
          globalSetup: ["test/setup/quiet-runtime.ts"],
          testTimeout: patient(30_000),
          hookTimeout: patient(60_000),
          ...polls,
        },
      },
    ],
  },
});
