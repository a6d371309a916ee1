/** What the published package needs is locked with its integrity. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shrinkwrapOf, type Lock } from "../../../src/start/shrinkwrap.ts";

const checkout = join(import.meta.dirname, "..", "..", "..");
const lock = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as Lock;

it("locks libsql and all that it needs, on any platform, and nothing else", () => {
  const dependencies = { libsql: lock.packages["node_modules/libsql"]?.version };
  const { packages } = shrinkwrapOf(lock, { name: "router", version: "1.0.0", dependencies });
  const { "": root, ...others } = packages;
  expect(root).toMatchObject({ name: "router", dependencies });
  const names = Object.keys(others);
  expect(names).toContain("node_modules/@neon-rs/load");
  expect(names).toContain("node_modules/@libsql/linux-x64-gnu");
  expect(names.every((name) => /libsql|neon-rs|detect-libc/.test(name))).toBe(true);
  for (const { integrity, dev } of Object.values(others)) {
    expect(integrity).toMatch(/^sha512-/);
    expect(dev).toBeUndefined();
  }
});

it("has its base image and the actions of CI by digest", () => {
  const image = /^FROM node:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/;
  const from = readFileSync(join(checkout, "Dockerfile"), "utf8").match(/^FROM .*$/gm) ?? [];
  expect(from).toHaveLength(2);
  for (const line of from) expect(line).toMatch(image);
  const ci = readFileSync(join(checkout, ".github", "workflows", "ci.yml"), "utf8");
  for (const line of ci.match(/uses: .*/g) ?? [])
    expect(line).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$/);
});
