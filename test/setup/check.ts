/**
 * `npm run check`: format, types and lint beside each other, each on one core. With several threads each of
 * them makes the types of shared packages several times, which takes twice the work.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const checkout = join(import.meta.dirname, "..", "..");
const configs = readdirSync(checkout).filter((name) => name.endsWith(".config.ts"));
const sources = ["src", "test", ...configs];
const checks = [
  ["oxfmt/bin/oxfmt", "--check", ...sources],
  ["typescript/bin/tsc", "-p", ".", "--singleThreaded"],
  // The part of the linter that knows types is written in Go.
  ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", ...sources],
] as const;

const passes = ([program, ...args]: (typeof checks)[number]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [join(checkout, "node_modules", program), ...args], {
      cwd: checkout,
      env: { ...process.env, GOMAXPROCS: "1" },
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    child.once("close", (code) => {
      // Whole, so that no two of them are mixed.
      process.stdout.write(printed);
      resolve(code === 0);
    });
  });

const passed = await Promise.all(checks.map(passes));
process.exitCode = passed.every(Boolean) ? 0 : 1;
