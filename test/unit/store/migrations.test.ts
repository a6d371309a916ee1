/** Migrations while the version before runs, and for a return to it: they only add. */
import { describe, expect, it } from "vitest";
import { statementsIn, takesAway, type Migration } from "../../../src/store/migrations.ts";
import { readMigrations } from "../../setup/migrations.ts";

/** What is none of a kind that the version before can't notice; null: it only adds. */
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

/** Each was looked at by a person. */
const excused: Readonly<Record<string, string>> = {
  "0002_retired.sql": "nothing had used either table since the release before",
  "0007_pass_headers_of_old_entries.sql": "an old process never reads the column",
  "0020_usage_of_tenants.sql": "the table has the columns that it had, in one transaction",
};

const migrations = readMigrations();

it.each(migrations.filter(({ name }) => !(name in excused) && !takesAway(name)))(
  "$name only adds",
  (migration) => {
    expect(problemsOf(migration)).toEqual([]);
  },
);

it("only a migration that needs an excuse has one", () => {
  const needing = migrations.filter((migration) => problemsOf(migration).length > 0);
  expect(needing.map(({ name }) => name).filter((name) => !takesAway(name))).toEqual(
    Object.keys(excused),
  );
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
