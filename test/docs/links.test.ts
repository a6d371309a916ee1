/** Links lead somewhere: to files and headings that exist, and out to https alone. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout, pages, sourceFiles, type Page } from "./pages.ts";

const isExternal = (target: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(target);

/** What is wrong with a link of a page; null: nothing. */
function problemWith(target: string, from: Page): string | null {
  if (isExternal(target))
    return URL.parse(target)?.protocol === "https:" ? null : `${target} is no https URL`;
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from.path : normalize(join(dirname(from.path), file));
  if (path.startsWith("..") || !existsSync(join(checkout, path)))
    return `${target} names no file of the repository`;
  if (anchor === undefined) return null;
  const page = pages.find((each) => each.path === path);
  return page?.anchors.has(anchor) === true ? null : `${target} names no heading`;
}

describe("every link of", () => {
  it.each(pages.map((page) => [page.path, page] as const))("%s leads somewhere", (_, page) => {
    const problems = page.links.flatMap((target) => problemWith(target, page) ?? []);
    expect(problems).toEqual([]);
  });
});

it("every page that a comment or a page names in passing exists", () => {
  const everything = [...sourceFiles(), ...pages];
  const named = everything.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w.:/-])(?:\.\.\/)*(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(
      ([, file = "", anchor]) => ({ path, file, anchor }),
    ),
  );
  const wrong = named.filter(({ file, anchor }) => {
    const page = pages.find((each) => each.path === file);
    return page === undefined || (anchor !== undefined && !page.anchors.has(anchor));
  });
  expect(named.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});

it("docs/README.md leads to every page of docs/", () => {
  const index = pages.find(({ path }) => path === "docs/README.md");
  const all = pages.map(({ path }) => path).filter((path) => /^docs\/[\w-]+\.md$/.test(path));
  const linked = new Set(index?.links.map((target) => `docs/${target.split("#")[0]}`));
  expect(all.filter((path) => path !== index?.path && !linked.has(path))).toEqual([]);
});

it("README.md is two screens: at most 8 kB", () => {
  const readme = pages.find(({ path }) => path === "README.md");
  expect(Buffer.byteLength(readme?.text ?? "")).toBeLessThanOrEqual(8_000);
});
