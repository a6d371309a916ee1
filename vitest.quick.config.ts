/** `npm run test:quick`: what needs no router, and of what needs a libSQL server one short file. */
import { availableParallelism, loadavg } from "node:os";
import { defineConfig } from "vitest/config";
import { fromSourceArgs } from "./test/setup/from-source.ts";
import { measurePatience, patient } from "./test/setup/patience.ts";
import { nativeModules } from "./test/setup/native-modules.ts";

measurePatience({ running: loadavg()[0] ?? 0, cores: availableParallelism() });

export default defineConfig({
  test: {
    include: [
      "test/architecture.test.ts",
      "test/unit/**/*.test.ts",
      "test/contract/store/*.test.ts",
    ],
    // The stores' contract on one engine, and no thousand drawn changes.
    exclude: [
      "test/contract/store/{sqld,sqld-grouped,bulk}.test.ts",
      "test/unit/installed.test.ts",
    ],
    setupFiles: ["test/setup/property-seed.ts"],
    globalSetup: ["test/setup/built-server.ts"],
    isolate: false,
    experimental: nativeModules,
    execArgv: fromSourceArgs,
    // vitest itself would leave one core out.
    maxWorkers: availableParallelism(),
    testTimeout: patient(30_000),
    hookTimeout: patient(30_000),
  },
});
