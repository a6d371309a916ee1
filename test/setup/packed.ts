/** Both packages as a stranger gets them: built, packed, and unpacked into a project of their own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildPackages } from "../../src/start/router-package.ts";

const checkout = join(import.meta.dirname, "..", "..");
/** What npm would install along with the router: the embedded database's package. */
const alongside = ["libsql", "@libsql", "@neon-rs", "detect-libc"];

export interface Packed {
  /** a folder for the test's own files */
  folder: string;
  /** a project with both packages in its `node_modules` */
  project: string;
  /** bytes of the tarball, and of what is in it */
  router: { tarball: string; packed: number };
  sdk: { tarball: string; packed: number };
  remove(): void;
}

function unpack(tarball: string, into: string): void {
  mkdirSync(into, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", into, "--strip-components=1"]);
}

export async function packBoth(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-packed-"));
  const built = { router: join(folder, "router"), sdk: join(folder, "sdk") };
  await buildPackages(built);
  const packed = (from: string) => {
    const args = ["pack", "--silent", "--pack-destination", folder, from];
    const name = execFileSync("npm", args, { encoding: "utf8" }).trim();
    const tarball = join(folder, name);
    return { tarball, packed: statSync(tarball).size };
  };
  const router = packed(built.router);
  const sdk = packed(built.sdk);
  const project = join(folder, "project");
  const packages = join(project, "node_modules");
  unpack(router.tarball, join(packages, "mcp-sampling-router"));
  unpack(sdk.tarball, join(packages, "mcp-sampling-router-sdk"));
  for (const name of alongside) {
    const link = join(packages, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(checkout, "node_modules", name), link);
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { folder, project, router, sdk, remove };
}
