/** The table of what works between the eras: each cell has tests, and the page has each cell. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rows, table } from "../fixtures/eras.ts";

const test = join(import.meta.dirname, "..");
const page = join(test, "..", "docs", "protocol-versions.md");

/** Without the padding that the formatter adds. */
const plain = (text: string): string => text.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---");

it("stands on the page, as the tests have it", () => {
  expect(plain(readFileSync(page, "utf8"))).toContain(plain(table()));
});

it.each(rows.flatMap(({ what, cells }) => cells.map(({ says, shown }) => ({ what, says, shown }))))(
  "$what: $says",
  ({ shown }) => {
    expect(shown.length).toBeGreaterThan(0);
    for (const [file, title] of shown)
      expect(readFileSync(join(test, file), "utf8"), file).toContain(title);
  },
);
