/**
 * `npm ci` installs what the lockfile holds, for any platform: it refuses one that lacks a package which
 * another entry asks for, optional binaries of other platforms included.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Entry {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  libc?: string[];
}
const { packages } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "package-lock.json"), "utf8"),
) as { packages: Record<string, Entry> };

/** Whether a package at that place finds another: in its own `node_modules`, or in those above. */
function isFound(name: string, from: string): boolean {
  for (
    let place = from;
    ;
    place = place.slice(0, Math.max(0, place.lastIndexOf("node_modules/") - 1))
  ) {
    if (packages[`${place === "" ? "" : `${place}/`}node_modules/${name}`] !== undefined)
      return true;
    if (place === "") return false;
  }
}

it("holds whatever its entries ask for", () => {
  const missing = Object.entries(packages).flatMap(([place, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !isFound(name, place))
      .map((name) => `${place} asks for ${name}`),
  );
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

// The packages don't say it themselves, so npm installs both, 10 MB each. An update of libsql needs
// it written again.
it("says of each of libsql's binaries for Linux which libc it is for", () => {
  const binaries = Object.entries(packages).filter(([place]) => /\/@libsql\/linux-/.test(place));
  expect(binaries.length).toBeGreaterThanOrEqual(4);
  for (const [place, { libc }] of binaries)
    expect([place, libc]).toEqual([place, [/-musl/.test(place) ? "musl" : "glibc"]]);
});
