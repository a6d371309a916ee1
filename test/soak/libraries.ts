/** `npm run soak -- libraries`: both libraries from their tarball, on every Node that they promise, and on Workers. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEnding } from "../../src/start/ending.ts";
import { startFaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter } from "../fakes/router.ts";
import {
  matrixOnNode,
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

/** @param nodes majors, from the package `node` on the npm registry */
export async function soakLibraries(nodes: readonly string[], say: Say): Promise<string[]> {
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
    for (const major of nodes) {
      const folder = join(packed.folder, `node-${major}`);
      await install(folder, [`node@${major}`]);
      note(await matrixOnNode(join(folder, "node_modules", ".bin", "node"), { project, told }));
    }
    note(await matrixOnWorkers({ project, told }));
    return faults;
  } finally {
    await ending.run();
  }
}
