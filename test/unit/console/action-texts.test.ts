/** Every action in the event log has a label in the console. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { roomLevels } from "../../../src/domain/limits/room.ts";
import { actionTexts } from "../../../src/console/action-texts.ts";

const src = join(import.meta.dirname, "..", "..", "..", "src");

/** What the router's own code writes into events. */
const actions = new Set(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("console"))
    .flatMap((name) => [
      ...readFileSync(join(src, name), "utf8").matchAll(/action: "([a-z_]+\.[a-z_]+)"/g),
    ])
    .map(([, action = ""]) => action),
);
// Composed ones.
const composed = [
  "approval.approve",
  "approval.deny",
  "storage.deleted",
  ...roomLevels.map((level) => `storage.${level}`),
];
for (const action of composed) actions.add(action);

it("has words for every action that the router writes, and leaves others as they are", () => {
  expect(actions.size).toBeGreaterThan(30);
  expect([...actions].filter((action) => actionTexts(action) === action)).toEqual([]);
  expect(actionTexts("moon.eclipse")).toBe("moon.eclipse");
});
