/** What `npm install` builds for the first start. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";

const { scripts } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { scripts: Record<"prepare" | "start", string> };
const flagsOf = (command: string): string[] => command.match(/--\S+/g) ?? [];

test("an install compiles with the flags of a start, since V8 takes compiled code of other flags for none", () => {
  expect(flagsOf(scripts.prepare)).not.toHaveLength(0);
  expect(flagsOf(scripts.prepare)).toEqual(flagsOf(scripts.start));
});

test("an install of the packages alone, as in a layer of an image, does not fail for want of sources", () => {
  const [, code = ""] = /-e "(.*)"$/.exec(scripts.prepare) ?? [];
  expect(code).toContain("build-ahead.js");
  expect(spawnSync(process.execPath, ["-e", code], { cwd: tmpdir() }).status).toBe(0);
});
