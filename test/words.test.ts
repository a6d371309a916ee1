/** Comments, literals, pages and the console use the idiom that engineers expect: no phrase of `words.ts`, but where it is right. */
import { describe, expect, it } from "vitest";
import { allHits, banned, hitsIn, type Hit } from "./words.ts";

/**
 * How many hits a folder may still have. A number only falls: lower it with each cleanup, and delete the row at 0. To list the hits of
 * a folder, set its number to 0 and run this file.
 */
const left: Record<string, number> = {};

/** Hits that are right: the file, and the phrase in it. */
const right: readonly string[] = [];

const isRight = ({ where }: Hit): boolean => right.includes(where.replace(/:\d+/, ""));
const hits = allHits();
const wrong = hits.filter((hit) => !isRight(hit));
const inFolder = (folder: string): string[] =>
  wrong.filter((hit) => hit.folder === folder).map(({ where }) => where);

describe("no more banned phrases than are left in", () => {
  it.each([...new Set(hits.map(({ folder }) => folder))])("%s", (folder) => {
    const found = inFolder(folder);
    expect(found.length > (left[folder] ?? 0) ? found : []).toEqual([]);
  });
});

it("no exception is listed without its hit", () => {
  const found = new Set(hits.map(({ where }) => where.replace(/:\d+/, "")));
  expect(right.filter((each) => !found.has(each))).toEqual([]);
});

describe("a phrase is found", () => {
  it.each([
    ["in a comment", "x.ts", "/**\n * Nobody reads it.\n */\nconst a = 1;", "x.ts:2 nobody"],
    ["in a comment at the end of a line", "x.ts", "const a = 1; // anew", "x.ts:1 anew"],
    ["in a literal", "x.ts", 'const a = "it stands here";', "x.ts:1 stands"],
    ["in a template", "x.ts", "const a = `${b} is told`;", "x.ts:1 told"],
    ["in an element", "x.tsx", "const a = <p>All at once</p>;", "x.tsx:1 at once"],
    ["on a page", "x.md", "# A\n\nSuch as this.", "x.md:3 such as"],
  ])("%s", (_, path, text, hit) => {
    expect(hitsIn(path, text)).toEqual([hit]);
  });

  it.each([
    ["a name", "x.ts", 'const told = row["told"];'],
    ["code of a page", "x.md", "```sh\necho anew\n```\n\nThe member `told` is [here](nobody.md)."],
    ["a longer word", "x.md", "Understand the outstanding folder."],
  ])("but not in %s", (_, path, text) => {
    expect(hitsIn(path, text)).toEqual([]);
  });
});

it("each phrase has something to write instead", () => {
  for (const [phrase, instead] of banned) expect(instead, String(phrase)).not.toBe("");
});
