/** Packages of others with a lockfile of their own, outside of `package.json`. No script of theirs runs. */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkout } from "../../src/start/settings.ts";

const installWithinMs = 300_000;
const run = promisify(execFile);

/** Not within `test`, since the tests read everything below it. */
export const folderOf = (name: string): string =>
  join(checkout, "node_modules", ".cache", "sampling-router", name);

const dependenciesIn = (folder: string): Record<string, string> =>
  (
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    }
  ).dependencies;

/** null: it is not installed. */
export function installedVersion(folder: string, name: string): string | null {
  const described = join(folder, "node_modules", name, "package.json");
  if (!existsSync(described)) return null;
  return (JSON.parse(readFileSync(described, "utf8")) as { version: string }).version;
}

/** Whether all that `pinned` names is there, in those versions. */
export const areInstalled = (pinned: string, folder: string): boolean =>
  Object.entries(dependenciesIn(pinned)).every(
    ([name, version]) => installedVersion(folder, name) === version,
  );

/** @param pinned folder of `package.json`, lockfile and `.npmrc` */
export async function installPinned(pinned: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(pinned, name), join(folder, name));
  const args = ["ci", "--prefix", folder, "--ignore-scripts", "--omit=dev"];
  await run("npm", args, { cwd: folder, timeout: installWithinMs }).catch((cause: unknown) => {
    const { stderr } = cause as { stderr?: string };
    throw new Error(`npm ci of ${pinned} failed: ${stderr ?? String(cause)}`, { cause });
  });
}
