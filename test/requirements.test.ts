/** Every sentence of `requirements.ts` is checked by a test that says so, and the house's page counts them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { groups, requirements, type Requirement } from "./requirements.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Citation {
  id: string;
  /** file and line */
  where: string;
  /** the comment stands directly above a test that runs */
  above: boolean;
}

const comment = /^\s*\/\/ cites: (.*)$/;
const begins = /^\s*it(\.each(\W|$)|\()/;

/** The `// cites: S-001, S-002` lines of a file. */
function citationsIn(file: string, text: string): Citation[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const ids = comment.exec(line)?.[1]?.split(",") ?? [];
    const next = lines.slice(at + 1).find((other) => !comment.test(other)) ?? "";
    return ids.map((id) => ({
      id: id.trim(),
      where: `${file}:${at + 1}`,
      above: begins.test(next),
    }));
  });
}

const citations = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && name !== "requirements.test.ts")
  .flatMap((name) => citationsIn(name, readFileSync(join(root, "test", name), "utf8")));

const cited = new Set(citations.map(({ id }) => id));
const known = new Map(requirements.map((each) => [each.id, each]));

const inGroup = (letter: string): Requirement[] =>
  requirements.filter(({ id }) => id.startsWith(letter));

/** The tables of `docs/requirements.md`. */
function tables(): string {
  const rows = Object.entries(groups).map(([letter, title]) => {
    const all = inGroup(letter);
    const count = (status: Requirement["status"]): number =>
      all.filter((each) => each.status === status).length;
    return `| ${title} (${letter}) | ${all.length} | ${count(undefined)} | ${count("by-design")} | ${count("not-yet")} |`;
  });
  const total = (status?: Requirement["status"]): number =>
    requirements.filter((each) => each.status === status).length;
  const others = requirements.flatMap((each) =>
    each.status === undefined
      ? []
      : [
          `| ${each.id} | ${each.status === "by-design" ? "by design" : "not yet"} | ${each.sentence.replaceAll("|", "\\|")} | ${each.reason} |`,
        ],
  );
  return [
    "| group | sentences | checked by tests | by design | not yet |",
    "|---|---|---|---|---|",
    ...rows,
    `| all | ${requirements.length} | ${total()} | ${total("by-design")} | ${total("not-yet")} |`,
    "",
    "| id | | what is not done | why |",
    "|---|---|---|---|",
    ...others,
  ].join("\n");
}

describe("the requirements", () => {
  it("have ids of their own, in a group of their own, in order", () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    for (const letter of Object.keys(groups)) {
      const own = inGroup(letter).map(({ id }) => id);
      expect(own).toEqual(own.map((_, at) => `${letter}-${String(at + 1).padStart(3, "0")}`));
    }
    expect(ids.filter((id) => !(id[0] !== undefined && id[0] in groups))).toEqual([]);
  });

  it("are each checked by a test, or say why not", () => {
    const unchecked = requirements.filter(
      ({ id, status }) => status === undefined && !cited.has(id),
    );
    expect(unchecked.map(({ id, sentence }) => `${id} ${sentence}`)).toEqual([]);
  });

  it("are not checked where they say that they are not kept", () => {
    const both = citations.filter(({ id }) => known.get(id)?.status !== undefined);
    expect(both).toEqual([]);
  });

  it("exist, where a test cites them", () => {
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it("are cited directly above a test", () => {
    expect(citations.filter(({ above }) => !above)).toEqual([]);
  });

  it("are counted in docs/requirements.md", () => {
    const page = readFileSync(join(root, "docs", "requirements.md"), "utf8");
    const shown = /<!-- requirements -->\n([^]*?)\n<!-- \/requirements -->/.exec(page)?.[1];
    expect(shown).toBe(tables());
  });
});

describe("a citation", () => {
  it("is read with its place, and counts above a test alone", () => {
    const text = [
      "// cites: S-001,S-002",
      "// cites: S-003",
      'it("does", () => {});',
      "  // cites: S-004",
      "  it.each([1])(",
      "// cites: S-005",
      'it.skip("does not", () => {});',
    ].join("\n");
    expect(citationsIn("a.test.ts", text)).toEqual([
      { id: "S-001", where: "a.test.ts:1", above: true },
      { id: "S-002", where: "a.test.ts:1", above: true },
      { id: "S-003", where: "a.test.ts:2", above: true },
      { id: "S-004", where: "a.test.ts:4", above: true },
      { id: "S-005", where: "a.test.ts:6", above: false },
    ]);
  });
});
