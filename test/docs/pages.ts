/** The repository's Markdown as a reader meets it: pages, their headings, links and blocks of code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../../", import.meta.url));

export interface Block {
  /** all that follows the backticks, such as `sh run` */
  info: string;
  text: string;
}

export interface Page {
  /** from the checkout on */
  path: string;
  text: string;
  blocks: Block[];
  anchors: Set<string>;
  /** targets as written */
  links: string[];
}

const fence = /^ *```([^\n`]*)\n([^]*?)^ *```$/gm;

const blocksOf = (text: string): Block[] =>
  [...text.matchAll(fence)].map(([, info = "", code = ""]) => ({ info: info.trim(), text: code }));

const withoutBlocks = (text: string): string => text.replaceAll(fence, "");

/** As GitHub names a heading; what is repeated gets a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
    let name = anchor;
    for (let again = 1; anchors.has(name); again += 1) name = `${anchor}-${again}`;
    anchors.add(name);
  }
  return anchors;
}

/** Inline code shows links and holds none. */
function linksOf(text: string): string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, "`");
  const markdown = [...prose.matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g)];
  const html = [...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
  return [...markdown, ...html].map(([, target = ""]) => target);
}

const pageAt = (path: string): Page => {
  const text = readFileSync(join(checkout, path), "utf8");
  return { path, text, blocks: blocksOf(text), anchors: anchorsOf(text), links: linksOf(text) };
};

const filesIn = (directory: string, recursive: boolean): string[] =>
  readdirSync(join(checkout, directory), { recursive, encoding: "utf8" })
    .map((name) => join(directory, name).replaceAll("\\", "/"))
    .toSorted();

/** Every page that people read: those at the top, in `docs/`, of the examples, and the map of `src/`. */
export const pages: readonly Page[] = [
  ...filesIn("", false),
  ...filesIn("docs", true),
  ...filesIn("examples", false),
  ...filesIn("src", false),
]
  .filter((name) => name.endsWith(".md"))
  .map(pageAt);

export function pageNamed(path: string): Page {
  const found = pages.find((page) => page.path === path);
  if (found === undefined) throw new Error(`There is no page ${path}.`);
  return found;
}

/** Source files that may name a page in a comment. */
export const sourceFiles = (): { path: string; text: string }[] =>
  ["src", "test", "examples"]
    .flatMap((directory) => filesIn(directory, true))
    .filter((path) => !path.includes("/.wrangler/") && /\.(ts|tsx|mjs|js)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") }));
