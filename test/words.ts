/** The prose of the repository, and the phrases that it doesn't use. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "@ts-morph/common";

const root = join(import.meta.dirname, "..");

/** What is not written, and what is written instead. */
export const banned: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bnobody\b|\bno one\b/gi, "no user, unhandled, expired, disabled, unused"],
  [/\b(some|any|every)body\b/gi, "an approver, any caller, all users"],
  [/\bwhoever\b/gi, "anyone who, the caller that"],
  [/\bone's\b/gi, "your, the caller's"],
  [/\bstrangers?\b/gi, "unauthenticated callers"],
  [/\bcrowds?\b/gi, "bursts, many callers"],
  [/\bstands?\b/gi, "is, is listed, represents, precedes, remains"],
  [/\bstanding\b/gi, "current usage"],
  [/\bstood\b/gi, "was, was listed"],
  [/\b(un)?told\b/gi, "is notified, receives, is reported as, is advertised"],
  [/\b(tells?|say|says|said|speaks?|spoken) of\b/gi, "reports, describes, states for"],
  [/\bbecomes? of\b/gi, "happens to"],
  [/\blets? (\w+ )?in\b/gi, "admits, authorizes, allows"],
  [/\banew\b/gi, "again, resets"],
  [/\bby and by\b/gi, "later, gradually"],
  [/\bat once\b/gi, "immediately, at the same time"],
  [/\bof late\b/gi, "recently"],
  [/\bfor good\b/gi, "permanently, can't be changed later"],
  [/\bin vain\b/gi, "without success"],
  [/\b(has|have) the( last)? word\b|\bwhose (word|turn)\b/gi, "takes precedence, wins"],
  [/\btak(e|es|ing) turns\b|\bturn it is\b/gi, "is serialized, fair scheduling"],
  [/\bdear(er|est)?\b/gi, "expensive, highest priority"],
  [/\bthere (is|are|was|were) none\b/gi, "missing, not set, no X"],
  [/(?<!\b[tw]?here\s+)\b(is|are|was|were) no (?!longer\b|more\b|less\b|later\b)/gi, "isn't a"],
  [/\bends? by (itself|themselves)\b/gi, "expires automatically"],
  [/\bby (itself|themselves)\b/gi, "alone, automatically, separately"],
  [/\bout of reach\b/gi, "unreachable"],
  [/\bafter a fault\b/gi, "after a failed attempt"],
  [/\bas (it|they) (came|comes?)\b/gi, "unchanged"],
  [/\b(given?|gives|gave|giving) back\b/gi, "release, return, refund"],
  [/\bbesides?\b/gi, "next to, in addition to, along with"],
  [/\b(lie|lies|lay)\b/gi, "is, is stored"],
  [/\b(the|its|their) like\b/gi, "similar ones"],
  [/\bthe (house(?! of)|house's)\b/gi, "the code base"],
  [/\bthe books\b/gi, "the ledger"],
  [/\bhence\b|\bthereof\b|\btherein\b/gi, "so, of it"],
  [/(^|[.!?:] )Such as\b/gm, "For example"],
  [/(^|[.!?:] )Once,/gm, "When"],
];

export interface Hit {
  folder: string;
  /** file, line and phrase */
  where: string;
}

interface Prose {
  text: string;
  /** of the first character */
  line: number;
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Comments, and the string literals with a space: others are names. */
function proseOfSource(path: string, text: string): Prose[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Prose[] = [];
  const seen = new Set<number>();
  const comments = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const words = text.slice(pos, end).replaceAll(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/) ?/gm, "");
      found.push({ text: words.replaceAll(/`[^`\n]*`/g, "`"), line: lineOf(text, pos) });
    }
  };
  const visit = (node: ts.Node): void => {
    comments(ts.getLeadingCommentRanges(text, node.getFullStart()));
    comments(ts.getTrailingCommentRanges(text, node.getEnd()));
    const literal =
      ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
    if (literal && /\S\s+\S/.test(node.text))
      found.push({ text: node.text, line: lineOf(text, node.getStart()) });
    // Tokens too: a comment can come before a bracket.
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return found;
}

/** Without code and the targets of links; the lines keep their numbers. */
function proseOfPage(text: string): Prose[] {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, "");
  const words = text
    .replaceAll(/^ *```[^]*?^ *```$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, "`")
    .replaceAll(/\]\([^)\s]*\)/g, "]");
  return [{ text: words, line: 1 }];
}

export function hitsIn(path: string, text: string): string[] {
  const prose = path.endsWith(".md") ? proseOfPage(text) : proseOfSource(path, text);
  return prose.flatMap((each) =>
    banned.flatMap(([phrase]) =>
      [...each.text.matchAll(phrase)].map(
        (hit) =>
          `${path}:${each.line + lineOf(each.text, hit.index) - 1} ${hit[0].trim().toLowerCase()}`,
      ),
    ),
  );
}

/** `src` by room, `docs` and its decisions, and the pages elsewhere as `pages`. */
function folderOf(path: string): string {
  const [top = "", room = "", ...rest] = path.split("/");
  if (top === "src" && rest.length > 0) return `src/${room}`;
  if (top === "src" && !path.endsWith(".md")) return "src";
  if (top === "docs") return rest.length > 0 ? "docs/decisions" : "docs";
  return "pages";
}

const filesUnder = (directory: string, ending: RegExp): string[] =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !name.endsWith(".d.ts"))
    .map((name) => `${directory}/${name.replaceAll("\\", "/")}`);

const topPages = readdirSync(root).filter((name) => name.endsWith(".md"));

const proseFiles = (): string[] =>
  filesUnder("src", /\.tsx?$/).concat(
    filesUnder("docs", /\.md$/),
    ["examples/README.md", "test/README.md", "src/README.md"],
    topPages,
  );

export const allHits = (): Hit[] =>
  proseFiles().flatMap((path) =>
    hitsIn(path, readFileSync(join(root, path), "utf8")).map((where) => ({
      folder: folderOf(path),
      where,
    })),
  );
