/**
 * Which suites `npm test` leaves to `npm run test:all`: other engines than the embedded one, other hosts than Node, official
 * conformance suites and packages, browsers, documentation that runs, processes that are killed, and long random runs.
 */
export const thorough: readonly string[] = [
  "test/interop/**/*.test.ts",
  "test/docs/{containers,examples,hosts,runnable}.test.ts",
  "test/contract/store/{bulk,database,sqld,sqld-grouped}.test.ts",
  "test/contract/embedded/{closing,crashes,faults,lock,lost-records}.test.ts",
  "test/contract/start/**/*.test.ts",
  "test/contract/export/{sink,tampering}.test.ts",
  "test/flow/{commands,console,crash,dev,graceful-end,start,start-seed,start-state}.test.ts",
  "test/flow/{chaos,flood,fuzz,soak,soak-crashes,soak-leavers,soak-streams}.test.ts",
  "test/flow/{idempotency,limits,parking,parking-processes,proxy-isolates,late-settlement}.test.ts",
  "test/unit/installed.test.ts",
];

/** The one suite of the everyday tests that runs the Worker. */
export const workerSmoke = "test/flow/worker-smoke.test.ts";

export type Tier = "everyday" | "rest" | "all";

export const tierOf = (name: string | undefined): Tier =>
  name === "everyday" || name === "rest" ? name : "all";

/** The files of the project `node`. */
export function nodeFiles(tier: Tier): { include: string[]; exclude: string[] } {
  const never = "test/worker/**";
  if (tier === "rest") return { include: [...thorough], exclude: [never] };
  return {
    include: ["test/**/*.test.ts"],
    exclude: tier === "everyday" ? [never, ...thorough] : [never],
  };
}
