/** Pages name files of the repository by paths that exist, so that a file that moves takes its mentions along. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout, pages } from "./pages.ts";

/** Rooms of `src/`, which src/README.md, CONTRIBUTING.md and the decisions name without `src/`. */
const rooms =
  "catalogue|cli|compose|console|crypto|domain|http|libraries|mcp|node|oauth|pipeline|providers|proxy|start|store|telemetry";
const inBackticks = new RegExp(`\`((?:src|test|docs|migrations|${rooms})/[\\w./-]+)\``, "g");

const isThere = (path: string): boolean =>
  existsSync(join(checkout, path)) || existsSync(join(checkout, "src", path));

describe("every path that is named in", () => {
  it.each(pages.map(({ path, text }) => [path, text] as const))("%s exists", (_, text) => {
    const named = [...text.matchAll(inBackticks)].map(([, path = ""]) => path);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it("NOTICE exists", () => {
    const text = readFileSync(join(checkout, "NOTICE"), "utf8");
    const named = [...text.matchAll(/^((?:src|test)\/[\w./-]+)/gm)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});
