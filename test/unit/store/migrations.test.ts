/** Migrations only add, so that the previous release can run beside the next one and can be rolled back to. */
import { describe, expect, it } from "vitest";
import { statementsIn, takesAway, type Migration } from "../../../src/store/migrations.ts";
import { readMigrations } from "../../setup/migrations.ts";

/** Why the previous release would notice the statement; null if the statement only adds. */
function problemWith(statement: string, created: ReadonlySet<string>): string | null {
  const text = statement.replaceAll(/^--.*$/gm, "").trim();
  const table = /(?:\bon|^alter table|^create table(?: if not exists)?) `?(\w+)`?/i.exec(text)?.[1];
  const isOwn = table !== undefined && created.has(table);
  if (text === "" || isOwn || /^create (?:table|index)\b|^drop index\b/i.test(text)) return null;
  if (/^create unique index\b/i.test(text)) return "an old process may write what it forbids";
  if (!/^alter table \S+ add /i.test(text)) return `not an addition: ${text.slice(0, 60)}`;
  const isOptional = !/\bnot null\b/i.test(text) || /\bdefault\b/i.test(text);
  return isOptional ? null : "an old process leaves the column out";
}

function problemsOf(migration: Migration): string[] {
  const statements = statementsIn(migration);
  const created = new Set(
    statements.flatMap(
      (text) => /^create table(?: if not exists)? `?(\w+)/im.exec(text)?.[1] ?? [],
    ),
  );
  return statements.flatMap((text) => problemWith(text, created) ?? []);
}

const [baseline, ...additions] = readMigrations();

it("the baseline creates tables and indexes, and nothing else", () => {
  const statements = baseline === undefined ? [] : statementsIn(baseline);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.filter((text) => !/^create (?:table|(?:unique )?index) /i.test(text))).toEqual(
    [],
  );
});

it("each later migration only adds", () => {
  const problems = additions.filter(({ name }) => !takesAway(name)).flatMap(problemsOf);
  expect(problems).toEqual([]);
});

describe("what the version before would notice", () => {
  it.each([
    "DROP TABLE `keys`;",
    "ALTER TABLE `keys` DROP COLUMN `name`;",
    "ALTER TABLE `keys` RENAME COLUMN `name` TO `title`;",
    "ALTER TABLE `keys` ADD `kind` text NOT NULL;",
    "CREATE UNIQUE INDEX `keys_name` ON `keys` (`name`);",
    "UPDATE `keys` SET `name` = '';",
  ])("%s", (sql) => {
    expect(problemsOf({ name: "x.sql", sql })).toHaveLength(1);
  });

  it.each([
    "ALTER TABLE `keys` ADD `kind` text DEFAULT 'a' NOT NULL;",
    "ALTER TABLE `keys` ADD `kind` text;",
    "CREATE INDEX `keys_name` ON `keys` (`name`);",
    "CREATE TABLE `doors` (`id` text);--> statement-breakpoint\nCREATE UNIQUE INDEX `a` ON `doors` (`id`);",
  ])("is not %s", (sql) => {
    expect(problemsOf({ name: "x.sql", sql })).toEqual([]);
  });
});
