/** No registry has the packages yet, so a page that names one says so before its first command that needs a registry. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");
const pages = [
  "README.md",
  "examples/README.md",
  ...readdirSync(join(checkout, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((path) => [path, readFileSync(join(checkout, path), "utf8")] as const);
const fromRegistry = /np(x|m install)( -y)? mcp-sampling-router/;
const named = pages.filter(([, text]) => fromRegistry.test(text));

it("some pages name the packages", () => {
  expect(named.map(([path]) => path)).toContain("docs/package.md");
});

it.each(named)("%s says that the package is unpublished", (_, text) => {
  const at = text.search(fromRegistry);
  // In the same paragraph or code block at the latest.
  const end = text.indexOf("\n\n", at);
  expect(text.slice(0, end === -1 ? undefined : end).toLowerCase()).toContain("once published");
});
