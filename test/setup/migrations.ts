/** The migrations as files; the Worker gets the same list from its bundle. */
import { readdirSync, readFileSync } from "node:fs";
const folder = new URL("../../migrations/", import.meta.url);

export const readMigrations = (): { name: string; sql: string }[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), "utf8") }));
