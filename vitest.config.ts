import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { readMigrations } from "./test/setup/migrations.ts";
import { onBothHosts } from "./test/setup/on-both-hosts.ts";

export default defineConfig({
  test: {
    // Most of them wait: for windows of a minute, leases, processes that start.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/worker/**"],
          globalSetup: ["test/setup/shared-routers.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "worker",
          include: [...onBothHosts],
          env: { ROUTER_HOST: "workerd" },
          globalSetup: ["test/setup/shared-routers.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        plugins: [
          // The compatibility date and flags are the deployment's own; no `main`: these tests import
          // what they test.
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { MIGRATIONS: readMigrations() } },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/worker/**/*.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
