/** `npm run soak -- libraries`: both libraries from their tarball, on everything that they promise. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEnding } from "../../src/start/ending.ts";
import { startFaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter } from "../fakes/router.ts";
import {
  matrixOn,
  matrixOnWorkers,
  prepareMatrix,
  type MatrixFound,
} from "../setup/library-matrix.ts";
import { packBoth } from "../setup/packed.ts";
import type { Say } from "./world.ts";

const checkout = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);

/** What a stranger's project has beside the tarball, in the versions that are tested here. */
const others = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
  "zod",
];

function versionOf(name: string): string {
  const path = join(checkout, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  const args = ["install", "--no-audit", "--no-fund", "--silent", ...packages];
  await run("npm", args, { cwd: folder });
}

/** Each is a package of the npm registry, too. */
const runtimes = ["node@20", "node@22", "node@24", "deno", "bun"] as const;

/** What runs a file, after the runtime's own command. */
const argumentsOf: Record<string, readonly string[]> = { deno: ["run", "--allow-all"] };

/** @param given as npm takes them, such as `node@22`; empty: all that the libraries promise */
export async function soakLibraries(given: readonly string[], say: Say): Promise<string[]> {
  const ending = createEnding();
  try {
    const packed = await packBoth();
    ending.add(async () => packed.remove());
    const router = await startRouter();
    ending.add(async () => void (await router.stop()));
    const provider = await startFaultyProvider();
    ending.add(() => provider.stop());
    const told = await prepareMatrix(router, provider);
    const project = join(packed.folder, "fresh");
    await install(project, [
      packed.sdk.tarball,
      ...others.map((name) => `${name}@${versionOf(name)}`),
    ]);

    const faults: string[] = [];
    const note = ({ runtime, tried, faults: found }: MatrixFound): void => {
      say(`${runtime}: ${tried - found.length} of ${tried} held`);
      faults.push(...found.map((fault) => `${runtime}: ${fault}`));
    };
    for (const [index, runtime] of (given.length > 0 ? given : runtimes).entries()) {
      const folder = join(packed.folder, `runtime-${index}`);
      await install(folder, [runtime]);
      const [name = ""] = runtime.split("@");
      const program = join(folder, "node_modules", ".bin", name);
      note(await matrixOn([program, ...(argumentsOf[name] ?? [])], { project, told }));
    }
    note(await matrixOnWorkers({ project, told }));
    return faults;
  } finally {
    await ending.run();
  }
}
