/** The list of suites in `test/README.md` that run on both hosts is complete. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onBothHosts } from "../setup/on-both-hosts.ts";

const test = join(import.meta.dirname, "..");

it("test/README.md names the suites that run on both hosts, and each is there", () => {
  const text = readFileSync(join(test, "README.md"), "utf8");
  const [, section = ""] = text.split("## Which flows run on which host");
  const [table = ""] = section.split("| host | suites");
  const named = [...table.matchAll(/`((?:flow|interop)\/[\w-]+\.test\.ts)`/g)].map(
    ([, name]) => `test/${name}`,
  );
  expect(named.toSorted()).toEqual(onBothHosts.toSorted());
  expect(onBothHosts.filter((path) => !existsSync(join(test, "..", path)))).toEqual([]);
});
