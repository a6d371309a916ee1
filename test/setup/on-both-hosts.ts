/**
 * The suites that run on both hosts: what a runtime's fetch, streams, aborts, headers and clocks decide.
 * All others that start a router run on Node alone. `../README.md` has the same list as a table.
 */
import process from "node:process";

export const onBothHosts: readonly string[] = [
  "test/flow/bridge.test.ts",
  "test/flow/bridge-questions.test.ts",
  "test/flow/clouds.test.ts",
  "test/flow/failover.test.ts",
  "test/flow/health.test.ts",
  "test/flow/limits.test.ts",
  "test/flow/models-streams.test.ts",
  "test/flow/oauth-documents.test.ts",
  "test/flow/oauth-server.test.ts",
  "test/flow/own-origin.test.ts",
  "test/flow/parking.test.ts",
  "test/flow/provider-bounds.test.ts",
  "test/flow/proxy-abandoned.test.ts",
  "test/flow/proxy-bytes.test.ts",
  "test/flow/proxy-headers.test.ts",
  "test/flow/proxy-legacy.test.ts",
  "test/flow/proxy-modern.test.ts",
  "test/flow/proxy-streamed.test.ts",
  "test/flow/telemetry.test.ts",
  "test/interop/eras.test.ts",
  "test/interop/parking.test.ts",
  "test/interop/sdk-v1.test.ts",
  "test/interop/sdk-v2.test.ts",
  "test/interop/tasks.test.ts",
];

/** Whether this is the second run of a suite, which the project `worker` is, and not somebody's `ROUTER_HOST=workerd`. */
export const isSecondHost = process.env["BOTH_HOSTS"] === "1";

/** Tests of a suite on both hosts that no host decides: our own rules are the same code on either. */
export function onOneHost(tests: () => void): void {
  if (!isSecondHost) tests();
}
