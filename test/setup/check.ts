/**
 * `npm run check`: format, types and lint beside each other, each on one core. With several threads each of them computes the types
 * of shared packages several times, which takes twice the work.
 *
 * `npm test`, `npm run test:all`, `npm run test:rest` and `npm run test:quick`: the same beside tests, which often wait. `test:rest` is
 * what `test:all` has beyond `npm test`. The tests in the Workers runtime are a run of their own: vitest would have all other tests wait
 * for them. Fails if a run of tests does, or a check does. With arguments, as in `npm test -- test/flow/limits.test.ts`, all tests are
 * one run, which gets them.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const checkout = join(import.meta.dirname, "..", "..");
const configs = readdirSync(checkout).filter((name) => name.endsWith(".config.ts"));
const sources = ["src", "test", ...configs];
/** What tsc found last, so that it looks again at what a change touches alone. */
const found = join(checkout, "node_modules", ".cache", "sampling-router-types.tsbuildinfo");
const kept = ["--tsBuildInfoFile", found];
const checks = [
  ["oxfmt/bin/oxfmt", "--check", ...sources],
  ["typescript/bin/tsc", "-p", ".", "--singleThreaded", "--incremental", ...kept],
  // The part of the linter that knows types is written in Go.
  ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", ...sources],
] as const;

const vitest = ["vitest/vitest.mjs", "run"] as const;
const quickTests = [...vitest, "--config", "vitest.quick.config.ts"] as const;
/** The runs of tests. The first prints as it goes, another one when it is done. */
const runsOf = (wanted: string | undefined, more: readonly string[]): (readonly string[])[] => {
  if (wanted === undefined) return [];
  if (wanted === "quick") return [[...quickTests, ...more]];
  if (wanted !== "everyday" && wanted !== "rest" && wanted !== "all")
    throw new Error(`the tests are "everyday", "rest", "all" or "quick", not "${wanted}"`);
  if (more.length > 0) return [[...vitest, ...more]];
  if (wanted === "everyday") return [[...vitest, "--project", "node"]];
  return [
    [...vitest, "--project", "node", "--project", "worker"],
    [...vitest, "--project", "workerd"],
  ];
};

/** For the programs in Go: one thread, and fewer collections of garbage, since each of them runs for seconds only. */
const sparing = { GOMAXPROCS: "1", GOGC: "400" };

const commandOf = ([program = "", ...args]: readonly string[]) =>
  [process.execPath, [join(checkout, "node_modules", program), ...args]] as const;

/** The console's types are checked with the API's, which are generated. */
const typesOfApi = [
  process.execPath,
  [
    "--import",
    join(checkout, "test", "setup", "typescript-api.ts"),
    join(checkout, "test", "setup", "console-types.ts"),
  ],
] as const;

interface Checked {
  passed: boolean;
  printed: string;
}

const check = ([program, args]: readonly [string, readonly string[]]): Promise<Checked> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: checkout,
      env: { ...process.env, ...sparing },
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    child.once("close", (code) => {
      // Whole, so that no two of them are mixed.
      process.stdout.write(printed);
      resolve({ passed: code === 0, printed });
    });
  });

const runBeside = (command: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(...commandOf(command), { cwd: checkout, stdio: "inherit" });
    child.once("close", (code) => resolve(code === 0));
  });

const [wanted, ...more] = process.argv.slice(2);
const [shown, ...quiet] = runsOf(wanted, more);
process.env["TEST_TIER"] = wanted !== undefined && more.length === 0 ? wanted : "all";
const typed = await check(typesOfApi);
// `npm test` has just checked what `test:rest` would check.
const checksNow = wanted === "rest" ? [] : checks;
const [ranWell, ...results] = await Promise.all([
  shown === undefined || runBeside(shown),
  ...[...quiet, ...checksNow].map((command) => check(commandOf(command))),
]);
const checked = [typed, ...results];
const failed = checked.filter(({ passed }) => !passed);
// Once more at the end: the first time is thousands of lines above.
if (shown !== undefined) for (const { printed } of failed) process.stdout.write(printed);
process.exitCode = ranWell && failed.length === 0 ? 0 : 1;
