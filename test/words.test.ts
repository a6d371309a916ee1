/** Comments, literals, pages and the console use the idiom that engineers expect: no phrase of `words.ts`, but where it is right. */
import { describe, expect, it } from "vitest";
import { allHits, banned, hitsIn } from "./words.ts";

/** Hits that are right: the file, and the phrase in it. */
const right: readonly string[] = [];

const found = allHits().map(({ where }) => where.replace(/:\d+/, ""));

it("no page and no source has a banned phrase, exceptions aside", () => {
  expect(found.filter((each) => !right.includes(each))).toEqual([]);
});

it("every exception has its hit", () => {
  expect(right.filter((each) => !found.includes(each))).toEqual([]);
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
