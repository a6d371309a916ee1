/** What `npm install --omit=dev` brings: enough to start, and little. */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { build } from "../../src/start/build.js";

const checkout = join(import.meta.dirname, "..", "..");
const lockfile = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as {
  packages: Record<string, { dev?: boolean; libc?: string[] }>;
};
const maxMegabytes = 100;

const isMusl = existsSync("/etc/alpine-release");
/** Those of this platform that stay without development packages. */
const installed = Object.entries(lockfile.packages)
  .filter(([place, { dev, libc }]) => {
    const isForThis = libc === undefined || libc.includes(isMusl ? "musl" : "glibc");
    return place !== "" && dev !== true && isForThis && existsSync(join(checkout, place));
  })
  .map(([place]) => place);

const counted = new Set<number>();
/** A file that has two names takes its place once: esbuild's own does. */
function bytesOf(path: string): number {
  const { ino, blocks } = lstatSync(path);
  if (counted.has(ino)) return 0;
  counted.add(ino);
  return blocks * 512;
}

/** Blocks on the disk, as `du` counts them. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // Packages inside of a package stand in the lockfile by themselves.
    if (entry.isDirectory() && entry.name === "node_modules") continue;
    bytes += entry.isDirectory() ? bytesIn(path) : bytesOf(path);
  }
  return bytes;
}

it(`takes at most ${maxMegabytes} MB without packages for development`, () => {
  const bytes = installed.reduce((sum, place) => sum + bytesIn(join(checkout, place)), 0);
  expect(bytes).toBeGreaterThan(10_000_000);
  expect(Math.ceil(bytes / 1024 / 1024)).toBeLessThanOrEqual(maxMegabytes);
});

it("is all that the server is built from", async () => {
  const built = (await build()) as { name: string; inputs: string[] }[];
  const packages = built
    .flatMap(({ inputs }) => inputs)
    .filter((path) => path.includes("node_modules/"))
    .map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
  expect(packages.length).toBeGreaterThan(100);
  expect([...new Set(packages)].filter((place) => !installed.includes(place))).toEqual([]);
});
